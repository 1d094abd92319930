"""Dates: what is written, what is ambiguous, and where each digit comes from."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from seq2seq_attention.data import date_pair, date_pairs, split_pairs
from seq2seq_attention.data.dates import FORMATS, LOCALES

DAY = date(2021, 3, 4)


def written(day: date, locale: str, form: str = "long") -> str:
    return "".join(date_pair(day, locale, form).src)


@pytest.mark.parametrize(
    ("locale", "form", "text"),
    [
        ("en_US", "full", "Thursday, March 4, 2021"),
        ("en_GB", "long", "4 March 2021"),
        ("de", "full", "Donnerstag, 4. März 2021"),
        ("fr", "long", "4 mars 2021"),
        ("es", "long", "4 de marzo de 2021"),
        ("en_US", "ordinal", "March 4th, 2021"),
        ("it", "two-digit day", "04 mar 2021"),
        ("nl", "year first", "2021 maart 4"),
    ],
)
def test_dates_are_written_as_people_do(locale, form, text):
    assert written(DAY, locale, form) == text
    assert "".join(date_pair(DAY, locale, form).tgt) == "2021-03-04"


def test_ordinals():
    days = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 22: "22nd"}
    for day, said in days.items():
        assert f"March {said}, 2021" == written(DAY.replace(day=day), "en_US", "ordinal")
    assert written(DAY.replace(day=1), "fr", "ordinal") == "1er mars 2021"


def test_no_form_leaves_a_stray_sign():
    for locale in LOCALES:
        for form in FORMATS:
            for day in (1, 2, 11, 22, 31):
                text = written(DAY.replace(day=day), locale, form)
                assert not set(text) & set("'{}"), text
                assert text == text.strip() and "  " not in text, text


def test_no_writing_stands_for_two_days():
    """Every day of five years, in every locale and form."""
    meaning: dict[str, str] = {}
    for i in range(5 * 365):
        day = date(1999, 1, 1) + timedelta(days=i)
        for locale in LOCALES:
            for form in FORMATS:
                pair = date_pair(day, locale, form)
                text, iso = "".join(pair.src), "".join(pair.tgt)
                assert meaning.setdefault(text, iso) == iso, text
    assert len(meaning) > 100_000


def test_months_are_in_letters_and_years_in_four_digits():
    for pair in date_pairs(3000, seed=1):
        text, iso = "".join(pair.src), "".join(pair.tgt)
        assert iso[:4] in text and any(c.isalpha() for c in text)
        assert date.fromisoformat(iso).isoformat() == iso


def test_gold_links_join_equal_digits_and_the_name_of_the_month():
    for pair in date_pairs(2000, seed=2):
        linked = {t: sorted(s for u, s in pair.alignment if u == t) for t in range(10)}
        for t in (0, 1, 2, 3, 9):
            assert [pair.src[s] for s in linked[t]] == [pair.tgt[t]]
        assert linked[4] == linked[7] == [], "hyphens come from nowhere"
        assert linked[5] == linked[6] and len(linked[5]) >= 3
        assert any(pair.src[s].isalpha() for s in linked[5])
        (tens,) = linked[8]
        alone = pair.tgt[8] == "0" and pair.src[tens] != "0"
        assert pair.src[tens] == pair.tgt[9 if alone else 8]


def test_all_spellings_of_a_day_are_in_one_split():
    splits = split_pairs(date_pairs(4000, seed=3), by="tgt")
    days = [{pair.tgt for pair in part} for part in splits]
    assert all(days) and not (days[0] & days[1] or days[0] & days[2] or days[1] & days[2])


def test_draws_repeat():
    assert date_pairs(50, seed=4) == date_pairs(50, seed=4) != date_pairs(50, seed=5)
    few = date_pairs(50, locales=["de"], forms=["long"])
    assert few[0] == date_pair(date.fromisoformat("".join(few[0].tgt)), "de", "long")


@pytest.mark.parametrize(
    ("go", "error", "says"),
    [
        (lambda: date_pair(DAY, "xx"), ValueError, "locale must be one of .* got 'xx'"),
        (lambda: date_pair(DAY, "de", "short"), ValueError, "form must be one of .* got 'short'"),
        (lambda: date_pair(date(999, 1, 1)), ValueError, "four digits, got 999"),
        (lambda: date_pair("2021-03-04"), TypeError, "got '2021-03-04'"),
        (lambda: date_pairs(-1), ValueError, "got -1"),
        (lambda: date_pairs(1, locales=[]), ValueError, "a locale and a form"),
        (lambda: split_pairs([], by="date"), ValueError, "got 'date'"),
    ],
)
def test_what_is_no_date_is_refused(go, error, says):
    with pytest.raises(error, match=says):
        go()
