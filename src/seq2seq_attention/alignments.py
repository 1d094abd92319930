"""Alignment against gold: attention weights to links, links to precision, recall and AER.

A link is (t, s): target position first, both from 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .batch import collate
from .data.pairs import Pair
from .model import Seq2Seq, evaluating

Link = tuple[int, int]
Links = Iterable[tuple[int, ...]]  # (t, s), or (sentence, t, s) over a corpus


class AlignmentScores(NamedTuple):
    """Links A of a corpus against sure links S and possible links P; S is a part of P."""

    precision: float  # |A ∩ P| / |A|; nan where nothing was predicted
    recall: float  # |A ∩ S| / |S|; nan where nothing is sure
    aer: float  # 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), 0 is best
    hit_rate: float  # share of the words with a link in P that have one in A ∩ P
    predicted: int  # |A|
    sure: int  # |S|
    possible: int  # |P|


class ShiftProfile(NamedTuple):
    """Where the largest weights of gold-linked target words are; the five counts sum to all."""

    right: int  # on a gold source word
    previous: int  # on a gold source word of the target word before it: shift −1
    next: int  # on one of the target word after it: shift +1
    both: int  # on one of both neighbours
    elsewhere: int

    def shares(self) -> dict[str, float]:
        """Each count over all gold-linked target words."""
        return {name: count / sum(self) for name, count in self._asdict().items()}


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


def argmax_links(alpha: Tensor, pair: Pair, linked_only: bool = True) -> set[Link]:
    """One link a target token: to the source token of largest weight, of equal ones the first.

    Args:
        alpha: (T or more, S) weights; rows beyond the target are not looked at.
        pair: what was aligned.
        linked_only: leave out target tokens without a gold link. That is a hint from the gold:
            an aligner that decides for itself which words have no counterpart gets none.

    Raises:
        ValueError: the weights don't fit, or gold is asked for and there is none.
    """
    _check_weights(alpha, pair)
    best = alpha.argmax(dim=1).tolist()
    links = {(t, best[t]) for t in range(len(pair.tgt))}
    return at_linked_words(links, _gold(pair)) if linked_only else links


def threshold_links(alpha: Tensor, pair: Pair, least: float) -> set[Link]:
    """A link wherever the weight is `least` or more: none, one or several a target token.

    Raises:
        ValueError: the weights don't fit, or `least` is not above 0 and at most 1.
    """
    if not 0 < least <= 1:
        raise ValueError(f"least must be above 0 and at most 1, got {least}")
    _check_weights(alpha, pair)
    return {(t, s) for t, s in (alpha[: len(pair.tgt)] >= least).nonzero().tolist()}


def at_linked_words(links: Iterable[Link], gold: Iterable[Link]) -> set[Link]:
    """The links of those target words that have a gold link."""
    linked = {t for t, _ in gold}
    return {(t, s) for t, s in links if t in linked}


def score_links(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> AlignmentScores:
    """Scores over a corpus: counts are summed before dividing.

    Args:
        predicted, sure, possible: links (t, s), one collection a pair. What is sure counts as
            possible too, so `possible` may leave it out; None: nothing else is possible.

    Raises:
        ValueError: the numbers of pairs differ, or there are neither predicted nor sure links.

    Source: Och & Ney 2003, section 5.1.
    """
    rows = [predicted, sure, [()] * len(sure) if possible is None else possible]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(
            f"each pair needs its links, got them for {len(predicted)} (predicted), {len(sure)} "
            f"(sure) and {len(rows[2])} (possible) pairs"
        )
    a, s, p = ({(i, *link) for i, links in enumerate(row) for link in links} for row in rows)
    p |= s
    hit, linked = ({link[:2] for link in links} for links in (a & p, p))
    return AlignmentScores(
        len(a & p) / len(a) if a else math.nan,
        len(a & s) / len(s) if s else math.nan,
        alignment_error_rate(a, s, p),
        len(hit) / len(linked) if linked else math.nan,
        len(a),
        len(s),
        len(p),
    )


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
    """AER of the argmax links of all pairs' gold-linked target tokens.

    Raises:
        ValueError: as in `alignment_hit_rate`.
    """
    predicted = [argmax_links(alpha, pair) for alpha, pair in zip(weights, pairs, strict=True)]
    gold = [_gold(pair) for pair in pairs]
    if not any(gold):
        raise ValueError("no pair has a gold link, so there is no error rate")
    return score_links(predicted, gold).aer


def alignment_hit_rate(weights: Sequence[Tensor], pairs: Sequence[Pair]) -> float:
    """Share of gold-linked target tokens whose largest weight is on a gold source token.

    Args:
        weights: one (T or more, S) tensor a pair; rows beyond the target are not looked at.
        pairs: with gold alignments.

    Raises:
        ValueError: a pair has no gold alignment, shapes don't fit, or nothing is linked.
    """
    return shift_profile(weights, pairs).shares()["right"]


def gold_mass(weights: Sequence[Tensor], pairs: Sequence[Pair]) -> float:
    """The soft hit rate: mean weight that gold-linked target tokens lay on gold source tokens.

    It is the hit rate to be expected if each target token drew its link by its weights.

    Raises:
        ValueError: as in `alignment_hit_rate`.
    """
    mass, linked = 0.0, 0
    for alpha, pair in zip(weights, pairs, strict=True):
        _check_weights(alpha, pair)
        mass += sum(float(alpha[link]) for link in _gold(pair))
        linked += len({t for t, _ in _gold(pair)})
    if not linked:
        raise ValueError("no target token has a gold link, so there is no mass on it")
    return mass / linked


def shift_profile(weights: Sequence[Tensor], pairs: Sequence[Pair]) -> ShiftProfile:
    """Whether the largest weight, where it is wrong, is right for a neighbouring target token.

    A model whose weights run one step ahead of its words, or behind them, can be as accurate as
    any, and its heatmap looks as if it were wrong.

    Raises:
        ValueError: as in `alignment_hit_rate`.
    """
    counts = dict.fromkeys(ShiftProfile._fields, 0)
    for alpha, pair in zip(weights, pairs, strict=True):
        gold = _gold(pair)
        for t, s in argmax_links(alpha, pair):
            before, after = (t - 1, s) in gold, (t + 1, s) in gold
            beside = "both" if before and after else "previous" if before else "next"
            near = beside if before or after else "elsewhere"
            counts["right" if (t, s) in gold else near] += 1
    if not any(counts.values()):
        raise ValueError("no target token has a gold link, so there is no rate")
    return ShiftProfile(**counts)


def _gold(pair: Pair) -> frozenset[Link]:
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
