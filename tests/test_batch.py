"""batch: padding, the shift by one, masks."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_attention.batch import collate, collate_sources, iterate_batches, pad, valid_mask
from seq2seq_attention.data import Pair, number_pairs
from seq2seq_attention.vocab import build_vocab

rows_of_ids = st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=9), min_size=1, max_size=7)


@given(rows_of_ids)
def test_pad_keeps_every_token_and_marks_it(rows):
    ids, lengths, valid = pad(rows, pad_id=0)
    assert ids.shape == valid.shape == (len(rows), max(map(len, rows)))
    assert ids.dtype == torch.int64 and valid.dtype == torch.bool
    for row, padded, length, mask in zip(rows, ids, lengths, valid, strict=True):
        assert padded[mask].tolist() == row
        assert int(length) == len(row) == int(mask.sum())
        assert mask.tolist() == sorted(mask.tolist(), reverse=True), "real tokens come first"
        assert not padded[~mask].any()


def test_both_sides_are_padded_with_pad():
    vocab = build_vocab([["a", "b"]])
    pairs = [Pair(("a",), ()), Pair(("a", "b", "a"), ("b", "a"))]
    batch = collate(pairs, vocab, vocab)
    assert batch.src_ids[0].tolist() == [vocab.id("a"), vocab.pad_id, vocab.pad_id]
    assert batch.tgt_in[0].tolist() == [vocab.sos_id, vocab.pad_id, vocab.pad_id]
    assert batch.tgt_out[0].tolist() == [vocab.eos_id, vocab.pad_id, vocab.pad_id]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_mask_counts_the_lengths(lengths):
    assert valid_mask(torch.tensor(lengths), 12).sum(dim=1).tolist() == lengths


@given(rows_of_ids)
def test_shift_by_one(rows):
    pairs = [Pair(("x",), tuple(map(str, row))) for row in rows]
    vocab = build_vocab(p.tgt for p in pairs)
    batch = collate(pairs, build_vocab([["x"]]), vocab)
    for b, row in enumerate(rows):
        n = len(row) + 1
        assert batch.tgt_valid[b].sum() == n
        assert batch.tgt_in[b, 0] == vocab.sos_id and batch.tgt_out[b, n - 1] == vocab.eos_id
        assert batch.tgt_in[b, 1:n].tolist() == batch.tgt_out[b, : n - 1].tolist()
        assert vocab.decode(batch.tgt_out[b].tolist()) == list(map(str, row))
        assert vocab.eos_id not in batch.tgt_in[b, :n], "the decoder never reads <eos>"


@pytest.mark.parametrize("bucket", [True, False])
def test_iterating_gives_every_pair_once(bucket):
    pairs = number_pairs(300, seed=1)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    batches = list(iterate_batches(pairs, *vocabs, batch_size=32, seed=7, bucket=bucket))
    found = [tuple(vocabs[0].decode(row.tolist())) for batch in batches for row in batch.src_ids]
    assert sorted(found) == sorted(p.src for p in pairs)
    assert max(len(b.src_len) for b in batches) <= 32
    if bucket:
        assert all(len(set(b.src_len.tolist())) == 1 for b in batches)
        assert all(b.src_valid.all() for b in batches)


def test_order_repeats_with_the_seed():
    pairs = number_pairs(100, seed=1)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)

    def ids(seed):
        return [b.tgt_out.tolist() for b in iterate_batches(pairs, *vocabs, 16, seed=seed)]

    assert ids(1) == ids(1) != ids(2)


def sources(pairs, seed, bucket):
    """The source sentences of every batch, in order."""
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    batches = iterate_batches(pairs, *vocabs, batch_size=8, seed=seed, bucket=bucket)
    return [[tuple(vocabs[0].decode(row.tolist())) for row in b.src_ids] for b in batches]


@pytest.mark.parametrize("bucket", [True, False])
def test_a_seed_mixes_which_pairs_share_a_batch(bucket):
    pairs = number_pairs(300, seed=1)
    seeded, plain = (
        {frozenset(batch) for batch in sources(pairs, seed, bucket)} for seed in (7, None)
    )
    assert len(seeded & plain) < len(plain) / 2


def test_a_seed_mixes_the_lengths():
    lengths = [len(batch[0]) for batch in sources(number_pairs(300, seed=1), 7, bucket=True)]
    changes = sum(a != b for a, b in itertools.pairwise(lengths))
    assert changes > 1.5 * len(set(lengths)), "not all batches of one length in a row"


def test_without_a_seed_the_order_is_kept():
    pairs = number_pairs(300, seed=1)
    assert list(itertools.chain(*sources(pairs, None, bucket=False))) == [p.src for p in pairs]
    by_length = sources(pairs, None, bucket=True)
    first_seen = {len(p.src): None for p in pairs}
    expected = [p.src for n in first_seen for p in pairs if len(p.src) == n]
    assert list(itertools.chain(*by_length)) == expected


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: pad([], 0), "none"),
        (lambda: pad([[1], []], 0), "sentence 1"),
        (lambda: collate_sources([[]], build_vocab([["a"]])), "sentence 0"),
        (lambda: valid_mask(torch.tensor([0, 2]), 3), r"\[0, 2\]"),
        (lambda: valid_mask(torch.tensor([4]), 3), r"\[4\]"),
        (lambda: list(iterate_batches([], None, None, 4)), "no pairs"),
        (lambda: list(iterate_batches([1], None, None, 0)), "0"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
