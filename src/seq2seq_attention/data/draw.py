"""Trees at random, with an exact number of English words.

Whoever draws a part says how many words it must have, and the part divides them among its own
parts. So every length is as frequent as one likes. What can't be divided is drawn again.
"""

from __future__ import annotations

import random
from functools import cache

from .lexicon import (
    ADJECTIVES,
    ANIMATE,
    CONJUNCTIONS,
    COUNTS,
    FREQUENCY,
    NOUNS,
    PREPOSITIONS,
    PRONOUNS,
    THINGS,
    TIME,
    VERBS,
)
from .trees import (
    Both,
    Clause,
    Main,
    NounPhrase,
    Phrase,
    Place,
    Predicate,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
)

Kinds = frozenset[str]
HUMAN: Kinds = frozenset({"human"})
OWNED = {"brother", "sister", "child", "teacher", "doctor", "student"}  # people of someone
SHAPES = ("plain", "object", "object", "object", "be", "be", "that", "go")


class _NoFit(Exception):
    """The words can't be divided this way."""


def draw_sentence(rng: random.Random, words: int) -> Sentence:
    """A sentence of exactly so many English words, at least 3; commas count as words.

    It has one main clause up to about ten words, several beyond.
    """
    mains: list[Main] = []
    joints: list[str] = []
    while words > 9 and rng.random() < (words - 4) / 20:
        size = rng.randint(3, min(words - 5, 14))
        mains.append(_main(rng, size))
        joints.append(rng.choice(("and", "and", "but")))
        words -= size + 2
    return Sentence((*mains, _main(rng, words)), tuple(joints))


def _main(rng: random.Random, words: int) -> Main:
    chance = rng.random()
    if words >= 4 and chance < 0.15:
        clause = _clause(rng, words - 1)
        if clause.predicate.time is None:
            return Main(clause, time=rng.choice(list(TIME)))
    if words >= 7 and (chance < 0.45 or words > 14):
        fronted = rng.random() < 0.5
        size = rng.randint(2, words - (5 if fronted else 4))
        part = Subordinate(rng.choice(list(CONJUNCTIONS)), _clause(rng, size))
        if fronted:
            return Main(_clause(rng, words - size - 2), before=part)
        return Main(_clause(rng, words - size - 1), after=part)
    return Main(_clause(rng, words, joined=words >= 5 and chance > 0.8))


def _clause(rng: random.Random, words: int, joined: bool = False) -> Clause:
    """A clause of at least 2 words; with `joined`, of at least 5, two things are done in it."""
    while True:
        try:
            return _try_clause(rng, words, joined)
        except _NoFit:
            continue


def _try_clause(rng: random.Random, words: int, joined: bool) -> Clause:
    size = rng.choice((1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8))
    if size >= words:
        size = rng.randint(1, words - 1)
    kinds = THINGS if size > 1 and words - size > 1 and rng.random() < 0.15 else ANIMATE
    subject = _phrase(rng, size, kinds, joined=True)
    rest = words - size
    if not joined:
        return Clause(subject, _predicate(rng, rest, _kinds(subject), subject.plural))
    if rest < 3:
        raise _NoFit
    first = rng.randint(1, rest - 2)
    return Clause(
        subject,
        _predicate(rng, first, _kinds(subject), last=False, affirmed=True),
        _predicate(rng, rest - 1 - first, _kinds(subject), affirmed=True),
    )


def _predicate(
    rng: random.Random,
    words: int,
    subject: Kinds,
    plural: bool = False,
    *,
    last: bool = True,
    affirmed: bool = False,
    inside: bool = False,
    gap: Kinds | None = None,
) -> Predicate:
    """What a subject does.

    Args:
        last: whether it may end in a clause.
        affirmed: no "not".
        inside: it stands in a relative clause, where nothing is joined, nothing is said, and no
            other relative clause begins.
        gap: the kind of the missing object.
    """
    shape = "object" if gap else rng.choice(SHAPES)
    verb = rng.choice(_verbs(shape, subject, gap) or [""])
    if not verb or (shape == "that" and (inside or not last)):
        raise _NoFit
    chance = rng.random()
    negated = chance < 0.25 and not affirmed and VERBS[verb].negatable
    frequency = rng.choice(list(FREQUENCY)) if 0.25 <= chance < 0.35 else None
    time = rng.choice(list(TIME)) if rng.random() < 0.1 and shape != "that" else None
    left = words - 1 - (1 if verb == "are" else 2) * negated - bool(frequency) - bool(time)
    last = last and not time and not inside
    if left < 0:
        raise _NoFit
    seen: Phrase | None = None
    clauses: tuple[Clause, ...] = ()
    adjective, needs = None, VERBS[verb].needs
    if shape == "object" and not gap:
        size = left if last and rng.random() < 0.7 else min(left, rng.randint(1, 4))
        open_ended = last and size == left
        kinds = VERBS[verb].objects
        seen = _phrase(rng, size, kinds, open_ended, not inside and not negated, negated)
        left -= size
    elif shape == "be" and left == 1:
        adjective = rng.choice([w for w, entry in ADJECTIVES.items() if subject <= entry.kinds])
        left, needs = 0, ""
    elif shape == "that":
        clauses = _said(rng, left)
        left, needs = 0, ""
    places = _places(rng, left, verb, "" if needs == "be" else needs, last)
    if needs == "be" and not places:
        raise _NoFit
    return Predicate(verb, negated, frequency, seen, adjective, clauses, places, time)


