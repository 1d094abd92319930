"""Dates as people write them, in many languages, and ISO 8601; character by character.

    Donnerstag, 4. März 2021  ->  2021-03-04

What is said first is written last, so the alignment runs backwards, and a month's name becomes
two digits. The languages' rules and names come from the library Babel (Unicode's CLDR). Every
character is a token. Each field is formatted on its own and its place noted, so every gold link
is known by construction.

Ambiguous ways to write a date are left out: months in digits (03/04/2021 is April in London and
March in New York) and years of two digits. Every format here names the month in letters and gives
all digits of the year.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

from babel import Locale
from babel.dates import DateTimeFormat, tokenize_pattern

from .pairs import Pair

LOCALES = ("en_US", "en_GB", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl", "hu")
FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)  # what `date_pairs` draws from

# The language's own ways, by their name or skeleton in CLDR; then some that know no borders.
_OWN = {
    "full": "full",  # Thursday, March 4, 2021
    "long": "long",  # March 4, 2021
    "medium": "yMMMd",  # Mar 4, 2021
    "short weekday": "yMMMEd",  # Thu, Mar 4, 2021
    "short weekday, long month": "yMMMMEd",  # Thu, March 4, 2021
}
_ANYWHERE = {
    "day first": "d MMMM y",
    "two-digit day": "dd MMM y",
    "dashes": "d-MMM-y",
    "month first": "MMMM d, y",
    "year first": "y MMMM d",
    "big-endian": "y-MMM-dd",
}
# {} is what follows the number; languages that are not here say "long" instead
_ORDINAL = {
    "en": "MMMM d{}, y",  # March 1st, 2021
    "fr": "d{} MMMM y",  # 1er mars 2021
    "es": "d{} 'de' MMMM 'de' y",  # 1.º de marzo de 2021
    "it": "d{} MMMM y",  # 1º marzo 2021
    "nl": "d{} MMMM y",  # 1e maart 2021
    "pt": "d{} 'de' MMMM 'de' y",  # 1º de março de 2021
    "sv": "'den' d{} MMMM y",  # den 1:a mars 2021
}
FORMATS = (*_OWN, *_ANYWHERE, "ordinal")

Field = tuple[str, str]  # text, and what it is: "y", "M", "d", or "" for anything else


def date_pair(day: date, locale: str = "en_US", form: str = "long") -> Pair:
    """The pair for one date: characters of how it is written, characters of ISO 8601.

    Gold links: each digit of the ISO year is linked to the same digit of the source; both digits
    of the ISO month to every character of the month's name, for the name as a whole says which
    month it is; each digit of the ISO day to the same digit of the source, and where the source
    says the day in one digit, the 0 in front is linked to that digit too. ISO's hyphens, the
    weekday, points, spaces and words such as "de" have no gold link.

    Args:
        day: from year 1000 to year 9999.
        locale: one of `LOCALES`.
        form: one of `FORMATS`.

    Raises:
        TypeError: `day` is not a date.
        ValueError: the year has fewer than four digits, or `locale` or `form` is unknown.
    """
    if not isinstance(day, date):
        raise TypeError(f"a day must be a datetime.date, got {day!r}")
    if day.year < 1000:
        raise ValueError(f"the year must have four digits, got {day.year}")
    source: list[str] = []
    links: set[tuple[int, int]] = set()
    for text, field in _fields(day, locale, form):
        here = range(len(source), len(source) + len(text))
        source += text
        if field == "y":
            links |= {(t, here[t]) for t in range(4)}
        elif field == "M":
            links |= {(t, s) for t in (5, 6) for s in here}
        elif field == "d":
            links |= {(8, here[0]), (9, here[-1])}
    return Pair(tuple(source), tuple(f"{day.year}-{day:%m-%d}"), frozenset(links))


def _fields(day: date, locale: str, form: str) -> list[Field]:
    """The written date in pieces, each with the field of the date it says."""
    pattern = _pattern(locale, form)
    suffix = _suffix(day.day, locale[:2])
    pattern = pattern.replace("{}", f"'{suffix}'" if suffix else "")
    said = DateTimeFormat(day, Locale.parse(locale))
    pieces = []
    for kind, value in tokenize_pattern(pattern):
        if kind == "chars":
            pieces.append((str(value), ""))
        else:
            letter, count = value[0], int(value[1])
            field = {"L": "M"}.get(letter, letter)
            pieces.append((said[letter * count], field if field in "yMd" else ""))
    return pieces


@cache
def _pattern(locale: str, form: str) -> str:
    """CLDR's pattern, such as "EEEE, d. MMMM y"."""
    if locale not in LOCALES:
        raise ValueError(f"locale must be one of {list(LOCALES)}, got {locale!r}")
    if form not in FORMATS:
        raise ValueError(f"form must be one of {list(FORMATS)}, got {form!r}")
    if form == "ordinal" and locale[:2] in _ORDINAL:
        return _ORDINAL[locale[:2]]
    if form in _ANYWHERE:
        return _ANYWHERE[form]
    data = Locale.parse(locale)
    name = _OWN.get(form, "long")
    found = data.date_formats[name] if name in ("full", "long") else data.datetime_skeletons[name]
    return " ".join(found.pattern.split())  # CLDR has narrow spaces, too


def _suffix(day: int, language: str) -> str:
    """What follows the number of an ordinal day, as in 1st, 1er, 1º; often nothing."""
    last = 0 if day in (11, 12, 13) else day % 10
    if language == "en":
        return {1: "st", 2: "nd", 3: "rd"}.get(last, "th")
    if language == "sv":
        return ":a" if last in (1, 2) else ":e"
    if language == "nl":
        return "e"
    return {"fr": "er", "es": ".º", "it": "º", "pt": "º"}.get(language, "") if day == 1 else ""


def date_pairs(
    n: int,
    locales: Sequence[str] = LOCALES,
    forms: Sequence[str] = FORMATS,
    seed: int = 0,
) -> list[Pair]:
    """Draw `n` pairs: a day from 1900 to 2099, a locale and a form, each evenly.

    Drawn with replacement. The same day comes back written otherwise, so divide the pairs with
    `split_pairs(pairs, by="tgt")`, which keeps all that belongs to a day in one split.

    Raises:
        ValueError: `n` is negative, a locale or form is unknown, or there is none.
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    if not locales or not forms:
        raise ValueError(f"there must be a locale and a form, got {locales!r} and {forms!r}")
    rng = random.Random(seed)
    pairs = []
    for _ in range(n):
        day = FIRST + timedelta(days=rng.randrange((LAST - FIRST).days + 1))
        pairs.append(date_pair(day, rng.choice(locales), rng.choice(forms)))
    return pairs
