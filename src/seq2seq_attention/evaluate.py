"""Output against reference, and alignment against gold."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .batch import collate
from .data.pairs import Pair
from .model import Seq2Seq, evaluating
from .search import translate

LENGTHS = ((1, 5), (6, 10), (11, 15), (16, 19), (20, 23))  # groups of the numbers task
Links = Iterable[tuple[int, ...]]  # (t, s), or (sentence, t, s) over a corpus


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


def forced_weights(model: Seq2Seq, pairs: Sequence[Pair], batch_size: int = 256) -> list[Tensor]:
    """Attention weights while the reference target is read: one (T + 1, S) tensor a pair.

    Row t belongs to target token t, the last row to `<eos>`.

    Raises:
        ValueError: the model has no attention, or `batch_size` is below 1.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    result: list[Tensor] = []
    with evaluating(model):
        for start in range(0, len(pairs), batch_size):
            chunk = pairs[start : start + batch_size]
            weights = model(collate(chunk, model.src_vocab, model.tgt_vocab)).weights
            if weights is None:
                raise ValueError("this model has no attention, so it has no weights")
            for pair, alpha in zip(chunk, weights, strict=True):
                result.append(alpha[: len(pair.tgt) + 1, : len(pair.src)])
    return result


def alignment_hit_rate(weights: Sequence[Tensor], pairs: Sequence[Pair]) -> float:
    """Share of gold-linked target tokens whose largest weight is on a gold source token.

    Args:
        weights: one (T or more, S) tensor a pair; rows beyond the target are not looked at.
        pairs: with gold alignments.

    Raises:
        ValueError: a pair has no gold alignment, shapes don't fit, or nothing is linked.
    """
    hit = linked = 0
    for alpha, pair in zip(weights, pairs, strict=True):
        links = argmax_links(alpha, pair)
        linked += len(links)
        hit += len(links & _gold(pair))
    if not linked:
        raise ValueError("no target token has a gold link, so there is no rate")
    return hit / linked


def argmax_links(alpha: Tensor, pair: Pair) -> set[tuple[int, int]]:
    """One link for each gold-linked target token: to the source token of largest weight."""
    _check_weights(alpha, pair)
    best = alpha.argmax(dim=1).tolist()
    return {(t, best[t]) for t in {t for t, _ in _gold(pair)}}


def alignment_error_rate(predicted: Links, sure: Links, possible: Links | None = None) -> float:
    """AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), 0 is best.

    Args:
        predicted: links A.
        sure: gold links S.
        possible: gold links P that are right but not required; S always counts among them.

    Raises:
        ValueError: A and S are both empty.

    Source: Och & Ney 2003, section 5.1.
    """
    a, s = set(predicted), set(sure)
    p = s | set(possible or ())
    if not a and not s:
        raise ValueError("AER is not defined when there are neither predicted nor sure links")
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def corpus_alignment_error_rate(weights: Sequence[Tensor], pairs: Sequence[Pair]) -> float:
    """AER of all pairs' argmax links together: counts are summed before dividing."""
    predicted, sure = set(), set()
    for i, (alpha, pair) in enumerate(zip(weights, pairs, strict=True)):
        predicted |= {(i, t, s) for t, s in argmax_links(alpha, pair)}
        sure |= {(i, t, s) for t, s in _gold(pair)}
    if not sure:
        raise ValueError("no pair has a gold link, so there is no error rate")
    return alignment_error_rate(predicted, sure)


def _gold(pair: Pair) -> frozenset[tuple[int, int]]:
    if pair.alignment is None:
        raise ValueError(f"the pair {' '.join(pair.src)!r} has no gold alignment")
    return pair.alignment


def _check_weights(alpha: Tensor, pair: Pair) -> None:
    if alpha.ndim != 2 or alpha.shape[0] < len(pair.tgt) or alpha.shape[1] != len(pair.src):
        raise ValueError(
            f"weights must be (at least {len(pair.tgt)}, {len(pair.src)}), got {tuple(alpha.shape)}"
        )
    sums = alpha.sum(dim=1)
    if not bool((alpha >= 0).all()) or not torch.allclose(sums, torch.ones_like(sums), atol=1e-3):
        raise ValueError(
            "weights must be 0 or more and each row must sum to 1, got rows summing to "
            f"{[round(x, 4) for x in sums.tolist()]}"
        )
