"""Sentences of different lengths in one tensor: padding, the shift by one, masks.

This is the only module that pads, shifts or makes a mask. A mask's name ends in `_valid`
and True means a real token.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .data.pairs import Pair
from .vocab import Vocab


class Sources(NamedTuple):
    """The source side of a batch: all that translating needs."""

    src_ids: Tensor  # (B, S) int64, padded at the end
    src_len: Tensor  # (B,) int64, on the CPU: real tokens in each row
    src_valid: Tensor  # (B, S) bool, True = a real token


class Batch(NamedTuple):
    """A padded batch of pairs, ready for teacher forcing.

    Row b of `tgt_in` is `<sos> y_1 .. y_m`, of `tgt_out` `y_1 .. y_m <eos>`: at each
    position the model reads one token and is asked for the next.
    """

    src_ids: Tensor  # (B, S) int64
    src_len: Tensor  # (B,) int64, on the CPU
    src_valid: Tensor  # (B, S) bool, True = a real token
    tgt_in: Tensor  # (B, T) int64, what the decoder reads
    tgt_out: Tensor  # (B, T) int64, what it should say
    tgt_valid: Tensor  # (B, T) bool, True = a real token


def pad(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor, Tensor]:
    """Rows of ids to one tensor, filled up at the end.

    Returns:
        ids (B, L), lengths (B,), valid (B, L) with L the longest row.

    Raises:
        ValueError: there are no rows, or one is empty.
        TypeError: an id is not an int.
    """
    if not rows:
        raise ValueError("a batch must have at least one sentence, got none")
    wrong = [i for row in rows for i in (*row, pad_id) if type(i) is not int]
    if wrong:
        raise TypeError(f"ids must be integers, got {wrong[0]!r}")
    lengths = torch.tensor([len(row) for row in rows])
    if int(lengths.min()) == 0:
        raise ValueError(f"sentence {int(lengths.argmin())} of the batch is empty")
    ids = torch.full((len(rows), int(lengths.max())), pad_id)
    for row, target in zip(rows, ids, strict=True):
        target[: len(row)] = torch.tensor(row)
    return ids, lengths, valid_mask(lengths, ids.shape[1])


def valid_mask(lengths: Tensor, size: int) -> Tensor:
    """Mask (B, size), True at positions below each row's length.

    Raises:
        ValueError: a length is below 1, above `size`, or not an integer.
    """
    if lengths.dtype.is_floating_point or lengths.dtype == torch.bool:
        raise ValueError(f"lengths must be integers, got {lengths.dtype}")
    if lengths.numel() and not 1 <= int(lengths.min()) <= int(lengths.max()) <= size:
        raise ValueError(f"lengths must be from 1 to {size}, got {lengths.tolist()}")
    return torch.arange(size) < lengths[:, None]  # (B, size)


def causal_mask(size: int) -> Tensor:
    """Mask (T, T), True at place t for the places 0 .. t: a target token may see itself and what
    came before, never what comes after.

    A decoder without recurrence reads all targets of teacher forcing at once. With this mask each
    place gets what it will get in inference, where there is nothing after it yet.

    Raises:
        ValueError: `size` is below 1.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    return torch.ones(size, size, dtype=torch.bool).tril()


def collate_sources(sources: Sequence[Sequence[str]], src_vocab: Vocab) -> Sources:
    """Source sentences to one padded batch.

    Raises:
        KeyError: a token is unknown and the vocabulary has no `<unk>`.
        ValueError: there is no sentence, or one is empty.
    """
    return Sources(*pad([src_vocab.encode(source) for source in sources], src_vocab.pad_id))


def collate(pairs: Sequence[Pair], src_vocab: Vocab, tgt_vocab: Vocab) -> Batch:
    """Pairs to one padded batch; the target is shifted by one here and nowhere else.

    Raises:
        KeyError: a token is unknown and its vocabulary has no `<unk>`.
        ValueError: there is no pair.
    """
    pairs = list(pairs)
    sources = collate_sources([pair.src for pair in pairs], src_vocab)
    tgt_in, _, tgt_valid = pad(
        [tgt_vocab.encode(pair.tgt, sos=True) for pair in pairs], tgt_vocab.pad_id
    )
    tgt_out, _, _ = pad([tgt_vocab.encode(pair.tgt, eos=True) for pair in pairs], tgt_vocab.pad_id)
    return Batch(*sources, tgt_in, tgt_out, tgt_valid)


def iterate_batches(
    pairs: Sequence[Pair],
    src_vocab: Vocab,
    tgt_vocab: Vocab,
    batch_size: int,
    seed: int | None = 0,
    bucket: bool = True,
) -> Iterator[Batch]:
    """All pairs once, in batches.

    With `bucket`, the sources of a batch have one length: no source padding, no packing,
    and about twice the speed. With a seed, order and composition are shuffled; with
    seed None they are not.

    Raises:
        ValueError: `batch_size` is below 1 or there are no pairs.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    if not pairs:
        raise ValueError("there are no pairs to iterate over")
    rng = random.Random(seed)
    order = list(range(len(pairs)))
    if seed is not None:
        rng.shuffle(order)
    groups: dict[int, list[int]] = {}
    for i in order:
        groups.setdefault(len(pairs[i].src) if bucket else 0, []).append(i)
    chunks = [
        group[start : start + batch_size]
        for group in groups.values()
        for start in range(0, len(group), batch_size)
    ]
    if seed is not None:
        rng.shuffle(chunks)
    for chunk in chunks:
        yield collate([pairs[i] for i in chunk], src_vocab, tgt_vocab)
