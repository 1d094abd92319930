"""Positional encoding: what tells a model without recurrence which word comes first.

Attention gives the same whatever the order of the states it looks at. So a vector that depends
on the place alone is added to each token's embedding. Each class here is called with the first
place and the number of places, and gives one vector a place; one of three is chosen.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def sinusoidal_positions(length: int, size: int) -> Tensor:
    """Sines and cosines of `size` / 2 frequencies, (length, size).

        PE[p, 2i] = sin(p / 10000^(2i / size)),   PE[p, 2i + 1] = cos(p / 10000^(2i / size))

    The wavelengths go from 2π to nearly 10000 · 2π places. Moving by k places turns each pair
    (2i, 2i + 1) by an angle that depends on k alone, so PE[p + k] is a linear function of PE[p].

    Args:
        length: places, from 0.
        size: width of the vectors, even.

    Raises:
        ValueError: `length` is negative, or `size` is not an even number of at least 2.

    Source: Vaswani et al. 2017, section 3.5.
    """
    if length < 0:
        raise ValueError(f"length must be 0 or more, got {length}")
    if size < 2 or size % 2:
        raise ValueError(f"size must be even and at least 2, got {size}")
    places = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    frequencies = 10_000.0 ** -(torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = places * frequencies  # (length, size / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()


class SinusoidalPositions(nn.Module):
    """`sinusoidal_positions`, for any length. Nothing is learned.

    Raises:
        ValueError: `size` is not an even number of at least 2.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        sinusoidal_positions(0, size)  # refuses a wrong size
        self.size = size

    def forward(self, start: int, length: int) -> Tensor:
        """Vectors of the places `start` to `start + length − 1`: (length, size)."""
        return sinusoidal_positions(start + length, self.size)[start:]


class LearnedPositions(nn.Module):
    """One trained vector a place, for `max_length` places.

    The vectors start small beside the embeddings and are learned with everything else. A place
    that is in no training sentence keeps the random vector it began with.

    Args:
        size: width of the vectors.
        max_length: places.

    Raises:
        ValueError: a size is below 1; on a call, a place lies beyond `max_length`.

    Source: Gehring et al. 2017, section 3.1; compared with sines in Vaswani et al. 2017, table 3.
    """

    def __init__(self, size: int, max_length: int) -> None:
        super().__init__()
        for name, value in [("size", size), ("max_length", max_length)]:
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        self.table = nn.Parameter(0.1 * torch.randn(max_length, size))

    def forward(self, start: int, length: int) -> Tensor:
        """Vectors of the places `start` to `start + length − 1`: (length, size)."""
        if start + length > len(self.table):
            raise ValueError(
                f"vectors were learned for {len(self.table)} places, got a sequence of "
                f"{start + length} tokens; raise max_length, or take sinusoidal positions"
            )
        return self.table[start : start + length]


class NoPositions(nn.Module):
    """Zeros: every place looks alike, so that one can see what positions are for."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self, start: int, length: int) -> Tensor:
        return torch.zeros(length, self.size)


def make_positions(kind: str, size: int, max_length: int) -> nn.Module:
    """Positions by their name: "sinusoidal", "learned" or "none".

    Raises:
        ValueError: the name is unknown, or a size doesn't fit it.
    """
    if kind == "sinusoidal":
        return SinusoidalPositions(size)
    if kind == "learned":
        return LearnedPositions(size, max_length)
    if kind == "none":
        return NoPositions(size)
    raise ValueError(f"positions must be 'sinusoidal', 'learned' or 'none', got {kind!r}")


class PlacedEmbedding(nn.Module):
    """Embedding times √D, plus the vector of its place.

    The table starts with a standard deviation of 1 / √D: times √D it is as large as the sines,
    and as it is it suits a tied output layer, whose logits then have a size of about 1.

    Args:
        vocab_size: V.
        size: D.
        positions: called with the first place and the number of places; (L, D).
        dropout: share of the sum that is set to zero in training.

    Source: Vaswani et al. 2017, sections 3.4, 3.5 and 5.4.
    """

    def __init__(
        self, vocab_size: int, size: int, positions: nn.Module, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.scale = math.sqrt(size)
        self.embedding = nn.Embedding(vocab_size, size, padding_idx=0)
        with torch.no_grad():
            self.embedding.weight /= self.scale
        self.positions, self.dropout = positions, nn.Dropout(dropout)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """Ids (B, L), the first of them at place `start`, to (B, L, D)."""
        return self.dropout(self.embedding(ids) * self.scale + self.positions(start, ids.shape[1]))
