"""How narrowly a model looks: entropy and largest weight of its rows, spread of its scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .alignments import forced_weights
from .data.pairs import Pair
from .interventions import intervening
from .model import Seq2Seq


class Sharpness(NamedTuple):
    """Means over rows of weights."""

    entropy: float  # nats: 0 if one word has all the weight, ln S if all have the same
    words: float  # exp of a row's entropy: as many words with equal weights are as uncertain
    largest: float  # the largest weight


def row_entropy(weights: Tensor) -> Tensor:
    """−Σ α ln α in nats over the last axis, where 0 ln 0 = 0: (…, S) to (…).

    Raises:
        ValueError: a weight is negative or not finite, or a row doesn't sum to 1.
    """
    sums = weights.sum(dim=-1)
    if not bool((weights >= 0).all()) or not torch.allclose(sums, torch.ones_like(sums), atol=1e-3):
        raise ValueError(f"rows of weights must be 0 or more and sum to 1, got sums {sums}")
    return torch.special.entr(weights).sum(dim=-1)


def sharpness(weights: Sequence[Tensor], pairs: Sequence[Pair]) -> Sharpness:
    """Of all rows that belong to a target word; the row of `<eos>` is left out.

    Args:
        weights: one (T or more, S) tensor a pair, as `forced_weights` gives them.

    Raises:
        ValueError: there are no rows, one has no weights of its word, or they are no weights.
    """
    entropies, largest = [], []
    for alpha, pair in zip(weights, pairs, strict=True):
        if len(alpha) < len(pair.tgt):
            raise ValueError(f"{len(pair.tgt)} target words need as many rows, got {len(alpha)}")
        rows = alpha[: len(pair.tgt)]
        entropies.append(row_entropy(rows))
        largest.append(rows.amax(dim=-1))
    if not entropies:
        raise ValueError("there are no weights to look at")
    every = torch.cat(entropies)
    return Sharpness(
        float(every.mean()), float(every.exp().mean()), float(torch.cat(largest).mean())
    )


def score_spread(model: Seq2Seq, pairs: Sequence[Pair]) -> float:
    """Standard deviation of the scores e_ti over the source words of one step, mean over steps.

    A softmax sees nothing else of the scores' size: what all words have in common cancels. Pairs
    are looked at one by one; sources of one word are left out.

    Raises:
        ValueError: the model has no attention, or no source has two words.
    """
    spreads: list[Tensor] = []

    def note(scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
        spreads.append(scores.std(dim=-1).flatten())  # (T,), or (1,) from step to step
        return scores

    with intervening(model, note):
        for pair in pairs:
            if len(pair.src) > 1:
                forced_weights(model, [pair])
    if not spreads:
        raise ValueError("no source has two words or more, so there is no spread of scores")
    return float(torch.cat(spreads).mean())
