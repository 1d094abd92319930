"""Times of day: every minute, read back by another way; and the pairs that the text gives."""

from __future__ import annotations

import re

import pytest
from num2words import num2words

from seq2seq_attention.data import clock_line, clock_text, pairs_from_text
from seq2seq_attention.data.clock import MINUTES

ENGLISH = {num2words(n): n for n in range(1, 60)}
GERMAN = {num2words(n, lang="de"): n for n in range(1, 60)} | {"ein": 1, "eine": 1}
PARTS = {
    "in the morning": ("morgens", range(5, 12)),
    "in the afternoon": ("nachmittags", range(12, 18)),
    "in the evening": ("abends", range(18, 22)),
    "at night": ("nachts", (22, 23, 0, 1, 2, 3, 4)),
}


def read_english(text):
    """Minutes after twelve, modulo twelve hours, and the part of the day."""
    hit = re.fullmatch(
        r"(?:(?P<m>[a-z-]+)(?: minutes?)? (?P<way>past|to) )?(?P<h>[a-z]+)"
        r"(?: o'clock)? (?P<part>(?:in|at) .+)",
        text,
    )
    minutes = {"quarter": 15, "half": 30, None: 0}.get(hit["m"]) or ENGLISH.get(hit["m"], 0)
    sign = -1 if hit["way"] == "to" else 1
    return (60 * ENGLISH[hit["h"]] + sign * minutes) % 720, hit["part"]


def read_german(text):
    part, time = text.split(" um ")
    hit = re.fullmatch(
        r"(?:(?P<m>[a-zA-Zßöüä]+)(?: Minuten?)? (?P<way>vor|nach) )?(?P<half>halb )?"
        r"(?P<h>[a-zöüäß]+)(?: Uhr)?",
        time,
    )
    minutes = 15 if hit["m"] == "Viertel" else GERMAN.get(hit["m"], 0)
    sign = -1 if hit["way"] == "vor" else 1
    return (60 * GERMAN[hit["h"]] - (30 if hit["half"] else 0) + sign * minutes) % 720, part


@pytest.mark.parametrize("hour", range(24))
def test_both_languages_say_the_time(hour):
    for minute in range(60):
        english, german = clock_line(hour, minute).split("\t")
        (there, part), (here, teil) = read_english(english), read_german(german)
        assert there == here == (60 * hour + minute) % 720, (english, german)
        assert PARTS[part][0] == teil and hour in PARTS[part][1]


@pytest.mark.parametrize(
    ("hour", "minute", "line"),
    [
        (0, 0, "twelve o'clock at night\tnachts um zwölf Uhr"),
        (13, 0, "one o'clock in the afternoon\tnachmittags um ein Uhr"),
        (13, 10, "ten past one in the afternoon\tnachmittags um zehn nach eins"),
        (0, 59, "one minute to one at night\tnachts um eine Minute vor eins"),
        (7, 15, "quarter past seven in the morning\tmorgens um Viertel nach sieben"),
        (14, 25, "twenty-five past two in the afternoon\tnachmittags um fünf vor halb drei"),
        (14, 30, "half past two in the afternoon\tnachmittags um halb drei"),
        (21, 35, "twenty-five to ten in the evening\tabends um fünf nach halb zehn"),
        (23, 47, "thirteen minutes to twelve at night\tnachts um dreizehn Minuten vor zwölf"),
    ],
)
def test_some_by_hand(hour, minute, line):
    assert clock_line(hour, minute) == line


def test_every_minute_is_another_pair():
    read = pairs_from_text(clock_text())
    assert len(read.pairs) == len({pair.src for pair in read.pairs}) == MINUTES
    assert not (read.repeats or read.contradictions or read.blank)


def test_the_seed_decides():
    assert clock_text(30, seed=1) == clock_text(30, seed=1) != clock_text(30, seed=2)
    assert len(clock_text(30).splitlines()) == 30


@pytest.mark.parametrize("time", [(24, 0), (-1, 0), (3, 60), (3, -1)])
def test_no_such_time(time):
    with pytest.raises(ValueError, match="0:00 to 23:59, got"):
        clock_line(*time)


@pytest.mark.parametrize("n", [0, MINUTES + 1])
def test_no_so_many(n):
    with pytest.raises(ValueError, match=f"from 1 to 1440.*got {n}"):
        clock_text(n)
