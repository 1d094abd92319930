"""Writes the tables of words in oracle.js and oracle_grammar.js, from the data that models see.

    python -m seq2seq_attention.widgets.oracle_tables

A table stands between two comments. tests/test_oracle_js.py writes the tables again and compares.
"""

from __future__ import annotations

import json
import re

from babel import Locale

from ..data.dates import LOCALES
from .bundle import HERE

Names = list[str]


def date_table() -> str:
    """Names of months and weekdays in all languages of the data, as JavaScript.

    Small letters, without a point; one string of names for each month and for each weekday.

    Raises:
        ValueError: a name means two months or two weekdays.
    """
    months = _names("months", range(1, 13))
    days = _names("days", range(7))
    return f"const MONTH_NAMES = {_lines(months)};\nconst DAY_NAMES = {_lines(days)};\n"


def _names(kind: str, keys: range) -> Names:
    """For each key all names of the month or weekday; in "segunda-feira" the first word counts."""
    found: dict[int, set[str]] = {key: set() for key in keys}
    for locale in LOCALES:
        widths = getattr(Locale.parse(locale), kind)["format"]
        for width in ("abbreviated", "wide"):
            for key in keys:
                found[key].add(widths[width][key].lower().rstrip(".").split("-")[0])
    every = [name for names in found.values() for name in names]
    twice = sorted({name for name in every if every.count(name) > 1})
    if twice:
        raise ValueError(f"these {kind} have two meanings: {twice}")
    return [" ".join(sorted(found[key])) for key in keys]


def _lines(names: Names) -> str:
    rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in names)
    return f"[\n{rows},\n]"


TABLES = {"oracle.js": ("dates", date_table)}


def with_table(text: str, name: str, table: str) -> str:
    """`text` with the table between its comments replaced.

    Raises:
        ValueError: there is not exactly one place for it.
    """
    place = re.compile(
        rf"(?<=^// written by oracle_tables\.py: {name}\n).*?(?=^// end\n)", re.M | re.S
    )
    new, count = place.subn(lambda _: table, text)
    if count != 1:
        raise ValueError(f"there are {count} places for the table {name!r}, not one")
    return new


def main() -> None:
    """Write all tables."""
    for file, (name, table) in TABLES.items():
        path = HERE / file
        path.write_text(with_table(path.read_text("utf-8"), name, table()), "utf-8")


if __name__ == "__main__":
    main()
