"""The page of all claims and the stamps: what they say is what was recorded."""

from __future__ import annotations

import json

import book_ledger
import build
import pytest
from bs4 import BeautifulSoup

RECORD = {
    "chapter": "chapters/01_one",
    "statement": "It holds.",
    "value": 0.98765,
    "threshold": 0.95,
    "seeds": 5,
    "holds": True,
    "time": "2026-12-02T18:00:00+00:00",
    "torch": "2.13.0+cpu",
    "python": "3.11.7",
    "machine": "x86_64",
    "cores": 2,
}


def test_claims_of_this_build_stand_before_those_of_the_cache(tmp_path):
    assert book_ledger.records(tmp_path, "chapters/01_one") == []
    (tmp_path / "01_one.jsonl").write_text(json.dumps(RECORD) + "\n", "utf-8")
    assert book_ledger.records(tmp_path, "chapters/01_one") == [RECORD]
    newer = [RECORD | {"value": 1.0}, RECORD]
    text = "".join(json.dumps(record) + "\n" for record in newer)
    (tmp_path / "01_one.jsonl.new").write_text(text, "utf-8")
    assert book_ledger.records(tmp_path, "chapters/01_one") == newer


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), (0.98765, "0.988"), (0.0, "0"), (3.2e-7, "3.2e-07"), (1234.5, "1234"),
        (34.05, "34"), (1e12, "1.0e+12"), (-0.5, "-0.5"),
    ],
)  # fmt: skip
def test_numbers_are_short(value, text):
    assert book_ledger.number(value) == text


def test_a_stamp_says_when_with_what_and_on_what():
    many = book_ledger.stamp_text([RECORD, RECORD], 41.6)
    assert many == (
        "Executed on 2 December 2026 in 42 s with Python 3.11.7 and PyTorch 2.13.0+cpu "
        "on 2 cores (x86_64); 2 claims held."
    )
    one = book_ledger.stamp_text([RECORD | {"cores": 1}], None)
    assert "on 1 core (" in one and one.endswith("; 1 claim held.") and " in " not in one[:30]


# --- of the built book


def recorded() -> dict[str, list[dict]]:
    pages = sorted(build.chapters())
    return {page: book_ledger.records(build.BUILD / "claims", page) for page in pages}


@pytest.mark.book
def test_the_page_lists_every_claim():
    soup = BeautifulSoup((build.HTML / "book/claims.html").read_text("utf-8"), "html.parser")
    rows = [
        [cell.get_text(strip=True) for cell in row.select("td")]
        for row in soup.select("table.claims tbody tr")
    ]
    number = book_ledger.number
    wanted = [
        [one["statement"], number(one["value"]), number(one["threshold"]), str(one["seeds"])]
        for records in recorded().values()
        for one in records
    ]
    # typography: Sphinx may make quotes and dots of its own
    assert [row[1:] for row in rows] == [row[1:] for row in wanted]
    assert len({row[0] for row in rows}) == len({row[0] for row in wanted})


@pytest.mark.book
def test_claims_json_has_every_claim_and_all_hold():
    stored = json.loads((build.HTML / "claims.json").read_text("utf-8"))
    every = [one for records in recorded().values() for one in records]
    assert stored == [{key: one[key] for key in book_ledger.FIELDS} for one in every]
    assert len(stored) > 50 and all(one["holds"] is True for one in stored)
    assert all(set(one) == set(book_ledger.FIELDS) for one in stored)


@pytest.mark.book
@pytest.mark.parametrize("page", sorted(build.chapters()))
def test_each_chapter_has_its_stamp(page):
    soup = BeautifulSoup((build.HTML / f"{page}.html").read_text("utf-8"), "html.parser")
    (stamp,) = soup.select("article p.verified")
    found = recorded()[page]
    seconds = build.seconds()[page]
    assert stamp.get_text().startswith(book_ledger.stamp_text(found, seconds))
    assert stamp.find_previous("h1") and stamp.select_one("a[href$='claims.html']")
