"""English number words and their German translation, split into morphemes.

    three hundred and twenty seven thousand  ->  drei hundert sieben und zwanzig tausend

German writes units before tens ("sieben und zwanzig"), so the alignment crosses; the
translation has an exact oracle (the library num2words, in tests); and the length can be
chosen at will. Both sides are built together, so every gold link is known by construction.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from .pairs import Pair

MAX_DIGITS = 12

_ENGLISH_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_ENGLISH_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_GERMAN_UNITS = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_GERMAN_STEMS = "- - - drei vier fünf sech sieb acht neun".split()  # as in sech-zehn, sieb-zig
_SCALES = (
    (1_000_000_000, "billion", ("Milliarde", "Milliarden")),
    (1_000_000, "million", ("Million", "Millionen")),
    (1_000, "thousand", ("tausend", "tausend")),
)
_GERMAN_NOUNS = {"Million", "Millionen", "Milliarde", "Milliarden"}

Links = list[tuple[str, int | None]]  # a German morpheme and the English word it translates


def number_pair(number: int) -> Pair:
    """The pair for one number: English words, German morphemes, gold alignment.

    English follows num2words without commas and hyphens ("two thousand and one"). German
    morphemes, joined by `join_morphemes`, are what num2words says. The English "and" and
    the German "und" have no gold link: neither translates the other.

    Args:
        number: an integer from 0 to 10**12 - 1.

    Raises:
        TypeError: it is not an integer.
        ValueError: it is negative or has more than 12 digits.
    """
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"a number must be an int, got {number!r}")
    if number < 0:
        raise ValueError(f"a number must not be negative, got {number}")
    if number >= 10**MAX_DIGITS:
        raise ValueError(f"a number must have at most {MAX_DIGITS} digits, got {number}")
    english: list[str] = []
    german: Links = []
    rest = number
    for scale, word, nouns in _SCALES:
        value, rest = divmod(rest, scale)
        if value:
            _add_group(value, english, german, last_one="ein" if word == "thousand" else "eine")
            german.append((nouns[value > 1], len(english)))
            english.append(word)
    if rest or not english:
        if english and rest < 100:
            english.append("and")
        _add_group(rest, english, german, last_one="eins")
    links = {(t, s) for t, (_, s) in enumerate(german) if s is not None}
    return Pair(tuple(english), tuple(word for word, _ in german), frozenset(links))


def _add_group(value: int, english: list[str], german: Links, last_one: str) -> None:
    """Append a number below 1000 to both sides; `last_one` is the German for a bare 1."""
    hundreds, below = divmod(value, 100)
    if value == 1:
        german.append((last_one, len(english)))
        english.append("one")
        return
    if hundreds:
        german.append(("ein" if hundreds == 1 else _GERMAN_UNITS[hundreds], len(english)))
        german.append(("hundert", len(english) + 1))
        english += [_ENGLISH_SMALL[hundreds], "hundred"]
        if below:
            english.append("and")
    if below or not hundreds:
        _add_below_hundred(below, english, german)


def _add_below_hundred(value: int, english: list[str], german: Links) -> None:
    """Append a number below 100: irregular to twelve, then stem-zehn, then unit-und-tens."""
    here = len(english)
    if value <= 12:
        german.append((_GERMAN_UNITS[value], here))
        english.append(_ENGLISH_SMALL[value])
    elif value < 20:
        german += [(_GERMAN_STEMS[value - 10], here), ("zehn", here)]
        english.append(_ENGLISH_SMALL[value])
    else:
        tens, unit = divmod(value, 10)
        if unit:
            german += [("ein" if unit == 1 else _GERMAN_UNITS[unit], here + 1), ("und", None)]
        if tens == 2:
            german.append(("zwanzig", here))
        else:
            german += [(_GERMAN_STEMS[tens], here), ("ßig" if tens == 3 else "zig", here)]
        english += [_ENGLISH_TENS[tens]] + ([_ENGLISH_SMALL[unit]] if unit else [])


def join_morphemes(morphemes: Sequence[str]) -> str:
    """German spelling: everything is one word but Million and Milliarde, which stand apart.

    >>> join_morphemes(["eine", "Million", "sieben", "und", "zwanzig", "tausend"])
    'eine Million siebenundzwanzigtausend'
    """
    text = "".join(f" {m} " if m in _GERMAN_NOUNS else m for m in morphemes)
    return " ".join(text.split())


def number_pairs(n: int, max_digits: int = MAX_DIGITS, seed: int = 0) -> list[Pair]:
    """Draw `n` pairs: first the number of digits, evenly from 1 to `max_digits`, then the number.

    Half of the numbers are round, as numbers in life often are: each digit after the first is
    then 0 with probability a half. The other half are even over all numbers of their size.
    Drawn with replacement, so short numbers, of which there are few, come back often.
    `split_pairs` keeps all copies of a number in one split.

    Raises:
        ValueError: `n` is negative or `max_digits` is outside 1..12.
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    if not 1 <= max_digits <= MAX_DIGITS:
        raise ValueError(f"max_digits must be from 1 to {MAX_DIGITS}, got {max_digits}")
    rng = random.Random(seed)
    pairs = []
    for _ in range(n):
        digits = rng.randint(1, max_digits)
        number = rng.randrange(10 ** (digits - 1) if digits > 1 else 0, 10**digits)
        if rng.random() < 0.5:
            place = [10**k for k in range(digits - 1) if rng.random() < 0.5]
            number -= sum(number // ten % 10 * ten for ten in place)  # those digits become 0
        pairs.append(number_pair(number))
    return pairs
