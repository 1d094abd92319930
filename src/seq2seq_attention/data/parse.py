"""The tree that an English sentence says: a recursive-descent parser, which never goes back."""

from __future__ import annotations

from collections.abc import Container, Sequence

from .english import say_english
from .lexicon import (
    ADJECTIVES,
    CONJUNCTIONS,
    COUNTS,
    FREQUENCY,
    JOINTS,
    NOUNS,
    PREPOSITIONS,
    PRONOUNS,
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

_NOUN_FORMS = {form: (key, bool(k)) for key, n in NOUNS.items() for k, form in enumerate(n.en)}
_VERB_FORMS = {form: key for key, verb in VERBS.items() for form in verb.en}
_SUBJECTS = {forms[0]: word for word, forms in PRONOUNS.items()}
_OBJECTS = {forms[1]: word for word, forms in PRONOUNS.items()}
_ARTICLES = {"a": "a", "an": "a", "the": "the", "this": "this", "these": "this"} | {
    word: word for word in COUNTS
}
_STARTS_PREDICATE = {*_VERB_FORMS, *FREQUENCY, "do", "does"}


def parse(words: Sequence[str]) -> Sentence:
    """The tree that an English sentence of the grammar says.

    What could belong to two parts belongs to the inner one. A tree counts only if it is said
    exactly as the words are, so wrong agreement ("he sleep", "a apple") is found.

    Raises:
        ValueError: the words are not a sentence of the grammar.
    """
    parser = _Parser(words)
    sentence = parser.sentence()
    said = [word for word, _ in say_english(sentence)]
    for k, (word, right) in enumerate(zip(words, said, strict=False)):
        if word != right:
            raise ValueError(f"word {k + 1} should be {right!r}, got {word!r}")
    if len(said) != len(words):
        raise ValueError(f"the grammar says this as {' '.join(said)!r}")
    return sentence


class _Parser:
    """Reads from left to right and never goes back: the next one or two words always decide."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.place = 0

    def next(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.words[place] if place < len(self.words) else ""

    def take(self, known: Container[str], wanted: str) -> str:
        """The next word, which must be one of `known`."""
        word = self.next()
        if not word or word not in known:
            found = f"got {word!r}" if word else "the sentence ends"
            raise ValueError(f"word {self.place + 1} should be {wanted}, {found}")
        self.place += 1
        return word

    def skip(self, known: Container[str]) -> str | None:
        """The next word if it is one of `known`, else None."""
        return self.take(known, "") if self.next() and self.next() in known else None

    def sentence(self) -> Sentence:
        mains, joints = [self.main()], []
        while self.skip([","]):
            joints.append(self.take(JOINTS, "and or but"))
            mains.append(self.main())
        if self.next():
            raise ValueError(f"word {self.place + 1}, {self.next()!r}, does not fit here")
        return Sentence(tuple(mains), tuple(joints))

    def main(self) -> Main:
        time, before = self.skip(TIME), None
        if self.next() in CONJUNCTIONS and not time:
            before = self.subordinate()
            self.take([","], "a comma")
        clause = self.clause(joined=not (time or before))
        alone = not (time or before) and self.next() in CONJUNCTIONS
        return Main(clause, time, before, self.subordinate() if alone else None)

    def subordinate(self) -> Subordinate:
        return Subordinate(self.take(CONJUNCTIONS, "a conjunction"), self.clause())

    def clause(self, joined: bool = False) -> Clause:
        subject = self.phrase(_SUBJECTS, joined=True)
        predicate, also = self.predicate(), None
        if joined and not predicate.open_ended and self.next(1) in _STARTS_PREDICATE:
            also = self.predicate() if self.skip(["and"]) else None
        return Clause(subject, predicate, also)

    def phrase(self, pronouns: dict[str, str], joined: bool = False) -> Phrase:
        first = self.one(pronouns)
        joinable = joined and self.next(1) in _ARTICLES
        if joinable and isinstance(first, NounPhrase) and first.simple and self.skip(["and"]):
            return Both(first, self.noun_phrase())
        return first

    def one(self, pronouns: dict[str, str]) -> NounPhrase | Pronoun:
        if self.next() in pronouns:
            return Pronoun(pronouns[self.take(pronouns, "a pronoun")])
        return self.noun_phrase()

    def noun_phrase(self) -> NounPhrase:
        article = _ARTICLES[self.take(_ARTICLES, "an article or pronoun")]
        adjectives: tuple[str, ...] = ()
        while self.next() in ADJECTIVES:
            adjectives += (self.take(ADJECTIVES, "an adjective"),)
        noun, plural = _NOUN_FORMS[self.take(_NOUN_FORMS, "a noun")]
        owner = self.noun_phrase() if self.skip(["of"]) else None
        relative = None
        if owner is None and self.skip(["who", "that"]):
            starts = self.next() in _STARTS_PREDICATE
            subject = None if starts else self.one(_SUBJECTS)
            relative = Relative(subject, self.predicate(inside=True, gap=subject is not None))
        return NounPhrase(article, noun, plural, adjectives, owner, relative)

    def predicate(self, inside: bool = False, gap: bool = False) -> Predicate:
        """`inside` a relative clause nothing is joined; with a `gap` the object is missing."""
        negated = bool(self.skip(["do", "does"])) and bool(self.take(["not"], "not"))
        frequency = None if negated else self.skip(FREQUENCY)
        verb = _VERB_FORMS[self.take(_VERB_FORMS, "a verb")]
        if verb == "are":
            negated = bool(self.skip(["not"]))
            frequency = None if negated else self.skip(FREQUENCY)
        entry = VERBS[verb]
        seen = self.phrase(_OBJECTS, joined=not inside) if entry.case and not gap else None
        if (gap and not entry.case) or (inside and entry.needs == "that"):
            raise ValueError(f"{verb!r} can't be the verb of this relative clause")
        adjective = self.skip(ADJECTIVES) if verb == "are" else None
        clauses = self.clauses() if entry.needs == "that" else ()
        closed = bool(adjective or clauses or (seen and seen.open_ended))
        places = self.places(entry.needs, closed)
        if verb == "are" and not (adjective or places):
            self.take(ADJECTIVES, "an adjective or a place")
        time = self.skip(TIME)
        return Predicate(verb, negated, frequency, seen, adjective, clauses, places, time)

    def clauses(self) -> tuple[Clause, ...]:
        found: tuple[Clause, ...] = ()
        while not found or (len(found) < 2 and self.next() == "and" and self.next(1) == "that"):
            self.skip(["and"])
            self.take(["that"], "that")
            found += (self.clause(),)
        return found

    def places(self, needs: str, closed: bool) -> tuple[Place, ...]:
        found: tuple[Place, ...] = ()
        while not closed and self.next() in PREPOSITIONS:
            preposition = self.take(PREPOSITIONS, "a preposition")
            phrase = self.one(_OBJECTS)
            found += (Place(preposition, phrase),)
            closed = phrase.open_ended
        if needs in PREPOSITIONS and needs not in [place.preposition for place in found]:
            self.take([needs], needs)
        return found
