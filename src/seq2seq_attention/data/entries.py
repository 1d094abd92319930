"""What the grammar knows of a word: one class for each kind of word."""

from __future__ import annotations

from typing import NamedTuple


class Noun(NamedTuple):
    """A noun's forms. `kind` says which verbs, adjectives and prepositions it can go with."""

    en: tuple[str, str]  # singular, plural
    kind: str
    fr: tuple[str, str]
    fr_gender: str  # "m", "f"
    mute: bool  # le, la, de, que and ce change before it: a vowel or a mute h
    de: tuple[str, str]  # nominative singular and plural
    de_gender: str  # "m", "f", "n"
    genitive: str

    def german(self, case: str, plural: bool) -> str:
        """The form for a case: "nom", "acc", "dat" or "gen"."""
        if plural:
            dative = "" if self.de[1][-1] in "ns" else "n"
            return self.de[1] + (dative if case == "dat" else "")
        weak = self.de_gender == "m" and self.genitive[-1] == "n"  # der Junge, den Jungen
        return self.genitive if case == "gen" or (weak and case != "nom") else self.de[0]


class Adjective(NamedTuple):
    """An adjective. Those with `early` stand before a French noun, the others after it."""

    early: bool
    kinds: frozenset[str]
    fr: tuple[str, str, str, str, str]  # m., f., m. plural, f. plural, m. before a vowel
    de: str
    stem: str  # what German endings are put to


class Verb(NamedTuple):
    """A verb in the third person of the present, and what it needs."""

    en: tuple[str, str]  # singular, plural (which is also the form after "does")
    fr: tuple[str, str]
    de: tuple[str, str]
    prefix: str  # of a German separable verb: macht … auf
    case: str  # of the German object: "acc", "dat"; "" without object
    subjects: frozenset[str]
    objects: frozenset[str]
    needs: str  # a preposition, "that" (a clause), "be" (an adjective or a place), or ""
    places: frozenset[str]  # what else it goes with: "company", "for", "here"
    negatable: bool  # French has the subjunctive after "il ne pense pas que"


class Preposition(NamedTuple):
    """A preposition, the German case, the nouns after it and what it adds to a verb."""

    fr: tuple[str, ...]
    de: str
    case: str
    kinds: frozenset[str]
    role: str  # "company", "for", "here", or "" where a verb asks for it by name
