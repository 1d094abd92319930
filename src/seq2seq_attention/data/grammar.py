"""English sentences and their French or German translation, from a grammar of our own.

    the queen does not read this old book  ->  la reine ne lit pas ce vieux livre
    the queen does not read this old book  ->  die Königin liest dieses alte Buch nicht

One tree is said in each language, so the translation is right by construction, and so is the
alignment: two words are linked if they say the same part of the tree. The English sentence
determines the tree (`parse` finds it), hence the translation: there is one right answer.

There is only the present tense, so "if" and "when" are both wenn, as German has it. English says
nothing of the sex of "they", who may be anywhere in a longer story: French has ils, always.

Tokens are words and commas. French elided words stand alone: l' homme, n' aime, qu' il. A German
verb and its prefix are two tokens where they stand apart: macht … auf.

Gold links: every target word but a comma has at least one. ne and pas both belong to "not", kein
to "not" and "a", du to "of" and "the", im to "in" and "the", a German genitive article to "of" and
its own article, both parts of a separable verb to the verb, parce and que to "because". "does",
"do" and commas have no link.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from .draw import draw_sentence
from .english import say_english
from .french import say_french
from .german import say_german
from .pairs import Pair
from .parse import parse
from .trees import Piece, Sentence

MIN_WORDS, MAX_WORDS = 3, 40
LANGUAGES: dict[str, Callable[[Sentence], list[Piece]]] = {"fr": say_french, "de": say_german}


def grammar_pairs(n: int, language: str = "fr", max_words: int = 20, seed: int = 0) -> list[Pair]:
    """Draw `n` pairs: first the number of English words, evenly from 3, then the sentence.

    Commas count as words. The English sentences of a seed are the same for every language. Drawn
    with replacement, so short sentences come back now and then; `split_pairs` keeps all copies of
    a sentence in one split.

    Args:
        n: at least 1.
        language: "fr" or "de".
        max_words: the longest English sentence, from 3 to 40.

    Raises:
        ValueError: an argument is outside its range.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    _check_language(language)
    if not MIN_WORDS <= max_words <= MAX_WORDS:
        raise ValueError(f"max_words must be from {MIN_WORDS} to {MAX_WORDS}, got {max_words}")
    rng = random.Random(seed)
    return [grammar_pair(rng, rng.randint(MIN_WORDS, max_words), language) for _ in range(n)]


def grammar_pair(rng: random.Random, words: int, language: str = "fr") -> Pair:
    """One pair whose English sentence has exactly `words` tokens.

    Raises:
        ValueError: `words` is not from 3 to 40, or the language is unknown.
    """
    _check_language(language)
    if not MIN_WORDS <= words <= MAX_WORDS:
        raise ValueError(f"words must be from {MIN_WORDS} to {MAX_WORDS}, got {words}")
    return _pair(draw_sentence(rng, words), language)


def grammar_target(src: Sequence[str], language: str = "fr") -> Pair:
    """The oracle: an English sentence, its translation and the gold links.

    Any sentence of the grammar will do, also one that makes no sense ("the table sings") and one
    longer than `grammar_pairs` draws.

    Raises:
        TypeError: `src` is one string.
        ValueError: the sentence is not in the grammar (which word does not fit, and what would),
            or the language is unknown.
    """
    _check_language(language)
    if isinstance(src, str | bytes):
        raise TypeError(f"src must be a sequence of words, got one string {src!r}")
    return _pair(parse(src), language)


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {list(LANGUAGES)}, got {language!r}")


def _pair(sentence: Sentence, language: str) -> Pair:
    """Link the words that say the same part of the tree."""
    english, target = say_english(sentence), LANGUAGES[language](sentence)
    place = {role: s for s, (_, roles) in enumerate(english) for role in roles}
    links = {(t, place[role]) for t, (_, roles) in enumerate(target) for role in roles}
    src, tgt = (tuple(word for word, _ in said) for said in (english, target))
    return Pair(src, tgt, frozenset(links))