def _said(rng: random.Random, words: int) -> tuple[Clause, ...]:
    """One or two clauses, each with "that" before it, "and" between them."""
    if words < 3:
        raise _NoFit
    if words < 9 or rng.random() < 0.7:
        return (_clause(rng, words - 1),)
    size = rng.randint(2, words - 5)
    first = _clause(rng, size)
    if first.predicate.clauses:
        raise _NoFit
    return first, _clause(rng, words - 3 - size)


def _places(rng: random.Random, words: int, verb: str, needs: str, last: bool) -> tuple[Place, ...]:
    """Company, then whom it is for, then the place; the last of them takes what words are left."""
    if words == 0 and not needs:
        return ()
    roles = [role for role in ("company", "for", "here") if role in VERBS[verb].places]
    count = max(bool(words) - bool(needs), 0) if words < 6 else rng.randint(0 if needs else 1, 2)
    chosen = sorted(rng.sample(roles, min(count, len(roles))), key=roles.index)
    names = [rng.choice(_prepositions(role)) for role in chosen] + ([needs] if needs else [])
    if needs in PREPOSITIONS and words < 5:
        names = [needs]
    if not names:
        raise _NoFit
    found = []
    for k, name in enumerate(names):
        at_end = k == len(names) - 1
        size = words - 1 if at_end else rng.randint(1, 3)
        if at_end and not last and size > 5:
            raise _NoFit
        found.append(Place(name, _noun(rng, size, PREPOSITIONS[name].kinds, last and at_end)))
        words -= size + 1
    return tuple(found)


def _phrase(
    rng: random.Random,
    words: int,
    kinds: Kinds,
    open_ended: bool = True,
    joined: bool = False,
    negated: bool = False,
) -> Phrase:
    """A subject or object; two nouns may be joined in it."""
    if not joined or words not in (5, 6, 7) or rng.random() < 0.4:
        return _noun(rng, words, kinds, open_ended, negated)
    size = rng.randint(2, words - 3)
    first, second = (_noun(rng, k, kinds, False) for k in (size, words - 1 - size))
    if isinstance(first, NounPhrase) and isinstance(second, NounPhrase):
        if first.simple and second.simple and first.noun != second.noun:
            return Both(first, second)
    raise _NoFit


def _noun(
    rng: random.Random, words: int, kinds: Kinds, open_ended: bool, negated: bool = False
) -> NounPhrase | Pronoun:
    """A pronoun, or a noun with all that belongs to it."""
    if words == 1 and "human" in kinds:
        return Pronoun(rng.choice(list(PRONOUNS)))
    if words < 2:
        raise _NoFit
    name = rng.choice(_nouns(kinds))
    noun_kind = NOUNS[name].kind
    kind, left = frozenset({noun_kind}), words - 2
    count = left if left < 3 and rng.random() < 0.8 else rng.choice((0, 0, 0, 1, 1, 2))
    adjectives = _adjectives(rng, kind, min(left, count))
    left -= len(adjectives)
    plural = rng.random() < 0.3
    owner: NounPhrase | None = None
    relative: Relative | None = None
    if left and open_ended and (left < 3 or rng.random() < 0.7):
        relative = _relative(rng, left, kind, plural)
    elif left and (noun_kind != "human" or name in OWNED):
        drawn = _noun(rng, left - 1, HUMAN, open_ended)
        if not isinstance(drawn, NounPhrase) or drawn.article in COUNTS:
            raise _NoFit
        owner = drawn
    elif left:
        raise _NoFit
    articles = ["the"] * 4 + ["this"] + (["two", "three"] if plural else ["a", "a"])
    article = rng.choice(articles)
    if negated and (article in COUNTS or (article == "a" and (owner or relative))):
        article = "the"
    return NounPhrase(article, name, plural, adjectives, owner, relative)


def _adjectives(rng: random.Random, kind: Kinds, count: int) -> tuple[str, ...]:
    """None, any one, or one that French puts before the noun and one that it puts after."""
    fit = [word for word, entry in ADJECTIVES.items() if kind <= entry.kinds]
    if count < 2:
        return tuple(rng.sample(fit, count))
    return tuple(
        rng.choice([word for word in fit if ADJECTIVES[word].early is early])
        for early in (True, False)
    )


def _relative(rng: random.Random, words: int, kind: Kinds, plural: bool) -> Relative:
    """`words` include "who" or "that"."""
    if words < 2:
        raise _NoFit
    if words > 2 and rng.random() < 0.5:
        size = rng.randint(1, min(words - 2, 3))
        subject = _noun(rng, size, ANIMATE, False)
        rest = words - 1 - size
        return Relative(subject, _predicate(rng, rest, _kinds(subject), inside=True, gap=kind))
    return Relative(None, _predicate(rng, words - 1, kind, plural, inside=True))


def _kinds(subject: Phrase) -> Kinds:
    if isinstance(subject, Pronoun):
        return HUMAN
    if isinstance(subject, Both):
        return _kinds(subject.first) | _kinds(subject.second)
    return frozenset({NOUNS[subject.noun].kind})


@cache
def _nouns(kinds: Kinds) -> list[str]:
    return [name for name, noun in NOUNS.items() if noun.kind in kinds]


@cache
def _prepositions(role: str) -> list[str]:
    return [name for name, entry in PREPOSITIONS.items() if entry.role == role]


@cache
def _verbs(shape: str, subject: Kinds, gap: Kinds | None) -> list[str]:
    """The verbs of a shape that the subject and, if it is known, the object can have."""
    shapes = {"": "plain", "be": "be", "that": "that", "to": "go", "from": "go"}
    return [
        name
        for name, verb in VERBS.items()
        if (shapes[verb.needs] if not verb.case else "object") == shape
        and subject <= verb.subjects
        and (gap is None or gap <= verb.objects)
    ]
