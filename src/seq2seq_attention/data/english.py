"""A tree said in English."""

from __future__ import annotations

from .lexicon import (
    NOUNS,
    PRONOUNS,
    VERBS,
)
from .trees import (
    Both,
    Clause,
    Main,
    NounPhrase,
    Phrase,
    Piece,
    Predicate,
    Pronoun,
    Relative,
    Sentence,
    Subordinate,
    piece,
)

COMMA: Piece = (",", ())


def say_english(sentence: Sentence) -> list[Piece]:
    """The words in English, each with what it says. "does" and commas say nothing."""
    said = _main(sentence.mains[0])
    for k, main in enumerate(sentence.mains[1:]):
        said += [COMMA, piece(sentence.joints[k], (sentence, f"joint {k}")), *_main(main)]
    return said


def _main(main: Main) -> list[Piece]:
    front = [piece(main.time, (main, "time"))] if main.time else []
    if main.before:
        front = [*_subordinate(main.before), COMMA]
    after = _subordinate(main.after) if main.after else []
    return front + _clause(main.clause) + after


def _subordinate(part: Subordinate) -> list[Piece]:
    return [piece(part.conjunction, (part, "conjunction")), *_clause(part.clause)]


def _clause(clause: Clause) -> list[Piece]:
    plural = clause.subject.plural
    said = _phrase(clause.subject) + _predicate(clause.predicate, plural)
    if clause.also:
        said += [piece("and", (clause, "and")), *_predicate(clause.also, plural)]
    return said


def _predicate(part: Predicate, plural: bool) -> list[Piece]:
    verb = piece(VERBS[part.verb].en[plural], (part, "verb"))
    said = [verb]
    if part.negated and part.verb == "are":
        said = [verb, piece("not", (part, "not"))]
    elif part.negated:
        auxiliary = piece("do" if plural else "does")
        said = [auxiliary, piece("not", (part, "not")), piece(part.verb, (part, "verb"))]
    elif part.frequency:
        often = piece(part.frequency, (part, "frequency"))
        said = [verb, often] if part.verb == "are" else [often, verb]
    if part.object:
        said += _phrase(part.object, is_object=True)
    if part.adjective:
        said.append(piece(part.adjective, (part, "adjective")))
    for k, clause in enumerate(part.clauses):
        joint = [piece("and", (part, "and"))] if k else []
        said += [*joint, piece("that", (clause, "that")), *_clause(clause)]
    for place in part.places:
        said += [piece(place.preposition, (place, "preposition"))]
        said += _phrase(place.phrase, is_object=True)
    return said + ([piece(part.time, (part, "time"))] if part.time else [])


def _phrase(part: Phrase, is_object: bool = False) -> list[Piece]:
    if isinstance(part, Pronoun):
        return [piece(PRONOUNS[part.word][is_object], (part, "pronoun"))]
    if isinstance(part, Both):
        return [*_phrase(part.first), piece("and", (part, "and")), *_phrase(part.second)]
    noun = NOUNS[part.noun]
    words = [piece(word, (part, word)) for word in part.adjectives]
    words.append(piece(noun.en[part.plural], (part, "noun")))
    article = "these" if part.article == "this" and part.plural else part.article
    if article == "a" and words[0][0][0] in "aeiou":
        article = "an"
    words.insert(0, piece(article, (part, "article")))
    if part.owner:
        words += [piece("of", (part, "of")), *_phrase(part.owner)]
    if part.relative:
        words += _relative(part, part.relative)
    return words


def _relative(head: NounPhrase, part: Relative) -> list[Piece]:
    if part.subject is None:
        word = "who" if NOUNS[head.noun].kind == "human" else "that"
        return [piece(word, (part, "that")), *_predicate(part.predicate, head.plural)]
    said = [piece("that", (part, "that")), *_phrase(part.subject)]
    return said + _predicate(part.predicate, part.subject.plural)
