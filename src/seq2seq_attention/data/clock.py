"""The time of day as people say it, in English and in German: a small corpus to try things on.

German names the half hour by the hour that comes: half past two is *halb drei*, and twenty-five
past two *fünf vor halb drei*. It puts the part of the day in front, English behind.
"""

from __future__ import annotations

import random

from num2words import num2words

MINUTES = 24 * 60


def clock_line(hour: int, minute: int) -> str:
    """One time of day in both languages, English and German, with a tab between them.

    Args:
        hour: from 0 to 23.
        minute: from 0 to 59.

    Raises:
        ValueError: there is no such time.
    """
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        raise ValueError(f"a time is from 0:00 to 23:59, got {hour}:{minute:02d}")
    english = f"{_english_time(hour, minute)} {_part(hour)[0]}"
    german = f"{_part(hour)[1]} um {_german_time(hour, minute)}"
    return f"{english}\t{german}"


def clock_text(n: int = MINUTES, seed: int = 0) -> str:
    """`n` different times of day in random order, one a line, as `pairs_from_text` reads them.

    Raises:
        ValueError: `n` is below 1 or above 1440.
    """
    if not 1 <= n <= MINUTES:
        raise ValueError(f"n must be from 1 to {MINUTES}, the minutes of a day, got {n}")
    times = random.Random(seed).sample(range(MINUTES), n)
    return "\n".join(clock_line(*divmod(time, 60)) for time in times)


def _part(hour: int) -> tuple[str, str]:
    if 5 <= hour < 12:
        return "in the morning", "morgens"
    if 12 <= hour < 18:
        return "in the afternoon", "nachmittags"
    return ("in the evening", "abends") if 18 <= hour < 22 else ("at night", "nachts")


def _english_time(hour: int, minute: int) -> str:
    if minute == 0:
        return f"{_hour(hour, 'en')} o'clock"
    word, name = ("past", hour) if minute <= 30 else ("to", hour + 1)
    return f"{_english_minutes(min(minute, 60 - minute))} {word} {_hour(name, 'en')}"


def _english_minutes(n: int) -> str:
    if n in (15, 30):
        return {15: "quarter", 30: "half"}[n]
    return _word(n, "en") + ("" if n % 5 == 0 else " minute" if n == 1 else " minutes")


def _german_time(hour: int, minute: int) -> str:
    if minute == 0:
        return f"{'ein' if hour % 12 == 1 else _hour(hour, 'de')} Uhr"
    if minute in (25, 30, 35):
        return {25: "fünf vor ", 30: "", 35: "fünf nach "}[minute] + f"halb {_hour(hour + 1, 'de')}"
    word, name = ("nach", hour) if minute < 30 else ("vor", hour + 1)
    return f"{_german_minutes(min(minute, 60 - minute))} {word} {_hour(name, 'de')}"


def _german_minutes(n: int) -> str:
    if n == 15:
        return "Viertel"
    if n == 1:
        return "eine Minute"
    return _word(n, "de") + ("" if n % 5 == 0 else " Minuten")


def _hour(hour: int, language: str) -> str:
    return _word((hour - 1) % 12 + 1, language)


def _word(n: int, language: str) -> str:
    word: str = num2words(n, lang=language)
    return word
