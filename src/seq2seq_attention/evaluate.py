"""Output against reference."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from .data.pairs import Pair
from .model import Seq2Seq
from .search import translate

LENGTHS = ((1, 5), (6, 10), (11, 15), (16, 19), (20, 23))  # groups of the numbers task


def exact_match(
    outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> list[bool]:
    """For each sentence, whether every token is right and none is missing or too many.

    Raises:
        ValueError: there are not as many outputs as references.
        TypeError: an output or a reference is one string.
    """
    whole = [x for x in (*outputs, *references) if isinstance(x, str)]
    if whole:
        raise TypeError(f"expected sequences of tokens, got the one string {whole[0]!r}")
    if len(outputs) != len(references):
        raise ValueError(f"{len(outputs)} outputs cannot match {len(references)} references")
    return [list(o) == list(r) for o, r in zip(outputs, references, strict=True)]


def correct(model: Seq2Seq, pairs: Sequence[Pair], max_len: int = 100) -> list[bool]:
    """Whether the greedy translation of each pair's source is exactly its target."""
    outputs = translate(model, [pair.src for pair in pairs], max_len)
    return exact_match([o.tokens for o in outputs], [pair.tgt for pair in pairs])


def accuracy(hits: Sequence[bool]) -> float:
    """Share of True.

    Raises:
        ValueError: there is nothing to average.
    """
    if not hits:
        raise ValueError("accuracy needs at least one sentence, got none")
    return sum(hits) / len(hits)


class LengthBin(NamedTuple):
    """Accuracy over the sentences of one range of lengths."""

    low: int  # shortest, inclusive
    high: int  # longest, inclusive
    n: int  # sentences
    accuracy: float  # nan where n is 0

    @property
    def label(self) -> str:
        return f"{self.low}–{self.high}" if self.low != self.high else f"{self.low}"


def by_length(
    hits: Sequence[bool],
    lengths: Sequence[int],
    bins: Sequence[tuple[int, int]] = LENGTHS,
) -> list[LengthBin]:
    """Accuracy by length.

    Args:
        hits: one a sentence.
        lengths: one a sentence, in tokens.
        bins: ranges (low, high), both inclusive, without overlap.

    Raises:
        ValueError: the two sequences differ in length, bins overlap, or a sentence's
            length is in none of them: no sentence is left out silently.
    """
    if len(hits) != len(lengths):
        raise ValueError(f"{len(hits)} results cannot go with {len(lengths)} lengths")
    ordered = sorted(bins)
    if any(a[1] >= b[0] for a, b in itertools.pairwise(ordered)):
        raise ValueError(f"length ranges must not overlap, got {list(bins)}")
    outside = [n for n in lengths if not any(low <= n <= high for low, high in bins)]
    if outside:
        raise ValueError(f"length {outside[0]} is in none of the ranges {list(bins)}")
    table = []
    for low, high in bins:
        inside = [hit for hit, n in zip(hits, lengths, strict=True) if low <= n <= high]
        share = sum(inside) / len(inside) if inside else float("nan")
        table.append(LengthBin(low, high, len(inside), share))
    return table
