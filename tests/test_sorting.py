"""Sorting: letters in order, where each came from, and splits that share no bag of letters."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from seq2seq_attention.data import sorting_pair, sorting_pairs
from seq2seq_attention.data.sorting import LONGEST
from seq2seq_attention.recipes import sorting_splits

PAIRS = sorting_pairs(20_000, seed=3)


def test_equal_letters_keep_their_order():
    pair = sorting_pair("qdaqf")
    assert pair.src == tuple("qdaqf") and pair.tgt == tuple("adfqq")
    assert pair.alignment == {(0, 2), (1, 1), (2, 4), (3, 0), (4, 3)}
    assert sorting_pair("aaa").alignment == {(0, 0), (1, 1), (2, 2)}


def test_the_oracle_is_sorted():
    for pair in PAIRS:
        assert pair.tgt == tuple(sorted(pair.src))


def test_gold_links_are_one_to_one_between_equal_letters_and_stable():
    for pair in PAIRS:
        came_from = dict(pair.alignment)
        assert len(pair.alignment) == len(came_from) == len(pair.src)
        assert sorted(came_from.values()) == list(range(len(pair.src)))
        for t, s in came_from.items():
            assert pair.tgt[t] == pair.src[s]
            if t and pair.tgt[t - 1] == pair.tgt[t]:
                assert came_from[t - 1] < s


def test_the_order_of_the_source_changes_nothing_in_the_target():
    rng = random.Random(0)
    for pair in PAIRS[:2000]:
        letters = list(pair.src)
        rng.shuffle(letters)
        assert sorting_pair(letters).tgt == pair.tgt


def test_lengths_and_letters_are_even():
    lengths = Counter(len(pair.src) for pair in PAIRS)
    assert set(lengths) == set(range(1, LONGEST + 1))
    assert max(lengths.values()) < 1.3 * min(lengths.values())
    letters = Counter(letter for pair in PAIRS for letter in pair.src)
    assert set(letters) == set("abcdefghijklmnopqrstuvwxyz")
    assert max(letters.values()) < 1.1 * min(letters.values())
    assert {len(pair.src) for pair in sorting_pairs(500, longest=3)} == {1, 2, 3}


def test_the_seed_decides():
    assert sorting_pairs(50, seed=1) == sorting_pairs(60, seed=1)[:50] != sorting_pairs(50, seed=2)
    assert sorting_pairs(0) == []


def test_no_bag_of_letters_is_in_two_splits():
    bags = [{pair.tgt for pair in part} for part in sorting_splits(20_000)]
    assert all(len(bag) > 500 for bag in bags)
    assert bags[0].isdisjoint(bags[1] | bags[2]) and bags[1].isdisjoint(bags[2])


@pytest.mark.parametrize("letters", ["", "aB", "é", ["ab"], ["a", 1]])
def test_what_is_not_a_letter_is_refused(letters):
    with pytest.raises(ValueError, match="letter"):
        sorting_pair(letters)


@pytest.mark.parametrize(("n", "longest"), [(-1, 5), (3, 0)])
def test_wrong_sizes_are_named(n, longest):
    with pytest.raises(ValueError, match=rf"got {min(n, longest)}"):
        sorting_pairs(n, longest=longest)
