"""data: pairs, splits, and number words against the oracle num2words."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from seq2seq_attention.data import Pair, join_morphemes, number_pair, number_pairs, split_pairs

LIMIT = 10**12
SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()


def oracle(number):
    english = num2words(number, lang="en").replace(",", "").replace("-", " ")
    return english, num2words(number, lang="de")


def sample():
    """Every number below 20,000, the seams between groups, and 20,000 of all lengths."""
    rng = random.Random(0)
    seams = {s * 10**k + d for k in range(12) for s in range(1, 10) for d in range(-2, 3)}
    groups = {g * 1000**k for g in range(1000) for k in range(4)}
    drawn = {rng.randrange(10**d) for d in range(4, 13) for _ in range(2500)}
    return sorted(set(range(20_000)) | {s for s in seams if 0 <= s < LIMIT} | groups | drawn)


def test_both_sides_are_what_num2words_says():
    numbers = sample()
    assert len(numbers) > 40_000
    wrong = [
        (n, " ".join(p.src), join_morphemes(p.tgt))
        for n in numbers
        for p in [number_pair(n)]
        if (" ".join(p.src), join_morphemes(p.tgt)) != oracle(n)
    ]
    assert not wrong, f"{len(wrong)} of {len(numbers)} differ, first {wrong[:3]}"


@given(st.integers(0, LIMIT - 1))
def test_any_number_is_what_num2words_says(number):
    pair = number_pair(number)
    assert (" ".join(pair.src), join_morphemes(pair.tgt)) == oracle(number)


@pytest.mark.parametrize(
    ("number", "morphemes"),
    [
        (0, "null"),
        (1, "eins"),
        (11, "elf"),
        (12, "zwölf"),
        (16, "sech zehn"),
        (17, "sieb zehn"),
        (20, "zwanzig"),
        (21, "ein und zwanzig"),
        (30, "drei ßig"),
        (66, "sechs und sech zig"),
        (77, "sieben und sieb zig"),
        (101, "ein hundert eins"),
        (1_001, "ein tausend eins"),
        (1_000_000, "eine Million"),
        (2_000_000, "zwei Millionen"),
        (1_001_000_000, "eine Milliarde eine Million"),
        (327_000, "drei hundert sieben und zwanzig tausend"),
    ],
)
def test_irregular_forms(number, morphemes):
    assert number_pair(number).tgt == tuple(morphemes.split())


@given(st.integers(0, LIMIT - 1))
def test_gold_links_join_words_of_equal_meaning(number):
    """Undo both sides by an independent table and compare meanings link by link."""
    english = {w: i for i, w in enumerate(SMALL)} | {
        "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
        "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
        "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
        "thousand": 10**3, "million": 10**6, "billion": 10**9,
    }  # fmt: skip
    scales = {
        "hundert": 100, "tausend": 10**3, "Million": 10**6, "Millionen": 10**6,
        "Milliarde": 10**9, "Milliarden": 10**9, "zwanzig": 20, "elf": 11, "zwölf": 12,
        "zehn": 10, "null": 0,
    }  # fmt: skip
    stems = "ein zwei drei vier fünf sech sieb acht neun".split()
    pair = number_pair(number)
    linked = {s for _, s in pair.alignment}
    assert {w for s, w in enumerate(pair.src) if s not in linked} <= {"and"}
    for s, word in enumerate(pair.src):
        said = [pair.tgt[t] for t in range(len(pair.tgt)) if (t, s) in pair.alignment]
        if not said:
            continue
        value = 0
        for m in said:
            digit = next((i + 1 for i, stem in enumerate(stems) if m.startswith(stem)), 0)
            value = value * 10 if m in ("zig", "ßig") else value + scales.get(m, digit)
        assert value == english[word], (word, said)
    assert all(pair.tgt[t] != "und" for t, _ in pair.alignment)
    targets = [t for t, _ in pair.alignment]
    assert len(targets) == len(set(targets)), "a morpheme translates exactly one word"
    assert {t for t, m in enumerate(pair.tgt) if m != "und"} == set(targets)


def test_units_before_tens_cross():
    pair = number_pair(327)
    assert {(2, 4), (4, 3)} <= pair.alignment


@pytest.mark.parametrize(
    ("number", "error", "says"),
    [
        (-1, ValueError, "-1"),
        (LIMIT, ValueError, "12 digits.*1000000000000"),
        (1.0, TypeError, "1.0"),
        (True, TypeError, "True"),
        ("7", TypeError, "'7'"),
    ],
)
def test_bad_numbers_are_named(number, error, says):
    with pytest.raises(error, match=says):
        number_pair(number)


def test_number_pairs_repeat_with_the_seed_and_spread_over_lengths():
    pairs = number_pairs(2000, seed=3)
    assert pairs == number_pairs(2000, seed=3)
    assert pairs != number_pairs(2000, seed=4)
    lengths = {len(p.src) for p in pairs}
    assert min(lengths) == 1 and max(lengths) == 23
    assert max(len(p.src) for p in number_pairs(500, max_digits=2)) <= 2


@pytest.mark.parametrize("bad", [{"n": -1}, {"n": 1, "max_digits": 0}, {"n": 1, "max_digits": 13}])
def test_bad_draws_are_named(bad):
    with pytest.raises(ValueError, match=str(list(bad.values())[-1])):
        number_pairs(**bad)


def test_splits_share_no_number_and_lose_none():
    pairs = number_pairs(5000, seed=1)
    splits = split_pairs(pairs, (0.8, 0.1, 0.1), seed=2)
    sources = [{p.src for p in split} for split in splits]
    assert not (sources[0] & sources[1] or sources[0] & sources[2] or sources[1] & sources[2])
    assert set().union(*sources) == {p.src for p in pairs}
    for split, source in zip(splits[1:], sources[1:], strict=True):
        assert len(split) == len(source), "held-out pairs are counted once"
    assert 0.77 < len(sources[0]) / len(set().union(*sources)) < 0.83


def test_the_three_shares_keep_their_order():
    train, valid, test = split_pairs(number_pairs(200, seed=1), (0.8, 0.2, 0))
    assert len(train) > len(valid) > 0 and not test


def test_another_seed_gives_another_division():
    pairs = number_pairs(200, seed=1)
    assert split_pairs(pairs, seed=1) == split_pairs(pairs, seed=1) != split_pairs(pairs, seed=2)


def test_adding_pairs_moves_none():
    few, many = number_pairs(500, seed=5), number_pairs(1500, seed=5)
    place = {p.src: i for i, split in enumerate(split_pairs(many)) for p in split}
    assert all(place[p.src] == i for i, split in enumerate(split_pairs(few)) for p in split)


@pytest.mark.parametrize("fractions", [(0.5, 0.5), (0.9, 0.2, -0.1), (0.5, 0.1, 0.1)])
def test_bad_fractions_are_named(fractions):
    with pytest.raises(ValueError, match=str(fractions[0])):
        split_pairs([], fractions)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Pair((), ("a",)), ValueError, "at least one token"),
        (lambda: Pair(("a",), ("b",), {(1, 0)}), ValueError, "t=1, s=0"),
        (lambda: Pair(("a",), ("b",), {(0, -1)}), ValueError, "s=-1"),
        (lambda: Pair("ab", ("b",)), TypeError, "one string"),
    ],
)
def test_bad_pairs_are_named(make, error, says):
    with pytest.raises(error, match=says):
        make()
