"""A tree said in French.

An elided word is a word of its own: l' homme, n' aime, qu' il. Elision and contraction look only
at the words that stand next to each other, so they are done last, on the whole sentence.
"""

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
_ARTICLES = {
    "the": ("le", "la", "les"),
    "a": ("un", "une", ""),
    "this": ("ce", "cette", "ces"),
}
_CONTRACTED = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}
_MUTE = {form for noun in NOUNS.values() if noun.mute for form in noun.fr}
_ASPIRATED = {form for noun in NOUNS.values() if not noun.mute for form in noun.fr}


def say_french(sentence: Sentence) -> list[Piece]:
    """The words in French, each with what it says. Only commas say nothing."""
    said = _main(sentence.mains[0])
    for k, main in enumerate(sentence.mains[1:]):
        joint = sentence.joints[k]
        comma = [COMMA] if joint == "but" else []
        said += [*comma, piece(JOINTS[joint][0], (sentence, f"joint {k}")), *_main(main)]
    return _contract(_elide(said))


def _main(main: Main) -> list[Piece]:
    front = [piece(TIME[main.time][0], (main, "time"))] if main.time else []
    if main.before:
        front = [*_subordinate(main.before), COMMA]
    after = _subordinate(main.after) if main.after else []
    return front + _clause(main.clause) + after


def _subordinate(part: Subordinate) -> list[Piece]:
    words = [piece(word, (part, "conjunction")) for word in CONJUNCTIONS[part.conjunction][0]]
    return words + _clause(part.clause)


def _clause(clause: Clause) -> list[Piece]:
    said = _phrase(clause.subject) + _predicate(clause.predicate, clause.subject)
    if clause.also:
        said += [piece("et", (clause, "and")), *_predicate(clause.also, clause.subject)]
    return said


def _predicate(part: Predicate, subject: Phrase) -> list[Piece]:
    """The verb between ne and pas, a pronoun before it, all else after it."""
    said = [piece(VERBS[part.verb].fr[subject.plural], (part, "verb"))]
    if isinstance(part.object, Pronoun):
        said.insert(0, piece(PRONOUNS[part.object.word][3], (part.object, "pronoun")))
    if part.negated:
        said = [piece("ne", (part, "not")), *said, piece("pas", (part, "not"))]
    if part.frequency:
        said.append(piece(FREQUENCY[part.frequency][0], (part, "frequency")))
    if part.object and not isinstance(part.object, Pronoun):
        said += _phrase(part.object, negated=part.negated)
    if part.adjective:
        form = ADJECTIVES[part.adjective].fr[subject.feminine + 2 * subject.plural]
        said.append(piece(form, (part, "adjective")))
    for k, clause in enumerate(part.clauses):
        joint = [piece("et", (part, "and"))] if k else []
        said += [*joint, piece("que", (clause, "that")), *_clause(clause)]
    for place in part.places:
        said += [piece(w, (place, "preposition")) for w in PREPOSITIONS[place.preposition].fr]
        said += _phrase(place.phrase, pronoun=4)
    return said + ([piece(TIME[part.time][0], (part, "time"))] if part.time else [])


def _phrase(part: Phrase, negated: bool = False, pronoun: int = 2) -> list[Piece]:
    """A noun or pronoun; un and une are de where the verb is negated."""
    if isinstance(part, Pronoun):
        return [piece(PRONOUNS[part.word][pronoun], (part, "pronoun"))]
    if isinstance(part, Both):
        return [*_phrase(part.first), piece("et", (part, "and")), *_phrase(part.second)]
    noun = NOUNS[part.noun]
    words = [piece(noun.fr[part.plural], (part, "noun"))]
    for word in reversed(part.adjectives):
        adjective = ADJECTIVES[word]
        form = adjective.fr[part.feminine + 2 * part.plural]
        if adjective.early and noun.mute and not part.plural and not part.feminine:
            form = adjective.fr[4]
        words.insert(0 if adjective.early else 1, piece(form, (part, word)))
    article = _article(part, words[0][0])
    said = [piece("de" if negated and part.article == "a" else article, (part, "article")), *words]
    if part.owner:
        said += [piece("de", (part, "of")), *_phrase(part.owner)]
    return said + (_relative(part, part.relative) if part.relative else [])


def _article(part: NounPhrase, next_word: str) -> str:
    if part.article in COUNTS:
        return COUNTS[part.article][0]
    article = _ARTICLES[part.article][2 if part.plural else part.feminine]
    return "cet" if article == "ce" and starts_mute(next_word) else article


def _relative(head: NounPhrase, part: Relative) -> list[Piece]:
    if part.subject is None:
        return [piece("qui", (part, "that")), *_predicate(part.predicate, head)]
    said = [piece("que", (part, "that")), *_phrase(part.subject)]
    return said + _predicate(part.predicate, part.subject)


def starts_mute(word: str) -> bool:
    """Whether le, de, que … are elided before the word: a vowel or a mute h."""
    return word in _MUTE or (word[0] in "aeiouâàéèêîôûœh" and word not in _ASPIRATED)


def _elide(said: list[Piece]) -> list[Piece]:
    """le, la, ne, de, que before a vowel or mute h; si before il and ils."""
    words = list(said)
    for k, (word, roles) in enumerate(said[:-1]):
        following = said[k + 1][0]
        elided = word in ("le", "la", "ne", "de", "que") and starts_mute(following)
        if elided or (word == "si" and following in ("il", "ils")):
            words[k] = (word[:-1] + "'", roles)
    return words


def _contract(said: list[Piece]) -> list[Piece]:
    """de le, de les, à le, à les are one word, which says what both say."""
    words: list[Piece] = []
    for word, roles in said:
        one = _CONTRACTED.get(f"{words[-1][0]} {word}") if words else None
        if one:
            words[-1] = (one, words[-1][1] + roles)
        else:
            words.append((word, roles))
    return words
