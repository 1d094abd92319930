"""Aligners that know nothing of the words: what attention has to beat. Weights (T, S) of a pair.

`ibm1` has the one that knows words and nothing of order.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .data.pairs import Pair


def uniform_weights(pair: Pair) -> Tensor:
    """1/S everywhere. Its `gold_mass` is the hit rate of guessing.

    Its argmax is the first source token, by default and not by merit: don't score that.
    """
    return torch.full((len(pair.tgt), len(pair.src)), 1 / len(pair.src))


def diagonal_weights(pair: Pair) -> Tensor:
    """Target token t looks at source token ⌊(t + ½) · S / T⌋ alone."""
    size = len(pair.tgt)
    weights = torch.zeros(size, len(pair.src))
    for t in range(size):
        weights[t, (2 * t + 1) * len(pair.src) // (2 * size)] = 1.0
    return weights


def random_weights(pairs: Sequence[Pair], seed: int = 0) -> list[Tensor]:
    """Each row drawn by lot, evenly among all that sum to 1; repeated by the same seed."""
    generator = torch.Generator().manual_seed(seed)
    result = []
    for pair in pairs:
        drawn = torch.empty(len(pair.tgt), len(pair.src)).exponential_(generator=generator)
        result.append(drawn / drawn.sum(dim=1, keepdim=True))
    return result
