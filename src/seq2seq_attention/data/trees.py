"""What a sentence of the grammar says, whatever the language: one tree, three ways to say it.

`english`, `french` and `german` say a tree. `draw` makes one at random and `parse` finds the one
that an English sentence says. No part may stand twice in a tree, since words are told apart by
the part they belong to.
"""

from __future__ import annotations

from dataclasses import dataclass

from .lexicon import ADJECTIVES, COUNTS, NOUNS, VERBS

Key = tuple[int, str]  # a part of the tree and what the word does in it
Piece = tuple[str, tuple[Key, ...]]  # a word, and what it says; () where it says nothing


def piece(word: str, *said: tuple[object, str]) -> Piece:
    """A word that says these roles of these parts."""
    return word, tuple((id(part), role) for part, role in said)


@dataclass(frozen=True)
class Pronoun:
    """he, she or they."""

    word: str

    @property
    def plural(self) -> bool:
        return self.word == "they"

    @property
    def open_ended(self) -> bool:
        return False

    @property
    def feminine(self) -> bool:
        return self.word == "she"


@dataclass(frozen=True)
class NounPhrase:
    """the two adjectives noun [of an owner | that …]; an owner and a clause exclude each other.

    Attributes:
        article: "the", "a", "this", "two" or "three".
        adjectives: at most one that French puts before the noun, then one that it puts after.
    """

    article: str
    noun: str
    plural: bool = False
    adjectives: tuple[str, ...] = ()
    owner: NounPhrase | None = None
    relative: Relative | None = None

    def __post_init__(self) -> None:
        if (self.counted and not self.plural) or (self.article == "a" and self.plural):
            raise ValueError(f"{self.article!r} has the wrong number before {self.noun!r}")
        early = [ADJECTIVES[word].early for word in self.adjectives]
        if early not in ([], [True], [False], [True, False]):
            raise ValueError(f"these adjectives, in this order, aren't possible: {self.adjectives}")
        if self.owner and (self.relative or self.owner.counted):
            raise ValueError(f"{self.noun!r} can't have this owner")

    @property
    def open_ended(self) -> bool:
        """Whether it ends in a clause, which would take what follows for itself."""
        return bool(self.relative or (self.owner and self.owner.open_ended))

    @property
    def counted(self) -> bool:
        return self.article in COUNTS

    @property
    def simple(self) -> bool:
        return not (self.owner or self.relative)

    @property
    def feminine(self) -> bool:
        """In French."""
        return NOUNS[self.noun].fr_gender == "f"


@dataclass(frozen=True)
class Both:
    """The one and the other, each without owner or clause."""

    first: NounPhrase
    second: NounPhrase
    plural = True
    open_ended = False

    def __post_init__(self) -> None:
        if not (self.first.simple and self.second.simple):
            raise ValueError("nouns that are joined can't have an owner or a relative clause")

    @property
    def feminine(self) -> bool:
        return self.first.feminine and self.second.feminine


Phrase = Pronoun | NounPhrase | Both


@dataclass(frozen=True)
class Relative:
    """who sleeps; that the man sees. Without a subject the noun before is the subject."""

    subject: NounPhrase | Pronoun | None
    predicate: Predicate


@dataclass(frozen=True)
class Place:
    """A preposition and its noun."""

    preposition: str
    phrase: NounPhrase | Pronoun


@dataclass(frozen=True)
class Predicate:
    """A verb and all that follows; the object may be missing in a relative clause.

    Attributes:
        verb: its English plural, such as "see".
        frequency: "often", "always"; excludes `negated`.
        adjective: what the subject is, after "be".
        clauses: one or two that are said, thought or known.
        time: "today", "now", at the end.
    """

    verb: str
    negated: bool = False
    frequency: str | None = None
    object: Phrase | None = None
    adjective: str | None = None
    clauses: tuple[Clause, ...] = ()
    places: tuple[Place, ...] = ()
    time: str | None = None

    def __post_init__(self) -> None:
        if not self.negated:
            return
        if self.frequency or not VERBS[self.verb].negatable:
            raise ValueError(f"{self.verb!r} can't be negated here")
        seen = self.object
        if isinstance(seen, Both) or (isinstance(seen, NounPhrase) and seen.counted):
            raise ValueError('after "not" an object can be neither counted nor joined')
        if isinstance(seen, NounPhrase) and seen.article == "a" and not seen.simple:
            raise ValueError('after "not … a" a noun can\'t have an owner or a relative clause')

    @property
    def open_ended(self) -> bool:
        """Whether it ends in a clause."""
        last: Phrase | None = self.places[-1].phrase if self.places else self.object
        return self.time is None and bool(self.clauses or (last and last.open_ended))


@dataclass(frozen=True)
class Clause:
    """A subject and what it does; `also` is a second thing it does."""

    subject: Phrase
    predicate: Predicate
    also: Predicate | None = None


@dataclass(frozen=True)
class Subordinate:
    """because, when, if or while, and a clause."""

    conjunction: str
    clause: Clause


@dataclass(frozen=True)
class Main:
    """A main clause with at most one of: a time in front, a subordinate clause before or after."""

    clause: Clause
    time: str | None = None
    before: Subordinate | None = None
    after: Subordinate | None = None


@dataclass(frozen=True)
class Sentence:
    """Main clauses; `joints` stand between them: "and", "but"."""

    mains: tuple[Main, ...]
    joints: tuple[str, ...] = ()
