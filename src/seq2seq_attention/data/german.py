"""A tree said in German: four cases, three kinds of adjective endings, and the verb's place."""

from __future__ import annotations

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
    Key,
    Main,
    NounPhrase,
    Phrase,
    Piece,
    Place,
    Predicate,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
    piece,
)

COMMA: Piece = (",", ())
_CASES = ("nom", "acc", "dat", "gen")
_ENDINGS = {  # of "der" and "dieser" (die for -ie, das for -as), by gender; "p" is the plural
    "m": ("er", "en", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "n": ("es", "es", "em", "es"),
    "p": ("e", "e", "en", "er"),
}
_THE = {
    "m": ("der", "den", "dem", "des"),
    "f": ("die", "die", "der", "der"),
    "n": ("das", "das", "dem", "des"),
    "p": ("die", "die", "den", "der"),
}
_CONTRACTED = {"in dem": "im", "zu dem": "zum", "zu der": "zur"}


def say_german(sentence: Sentence) -> list[Piece]:
    """The words in German, each with what it says. Only commas say nothing."""
    said = _main(sentence.mains[0])
    for k, main in enumerate(sentence.mains[1:]):
        joint = sentence.joints[k]
        comma = [COMMA] if joint == "but" else []
        said += [*comma, piece(JOINTS[joint][1], (sentence, f"joint {k}")), *_main(main)]
    return _commas(said)


def _main(main: Main) -> list[Piece]:
    """The verb is second: what stands in front takes the subject's place."""
    if main.time:
        return [piece(TIME[main.time][1], (main, "time")), *_clause(main.clause, "inverted")]
    if main.before:
        return [*_subordinate(main.before), COMMA, *_clause(main.clause, "inverted")]
    after = [COMMA, *_subordinate(main.after), COMMA] if main.after else []
    return _clause(main.clause, "second") + after


def _subordinate(part: Subordinate) -> list[Piece]:
    word = piece(CONJUNCTIONS[part.conjunction][1], (part, "conjunction"))
    return [word, *_clause(part.clause, "last")]


def _clause(clause: Clause, verb: str) -> list[Piece]:
    subject = _phrase(clause.subject, "nom")
    said = _predicate(clause.predicate, clause.subject.plural, subject, verb)
    if clause.also:
        said += [piece("und", (clause, "and"))]
        said += _predicate(clause.also, clause.subject.plural, [], verb)
    return said


def _predicate(part: Predicate, plural: bool, subject: list[Piece], verb: str) -> list[Piece]:
    """All of a clause; the verb is "second", "inverted" (before the subject) or "last"."""
    entry = VERBS[part.verb]
    form, key = entry.de[plural], (part, "verb")
    rest = _middle(part)
    if verb == "last":
        said = [*subject, *rest, piece(entry.prefix + form, key)]
    else:
        finite = [piece(form, key)]
        said = [*finite, *subject, *rest] if verb == "inverted" else [*subject, *finite, *rest]
        said += [piece(entry.prefix, key)] if entry.prefix else []
    for k, clause in enumerate(part.clauses):
        joint = [piece("und", (part, "and"))] if k else [COMMA]
        said += [*joint, piece("dass", (clause, "that")), *_clause(clause, "last")]
    return said + ([COMMA] if part.clauses else [])


def _middle(part: Predicate) -> list[Piece]:
    """Pronoun, time, frequency, object, nicht, adjective, places: always in this order."""
    case, seen = VERBS[part.verb].case, part.object
    none = part.negated and isinstance(seen, NounPhrase) and seen.article == "a"
    said = _phrase(seen, case) if isinstance(seen, Pronoun) else []
    said += [piece(TIME[part.time][1], (part, "time"))] if part.time else []
    said += [piece(FREQUENCY[part.frequency][1], (part, "frequency"))] if part.frequency else []
    if seen and not isinstance(seen, Pronoun):
        said += _phrase(seen, case, negation=part if none else None)
    said += [piece("nicht", (part, "not"))] if part.negated and not none else []
    said += [piece(ADJECTIVES[part.adjective].de, (part, "adjective"))] if part.adjective else []
    for place in part.places:
        said += _place(place)
    return said


def _place(place: Place) -> list[Piece]:
    """im, zum and zur are one word, but "in dem Garten, der …" with a clause of its own."""
    entry = PREPOSITIONS[place.preposition]
    phrase = _phrase(place.phrase, entry.case)
    first, *rest = phrase
    both = _CONTRACTED.get(f"{entry.de} {first[0]}")
    if both and isinstance(place.phrase, NounPhrase) and not place.phrase.relative:
        return [(both, ((id(place), "preposition"), *first[1])), *rest]
    return [piece(entry.de, (place, "preposition")), *phrase]


def _phrase(part: Phrase, case: str, negation: Predicate | None = None) -> list[Piece]:
    if isinstance(part, Pronoun):
        return [piece(PRONOUNS[part.word][5 + _CASES.index(case)], (part, "pronoun"))]
    if isinstance(part, Both):
        und = piece("und", (part, "and"))
        return [*_phrase(part.first, case), und, *_phrase(part.second, case)]
    noun = NOUNS[part.noun]
    gender = "p" if part.plural else noun.de_gender
    article = ("k" if negation else "") + _article(part.article, gender, case)
    said = [piece(article, (part, "article"), *([(negation, "not")] if negation else []))]
    ending = _ending(part.article, gender, case)
    said += [piece(ADJECTIVES[word].stem + ending, (part, word)) for word in part.adjectives]
    said.append(piece(noun.german(case, part.plural), (part, "noun")))
    if part.owner:
        first, *rest = _phrase(part.owner, "gen")  # des says of and the
        of: tuple[Key, ...] = ((id(part), "of"),)
        said += [(first[0], of + first[1]), *rest]
    return said + (_relative(gender, part.relative) if part.relative else [])


def _article(article: str, gender: str, case: str) -> str:
    if article in COUNTS:
        return COUNTS[article][1]
    k = _CASES.index(case)
    if article == "the":
        return _THE[gender][k]
    if article == "this":
        return "dies" + _ENDINGS[gender][k]
    bare = (case == "nom" and gender in "mn") or (case == "acc" and gender == "n")
    return "ein" if bare else "ein" + _ENDINGS[gender][k]


def _ending(article: str, gender: str, case: str) -> str:
    """The adjective shows gender and case where the article doesn't; else it ends in -e or -en."""
    if article in COUNTS:  # strong
        return _ENDINGS["p"][_CASES.index(case)]
    base = case == "nom" or (case == "acc" and gender in "fn")
    if gender == "p" or not base:
        return "en"
    if article == "a":  # mixed
        return _ENDINGS[gender][_CASES.index(case)]
    return "e"  # weak


def _relative(gender: str, part: Relative) -> list[Piece]:
    """Between commas, the verb last; the pronoun's case is what its own clause needs."""
    case = VERBS[part.predicate.verb].case if part.subject else "nom"
    word = "denen" if (gender, case) == ("p", "dat") else _THE[gender][_CASES.index(case)]
    plural = part.subject.plural if part.subject else gender == "p"
    subject = [piece(word, (part, "that"))]
    subject += _phrase(part.subject, "nom") if part.subject else []
    return [COMMA, *_predicate(part.predicate, plural, subject, "last"), COMMA]


def _commas(said: list[Piece]) -> list[Piece]:
    """Where two clauses end together one comma is enough, and at the end none."""
    words: list[Piece] = []
    for word in said:
        if word[0] != "," or (words and words[-1][0] != ","):
            words.append(word)
    return words[:-1] if words[-1][0] == "," else words
