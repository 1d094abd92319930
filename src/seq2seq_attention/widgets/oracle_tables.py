"""Writes the tables of words in oracle.js and oracle_grammar.js, from the data that models see.

    python -m seq2seq_attention.widgets.oracle_tables

A table stands between two comments. tests/test_oracle_js.py writes the tables again and compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from babel import Locale

from ..data.dates import LOCALES
from ..data.lexicon import (
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


def grammar_table() -> str:
    """The lexicon as JavaScript: a row of forms for each word, "-" for an empty cell.

    A 1 says that a noun is human or mute, an adjective early, a verb negatable.
    """
    nouns = [
        (*n.en, n.kind == "human", n.fr_gender, *n.fr, n.mute, n.de_gender, *n.de, n.genitive)
        for n in NOUNS.values()
    ]
    adjectives = [(word, a.early, *a.fr, a.de, a.stem) for word, a in ADJECTIVES.items()]
    verbs = [(*v.en, *v.fr, *v.de, v.prefix, v.case, v.needs, v.negatable) for v in VERBS.values()]
    words = {
        "frequency": FREQUENCY,
        "time": TIME,
        "conjunctions": CONJUNCTIONS,
        "joints": JOINTS,
        "counts": COUNTS,
        "pronouns": PRONOUNS,
        "prepositions": {word: (p.fr, p.de, p.case) for word, p in PREPOSITIONS.items()},
    }
    rows = ",\n".join(f"  {k}: {json.dumps(v, ensure_ascii=False)}" for k, v in words.items())
    return (
        f"const NOUN_ROWS = `\n{_cells(nouns)}`;\n"
        f"const ADJECTIVE_ROWS = `\n{_cells(adjectives)}`;\n"
        f"const VERB_ROWS = `\n{_cells(verbs)}`;\n"
        f"const GRAMMAR_WORDS = {{\n{rows},\n}};\n"
    )


def _cells(rows: Sequence[tuple[str | bool, ...]]) -> str:
    """A line for each row, its cells divided by spaces."""
    cells = [
        [str(int(cell)) if isinstance(cell, bool) else cell or "-" for cell in r] for r in rows
    ]
    return "".join(" ".join(row) + "\n" for row in cells)


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "oracle.js": ("dates", date_table),
    "oracle_grammar.js": ("grammar", grammar_table),
}


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
