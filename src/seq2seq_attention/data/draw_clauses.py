"""Clauses at random, and all that can be in them, with an exact number of English words.

A clause may stand within a noun phrase within a clause, so the functions here call each other.
"""

from __future__ import annotations

import random

from .choices import (
    HUMAN,
    OWNED,
    SHAPES,
    Kinds,
    NoFit,
    adjectives_of,
    kinds_of,
    nouns_of,
    some_adjectives,
    some_article,
    some_prepositions,
    verbs_of,
)
from .lexicon import ANIMATE, FREQUENCY, NOUNS, PREPOSITIONS, PRONOUNS, THINGS, TIME, VERBS
from .trees import Both, Clause, NounPhrase, Phrase, Place, Predicate, Pronoun, Relative


def draw_clause(rng: random.Random, words: int, joined: bool = False) -> Clause:
    """A clause of at least 2 words; with `joined`, of at least 5, two things are done in it."""
    while True:
        try:
            return _try_clause(rng, words, joined)
        except NoFit:
            continue


def _try_clause(rng: random.Random, words: int, joined: bool) -> Clause:
    size = rng.choice((1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8))
    if size >= words:
        size = rng.randint(1, words - 1)
    kinds = THINGS if size > 1 and words - size > 1 and rng.random() < 0.15 else ANIMATE
    subject = _phrase(rng, size, kinds, joined=True)
    rest = words - size
    if not joined:
        return Clause(subject, _predicate(rng, rest, kinds_of(subject), subject.plural))
    if rest < 3:
        raise NoFit
    first = rng.randint(1, rest - 2)
    return Clause(
        subject,
        _predicate(rng, first, kinds_of(subject), last=False, affirmed=True),
        _predicate(rng, rest - 1 - first, kinds_of(subject), affirmed=True),
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
    verb = rng.choice(verbs_of(shape, subject, gap) or [""])
    if not verb or (shape == "that" and (inside or not last)):
        raise NoFit
    chance = rng.random()
    negated = chance < 0.25 and not affirmed and VERBS[verb].negatable
    frequency = rng.choice(list(FREQUENCY)) if 0.25 <= chance < 0.35 else None
    time = rng.choice(list(TIME)) if rng.random() < 0.1 and shape != "that" else None
    left = words - 1 - (1 if verb == "are" else 2) * negated - bool(frequency) - bool(time)
    last = last and not time and not inside
    if left < 0:
        raise NoFit
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
        adjective = rng.choice(adjectives_of(subject))
        left, needs = 0, ""
    elif shape == "that":
        clauses = _said(rng, left)
        left, needs = 0, ""
    places = _places(rng, left, verb, "" if needs == "be" else needs, last)
    if needs == "be" and not places:
        raise NoFit
    return Predicate(verb, negated, frequency, seen, adjective, clauses, places, time)


def _said(rng: random.Random, words: int) -> tuple[Clause, ...]:
    """One or two clauses, each with "that" before it, "and" between them."""
    if words < 3:
        raise NoFit
    if words < 9 or rng.random() < 0.7:
        return (draw_clause(rng, words - 1),)
    size = rng.randint(2, words - 5)
    first = draw_clause(rng, size)
    if first.predicate.clauses:
        raise NoFit
    return first, draw_clause(rng, words - 3 - size)


def _places(rng: random.Random, words: int, verb: str, needs: str, last: bool) -> tuple[Place, ...]:
    """Company, then whom it is for, then the place; the last of them takes what words are left."""
    if words == 0 and not needs:
        return ()
    found, names = [], some_prepositions(rng, words, verb, needs)
    for k, name in enumerate(names):
        at_end = k == len(names) - 1
        size = words - 1 if at_end else rng.randint(1, 3)
        if at_end and not last and size > 5:
            raise NoFit
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
    raise NoFit


def _noun(
    rng: random.Random, words: int, kinds: Kinds, open_ended: bool, negated: bool = False
) -> NounPhrase | Pronoun:
    """A pronoun, or a noun with all that belongs to it."""
    if words == 1 and "human" in kinds:
        return Pronoun(rng.choice(list(PRONOUNS)))
    if words < 2:
        raise NoFit
    name = rng.choice(nouns_of(kinds))
    noun_kind = NOUNS[name].kind
    kind, left = frozenset({noun_kind}), words - 2
    count = left if left < 3 and rng.random() < 0.8 else rng.choice((0, 0, 0, 1, 1, 2))
    adjectives = some_adjectives(rng, kind, min(left, count))
    left -= len(adjectives)
    plural = rng.random() < 0.3
    owner: NounPhrase | None = None
    relative: Relative | None = None
    if left and open_ended and (left < 3 or rng.random() < 0.7):
        relative = _relative(rng, left, kind, plural)
    elif left and (noun_kind != "human" or name in OWNED):
        drawn = _noun(rng, left - 1, HUMAN, open_ended)
        if not isinstance(drawn, NounPhrase) or drawn.counted:
            raise NoFit
        owner = drawn
    elif left:
        raise NoFit
    article = some_article(rng, plural, negated, simple=not (owner or relative))
    return NounPhrase(article, name, plural, adjectives, owner, relative)


def _relative(rng: random.Random, words: int, kind: Kinds, plural: bool) -> Relative:
    """`words` include "who" or "that"."""
    if words < 2:
        raise NoFit
    if words > 2 and rng.random() < 0.5:
        size = rng.randint(1, min(words - 2, 3))
        subject = _noun(rng, size, ANIMATE, False)
        rest = words - 1 - size
        return Relative(subject, _predicate(rng, rest, kinds_of(subject), inside=True, gap=kind))
    return Relative(None, _predicate(rng, words - 1, kind, plural, inside=True))
