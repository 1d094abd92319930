"""What can be chosen when a tree is drawn: words that go with each other."""

from __future__ import annotations

import random
from functools import cache

from .lexicon import ADJECTIVES, COUNTS, NOUNS, PREPOSITIONS, VERBS
from .trees import Both, Phrase, Pronoun

Kinds = frozenset[str]
HUMAN: Kinds = frozenset({"human"})
OWNED = {"brother", "sister", "child", "teacher", "doctor", "student"}  # people of someone
SHAPES = ("plain", "object", "object", "object", "be", "be", "that", "go")


class NoFit(Exception):
    """The words can't be divided this way."""


def some_article(rng: random.Random, plural: bool, negated: bool, simple: bool) -> str:
    """One that the number allows; after "not" none that a `Predicate` refuses there."""
    article = rng.choice(["the"] * 4 + ["this"] + (["two", "three"] if plural else ["a", "a"]))
    refused = negated and (article in COUNTS or (article == "a" and not simple))
    return "the" if refused else article


def some_prepositions(rng: random.Random, words: int, verb: str, needs: str) -> list[str]:
    """At most two that the verb can have, in their order, and last the one that it needs."""
    roles = [role for role in ("company", "for", "here") if role in VERBS[verb].places]
    count = max(bool(words) - bool(needs), 0) if words < 6 else rng.randint(0 if needs else 1, 2)
    chosen = sorted(rng.sample(roles, min(count, len(roles))), key=roles.index)
    names = [rng.choice(prepositions_of(role)) for role in chosen] + ([needs] if needs else [])
    if needs in PREPOSITIONS and words < 5:
        return [needs]
    if not names:
        raise NoFit
    return names


def some_adjectives(rng: random.Random, kind: Kinds, count: int) -> tuple[str, ...]:
    """None, any one, or one that French puts before the noun and one that it puts after."""
    fit = adjectives_of(kind)
    if count < 2:
        return tuple(rng.sample(fit, count))
    return tuple(
        rng.choice([word for word in fit if ADJECTIVES[word].early is early])
        for early in (True, False)
    )


def kinds_of(subject: Phrase) -> Kinds:
    """All kinds in it: a verb must go with each of them."""
    if isinstance(subject, Pronoun):
        return HUMAN
    if isinstance(subject, Both):
        return kinds_of(subject.first) | kinds_of(subject.second)
    return frozenset({NOUNS[subject.noun].kind})


@cache
def adjectives_of(kinds: Kinds) -> list[str]:
    """Those that go with all of these kinds."""
    return [word for word, entry in ADJECTIVES.items() if kinds <= entry.kinds]


@cache
def nouns_of(kinds: Kinds) -> list[str]:
    """Those of any of these kinds."""
    return [name for name, noun in NOUNS.items() if noun.kind in kinds]


@cache
def prepositions_of(role: str) -> list[str]:
    """Those that add "company", "for" or "here" to a verb."""
    return [name for name, entry in PREPOSITIONS.items() if entry.role == role]


@cache
def verbs_of(shape: str, subject: Kinds, gap: Kinds | None) -> list[str]:
    """The verbs of a shape that the subject and, if it is known, the object can have."""
    shapes = {"": "plain", "be": "be", "that": "that", "to": "go", "from": "go"}
    return [
        name
        for name, verb in VERBS.items()
        if (shapes[verb.needs] if not verb.case else "object") == shape
        and subject <= verb.subjects
        and (gap is None or gap <= verb.objects)
    ]
