"""The bibliography: whatever is cited is in it, and whatever is in it is cited."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import build
import nbformat
import pytest
from pybtex.database import Entry, parse_file

ROOT = build.ROOT
ENTRIES = dict(parse_file(ROOT / "book/references.bib", "bibtex").entries)
CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")
# as docstrings cite: "Cho et al. 2014", "Och & Ney 2003", "Post 2018"
NAMED = re.compile(r"\b([A-Z]\w+)(?:,? et al\.,?| (?:&|and) ([A-Z]\w+)|) \(?((?:19|20)\d\d)\b")


def markdown() -> dict[str, str]:
    """All prose of the book, by file."""
    found = {path.name: path.read_text("utf-8") for path in (ROOT / "book").glob("*.md")}
    for path in (ROOT / "chapters").glob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        found[path.name] = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    return found


def code() -> str:
    """The package's own text, docstrings and comments in it."""
    paths = [p for kind in ("*.py", "*.js") for p in (ROOT / "src").rglob(kind)]
    return "\n".join(path.read_text("utf-8") for path in paths)


def surname(person: object) -> str:
    """Without accents and braces, as docstrings write it."""
    name = " ".join(person.prelast_names + person.last_names)  # type: ignore[attr-defined]
    plain = re.sub(r"\\\W|[{}]", "", name).replace(r"\ss", "ss")
    return unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()


def names(entry: Entry) -> tuple[list[str], str]:
    return [surname(person) for person in entry.persons["author"]], entry.fields["year"]


def in_code() -> set[str]:
    """Keys of the entries that the package cites by name and year."""
    found = {(first, year) for first, _, year in NAMED.findall(code())}
    return {key for key, entry in ENTRIES.items() if (names(entry)[0][0], names(entry)[1]) in found}


def in_prose() -> set[str]:
    texts = markdown().values()
    return {k.strip() for text in texts for keys in CITED.findall(text) for k in keys.split(",")}


def test_what_is_cited_is_listed_and_what_is_listed_is_cited():
    assert in_prose() <= set(ENTRIES)
    assert set(ENTRIES) <= in_prose() | in_code()


def test_chapters_cite_what_the_book_stands_on():
    """Not the glossary alone: a chapter says what one finds there."""
    chapters = "\n".join(text for name, text in markdown().items() if name.endswith(".ipynb"))
    cited = {k.strip() for keys in CITED.findall(chapters) for k in keys.split(",")}
    works = "sutskever2014 cho2014 bahdanau2015 luong2015 vaswani2017 alammar2018nmt "
    works += "alammar2018transformer weng2018 zarriess2021"
    assert set(works.split()) <= cited


def test_the_code_cites_nothing_that_is_not_listed():
    known = {(names(entry)[0][0], names(entry)[1]) for entry in ENTRIES.values()}
    pattern = re.compile(r"\b([A-Z]\w+)(?: et al\.| & [A-Z]\w+),? \(?((?:19|20)\d\d)\b")
    cited = set(pattern.findall(code()))
    assert len(cited) > 15
    assert cited <= known


def test_the_code_gives_the_authors_as_the_list_does():
    for first, second, year in NAMED.findall(code()):
        authors = [names(e)[0] for e in ENTRIES.values() if names(e)[1] == year]
        if second:
            assert [first, second] in authors, f"{first} & {second} {year}"


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_says_where_to_find_it(key):
    entry = ENTRIES[key]
    people, year = names(entry)
    assert people and entry.fields["title"] and re.fullmatch(r"(19|20)\d\d", year)
    assert key.startswith(people[0].lower() + year), "the key is made of first author and year"
    assert {"booktitle", "journal", "eprint", "url"} & set(entry.fields)
    if "eprint" in entry.fields:
        assert re.fullmatch(r"\d{4}\.\d{4,5}", entry.fields["eprint"])
        assert entry.fields.get("archiveprefix") == "arXiv", "else the page doesn't link it"
    if "pages" in entry.fields:
        first, _, last = entry.fields["pages"].partition("--")
        assert int(first) <= int(last or first)


def test_no_work_is_listed_twice():
    titles = [re.sub(r"\W", "", entry.fields["title"]).lower() for entry in ENTRIES.values()]
    eprints = [e.fields["eprint"] for e in ENTRIES.values() if "eprint" in e.fields]
    assert [x for x, n in Counter([*titles, *eprints]).items() if n > 1] == []
