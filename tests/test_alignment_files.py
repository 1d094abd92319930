"""alignment_files: both formats, what is wrong in them, and one real set where it is at hand."""

from pathlib import Path

import pytest

from seq2seq_attention.alignment_files import (
    GoldPair,
    load_gold,
    read_parallel,
    read_pharaoh,
    read_wa,
)
from seq2seq_attention.alignments import score_links

GOLD = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "gold-align-de-en"
SENTENCES = [(("a", "b", "c"), ("A", "B")), (("d",), ("D", "E"))]


@pytest.fixture
def write(tmp_path):
    def _write(text, name="links"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return _write


def test_pharaoh_by_hand(write):
    """s-t in the file, (t, s) in the pair; what is sure is possible too."""
    first, second = read_pharaoh(write("0-0 2-1 1?1\n0?1\n"), SENTENCES, first=0)
    assert first == GoldPair(
        ("a", "b", "c"),
        ("A", "B"),
        frozenset({(0, 0), (1, 2)}),
        frozenset({(0, 0), (1, 2), (1, 1)}),
    )
    assert (second.sure, second.possible) == (frozenset(), frozenset({(1, 0)}))
    assert first.pair.alignment == first.possible and first.pair.src == first.src


@pytest.mark.parametrize(
    "text", ["1-1 3-2 2?2\n\n", "1-1  3-2\t2?2 \r\n\r\n", "1-1 3-2 2?2 2?2\n\n"]
)
def test_from_one_and_however_it_is_spaced(text, write):
    first, second = read_pharaoh(write(text), SENTENCES, first=1)
    assert first.sure == {(0, 0), (1, 2)} and first.possible == first.sure | {(1, 1)}
    assert second.possible == frozenset(), "an empty line is a pair without links"


def test_reverse_reads_the_target_first(write):
    assert read_pharaoh(write("1-2\n\n"), SENTENCES, first=0, reverse=True)[0].sure == {(1, 2)}
    wa = read_wa(write("1 1 2 S\n"), SENTENCES, first=0, reverse=True)
    assert wa[0].sure == {(1, 2)}


def test_wa_by_hand(write):
    text = "1 0 0 S \n0002 0 1 P\n1 2 1\n1 1 1 P 0.5\n"
    first, second = read_wa(write(text), SENTENCES, first=0)
    assert first.sure == {(0, 0), (1, 2)} and first.possible == first.sure | {(1, 1)}
    assert second.sure == set() and second.possible == {(1, 0)}


def test_position_0_is_the_null_word_where_counting_starts_at_1(write):
    first, _ = read_wa(write("1 0 1 S\n1 2 0 S\n1 3 2 S\n"), SENTENCES, first=1)
    assert first.possible == {(1, 2)}


@pytest.mark.parametrize(
    ("text", "first", "says"),
    [
        ("0-0\n0:1\n", 0, r"line 2: expected a link.*'0:1'"),
        ("0-0 1\n\n", 0, r"line 1: .*'1'"),
        ("0-0 -1-1\n\n", 0, r"line 1: .*'-1-1'"),
        ("0-²\n\n", 0, r"line 1: .*'0-²'"),
        ("0-0\n0-0 1-0\n", 0, r"line 2: '1-0' is outside 1 source and 2 target.*from 0"),
        ("0-2\n\n", 0, r"line 1: '0-2' is outside 3 source and 2 target"),
        ("1-0\n\n", 1, r"line 1: '1-0' is outside .* from 1"),
        ("0-0\n", 0, "1 lines, but the sentences 2"),
        ("0-0\n\n\n", 0, "3 lines, but the sentences 2"),
        ("0-0\n\n", 2, "first must be 0 or 1, got 2"),
    ],
)
def test_what_is_wrong_in_pharaoh_is_named(text, first, says, write):
    with pytest.raises(ValueError, match=says):
        read_pharaoh(write(text), SENTENCES, first=first)


@pytest.mark.parametrize(
    ("text", "first", "says"),
    [
        ("1 0 0 S\n1 0\n", 0, "line 2: expected 'sentence s t.*'1 0'"),
        ("1 0 0 X\n", 0, "line 1: expected .*X"),
        ("\n", 0, "line 1: expected .*''"),
        ("1 0 0 S\n3 0 0 S\n", 0, "line 2: sentence 3 is not among 1 to 2"),
        ("0 0 0 S\n", 0, "line 1: sentence 0 is not among"),
        ("1 0 0 S\n1 3 1 S\n", 0, "line 2: '1 3 1 S' is outside 3 source"),
        ("1 4 1 S\n", 1, "line 1: .* outside 3 source .* from 1"),
    ],
)
def test_what_is_wrong_in_wa_is_named(text, first, says, write):
    with pytest.raises(ValueError, match=says):
        read_wa(write(text), SENTENCES, first=first)


def test_lenient_leaves_out_what_is_outside_and_says_so(write):
    with pytest.warns(UserWarning, match=r"line 1: '0-2' is outside 3 source.*left out"):
        first, _ = read_pharaoh(write("0-2 2-1\n\n"), SENTENCES, first=0, lenient=True)
    assert first.sure == {(1, 2)}
    with pytest.warns(UserWarning, match=r"line 2: '2 1 0 S' is outside.*left out"):
        _, second = read_wa(write("1 0 0 S\n2 1 0 S\n"), SENTENCES, first=0, lenient=True)
    assert second.sure == set()
    with pytest.raises(ValueError, match="expected a link"):
        read_pharaoh(write("0-0 x\n\n"), SENTENCES, first=0, lenient=True)


def test_parallel_files(write):
    """A byte order mark is no part of the first token; only a line's end ends a line."""
    src = write("\ufeffa b\u2028c d\u00a0e\r\nf\n", "x.de")
    tgt = write("A  B\nF", "x.en")
    assert read_parallel(src, tgt) == [
        (("a", "b\u2028c", "d\u00a0e"), ("A", "B")),
        (("f",), ("F",)),
    ]


@pytest.mark.parametrize(
    ("src", "tgt", "says"),
    [
        ("a\nb\n", "A\n", "x.de has 2 lines, but .*x.en 1"),
        ("a\n \n", "A\nB\n", "x.de, line 2: expected tokens"),
        ("a\nb\n", "\nB\n", "x.en, line 1: expected tokens"),
        ("a\nf\u00fcr\n".encode("latin-1"), "A\nB\n", "x.de, line 2: is not UTF-8"),
    ],
)
def test_what_is_wrong_in_parallel_files_is_named(src, tgt, says, write):
    with pytest.raises(ValueError, match=says):
        read_parallel(write(src, "x.de"), write(tgt, "x.en"))


def test_a_folder_either_way_round(write, tmp_path):
    write("das haus\n", "test.de")
    write("the old house\n", "test.en")
    write("1 0 0 S\n1 1 2 S\n1 1 1 P\n", "de-en.ref.wa")
    (there,), (back,) = load_gold(tmp_path), load_gold(tmp_path, "en", "de")
    assert there.sure == {(0, 0), (2, 1)} and there.possible == there.sure | {(1, 1)}
    assert back.src == there.tgt and back.sure == {(s, t) for t, s in there.sure}
    with pytest.raises(FileNotFoundError):
        load_gold(tmp_path, "de", "fr")


@pytest.mark.skipif(not GOLD.exists(), reason="the German-English gold set isn't at hand")
def test_the_real_set():
    """Its two files say the same, one link is an error, and words that look alike are linked."""
    with pytest.raises(ValueError, match="line 776: '63 12 16 S ' is outside 13 source and 13"):
        load_gold(GOLD)
    with pytest.warns(UserWarning, match="63 12 16 S"):
        gold = load_gold(GOLD, lenient=True)
    assert len(gold) == 100 and sum(len(pair.sure) for pair in gold) == 1232
    assert all(pair.possible == pair.sure for pair in gold)
    assert gold[0].src[0] == "herr", "the byte order mark is gone"
    sentences = [(pair.src, pair.tgt) for pair in gold]
    with pytest.warns(UserWarning, match="12-16"):
        assert read_pharaoh(GOLD / "de-en.wa", sentences, first=0, lenient=True) == gold
    with pytest.warns(UserWarning, match="63 12 16 S"):
        back = load_gold(GOLD, "en", "de", lenient=True)
    assert [p.sure for p in back] == [{(s, t) for t, s in p.sure} for p in gold]
    same = [
        {(t, s) for t, f in enumerate(p.tgt) for s, e in enumerate(p.src) if e == f} for p in gold
    ]
    alike = score_links(same, [p.sure for p in gold])
    assert alike.predicted > 100 and alike.precision > 0.8
