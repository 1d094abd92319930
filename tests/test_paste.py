"""Pasted pairs: what is read, what is refused, how it is told; the page splits words alike."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import unicodedata
from pathlib import Path

import playwright
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_attention.data import Pair, clock_text, pairs_from_text
from seq2seq_attention.data.paste import tokenize, word_tokens
from seq2seq_attention.vocab import EOS, PAD, SOS, UNK

NODE = shutil.which("node") or str(Path(playwright.__file__).parent / "driver" / "node")
CLI = Path(__file__).parent / "js" / "paste_cli.mjs"


def read(text, **options):
    return pairs_from_text(text, **{"least": 1, **options})


def test_tab_and_arrows():
    told = read("a b\tx y\nc -> z\nd  →  w w\n3 - 4\t-> 5")
    assert told.pairs == [
        Pair(("a", "b"), ("x", "y")),
        Pair(("c",), ("z",)),
        Pair(("d",), ("w", "w")),
        Pair(("3", "-", "4"), ("-", ">", "5")),  # a tab goes before an arrow
    ]
    assert told.lines == [1, 2, 3, 4]
    assert read("a->b\tc").pairs == [Pair(("a", "-", ">", "b"), ("c",))]  # an arrow has blanks


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_the_byte_order_mark(end):
    told = read("\ufeff" + end.join(["a\tb", "", "c\u2028d\te", "  ", "f\tg"]) + end + end)
    assert [pair.src for pair in told.pairs] == [("a",), ("c", "d"), ("f",)]
    assert (told.lines, told.blank) == ([1, 3, 5], [2, 4])


def test_text_is_composed_and_keeps_its_case():
    told = read("e\u0301te\u0301 -> Sommer")
    assert told.pairs == [Pair(("\u00e9t\u00e9",), ("Sommer",))]
    chars = read("e\u0301  A \t x", level="char").pairs[0]
    assert chars == Pair(("\u00e9", " ", "A"), ("x",))


def test_levels():
    text = "MCM -> nineteen hundred"
    assert read(text, level=("char", "word")).pairs == [
        Pair(("M", "C", "M"), ("nineteen", "hundred"))
    ]
    assert read(text, level=("word", "char")).pairs[0].tgt == tuple("nineteen hundred")
    for level in ("words", ("char",), ("char", "line"), ("word",) * 3):
        with pytest.raises(ValueError, match='"word", "char" or two of them, got'):
            read(text, level=level)


def test_more_columns():
    text = "1\tHallo\tHello\tCC-BY\n2\tWelt\tWorld\tCC-BY"
    with pytest.raises(ValueError, match=r"line 1: .* has 4 columns, expected 2; say which with"):
        read(text)
    assert read(text, columns=(2, 1)).pairs[1] == Pair(("World",), ("Welt",))
    with pytest.raises(ValueError, match=r"4 columns, expected at least 6"):
        read(text, columns=(0, 5))
    for columns in ((1, 1), (-1, 0), (0, 1, 2)):
        with pytest.raises(ValueError, match="two different places from 0"):
            read(text, columns=columns)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("half past two", "'half past two' has neither a tab nor an arrow"),
        ("a -> b -> c", "has 3 columns, expected 2$"),
        ("a\t", "has an empty target"),
        (" \tb", "has an empty source"),
        ("-> b", "has an empty source"),
        ("a ->", "has an empty target"),
        ("a\t\u200b", "has an empty target"),
        ("a\ufffd\tb", "U\\+FFFD"),
        ("x" * 500, "…' has neither a tab"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, why):
    with pytest.raises(ValueError, match=f"(?m)line 3: .*{why}") as error:
        read(f"good\tgut\n\n{line}\nday\tTag")
    assert str(error.value).startswith("1 line can't be read")
    assert max(map(len, str(error.value).splitlines())) < 160


def test_all_wrong_lines_are_counted():
    with pytest.raises(ValueError, match="7 lines can't be read") as error:
        read("\n".join(["wrong"] * 7 + ["a\tb"]))
    assert "line 5:" in str(error.value) and "line 6:" not in str(error.value)
    assert str(error.value).endswith("and 2 lines more")


def test_too_few():
    text = clock_text(199)
    with pytest.raises(ValueError, match="there are 199 pairs, and 200 are the least"):
        pairs_from_text(text)
    assert len(pairs_from_text(text, least=199).pairs) == 199
    assert len(pairs_from_text(clock_text(200)).pairs) == 200
    for empty in ("", "\n \n"):
        with pytest.raises(ValueError, match="no pair in the text"):
            read(empty)
    with pytest.raises(TypeError, match="bytes; decode"):
        pairs_from_text(b"a\tb")


def test_repeats_and_contradictions_are_kept_and_listed():
    told = read("a\tb\nc\td\n\na  ->  b\na\tx\nc\td\na\tx\na\tb")
    assert len(told.pairs) == 7 and told.lines == [1, 2, 4, 5, 6, 7, 8]
    assert told.repeats == [(4, 1), (6, 2), (7, 5), (8, 1)]
    assert told.contradictions == [(5, 1)]
    report = told.report().splitlines()
    assert report[0] == "7 pairs; 1 line blank."
    assert report[1] == "Source: 2 different tokens; the longest has 1, in line 1."
    assert report[3] == "4 lines repeating an earlier pair; the first is line 4, after line 1."
    assert report[4].startswith("1 line with an earlier source but another target; the first is")
    assert "0 lines" in read("a\tb").report()


def test_words():
    assert word_tokens("It's half-past 2.") == ("It's", "half-past", "2", ".")
    assert word_tokens("'so' -x- don’t, twenty-five!?") == (
        *("'", "so", "'", "-", "x", "-", "don’t", ",", "twenty-five", "!", "?"),
    )
    assert word_tokens("नमस्ते दुनिया") == ("नमस्ते", "दुनिया")  # vowel signs belong to the word
    assert word_tokens("  ") == ()


@given(st.text(max_size=40))
def test_no_sign_is_lost(text):
    assert "".join(word_tokens(text)) == "".join(text.split())
    assert "".join(tokenize(text, "char")) == " ".join(text.split())


def test_the_page_splits_words_in_the_same_way():
    """Each text twice: once for a model of words, once for a model of single signs."""
    rng = random.Random(0)
    signs = "aZé9Ⅻßд'’-.,!?()½中あ\u0301\u093f\u00adक🙂👍🏽€_  "
    texts = ["".join(rng.choices(signs, k=rng.randint(1, 30))) for _ in range(600)]
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    texts = [" ".join(text.split()) for text in texts if text.strip()]
    words, single = [PAD, SOS, EOS, UNK, "Word", "no"], [PAD, SOS, EOS, UNK, "A", "b"]
    jobs = [[text, known] for text in texts for known in (words, single)]
    run = subprocess.run(
        [NODE, str(CLI)], input=json.dumps(jobs), capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found == [list(tokenize(text, level)) for text in texts for level in ("word", "char")]
