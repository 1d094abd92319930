"""Attention: scores to weights to context. The only softmax over source positions.

Every score compares a query (a decoder state) with keys (the encoder states); `attend`
turns scores into weights that sum to 1 over the real source tokens, and mixes the values.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import linear


class Score(nn.Module):
    """Base of all scores: (query (B, T, H), keys (B, S, D)) → scores (B, T, S).

    `project` is the part that depends on the keys alone. A decoder that asks step by step
    computes it once a sentence and calls `compare` at every step.

    Raises (on a call):
        ValueError: query or keys have not three axes, or not this score's sizes.
    """

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__()
        if query_size < 1 or key_size < 1:
            raise ValueError(f"sizes must be at least 1, got query {query_size}, key {key_size}")
        self.query_size, self.key_size = query_size, key_size

    def project(self, keys: Tensor) -> Tensor:
        """Keys (B, S, D) to what `compare` needs of them."""
        return keys

    def compare(self, query: Tensor, projected: Tensor) -> Tensor:
        """Query (B, T, H) and projected keys (B, S, ·) to scores (B, T, S)."""
        return query @ projected.transpose(-2, -1)  # (B, T, S)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        wrong = query.ndim != 3 or keys.ndim != 3 or query.shape[0] != keys.shape[0]
        if wrong or query.shape[2] != self.query_size or keys.shape[2] != self.key_size:
            raise ValueError(
                f"expected query (B, T, {self.query_size}) and keys (B, S, {self.key_size}), "
                f"got {tuple(query.shape)} and {tuple(keys.shape)}"
            )
        return self.compare(query, self.project(keys))


def _hidden_width(query_size: int, attention_size: int | None) -> int:
    """Width of the hidden layer of a score that adds: H if it isn't given."""
    size = query_size if attention_size is None else attention_size
    if size < 1:
        raise ValueError(f"attention_size must be at least 1, got {size}")
    return size


class AdditiveScore(Score):
    """e_ti = vᵀ tanh(W s + U h_i). Source: Bahdanau et al. 2015, appendix A.1.2.

    Args:
        query_size: H.
        key_size: D.
        attention_size: width of the hidden layer between; H if not given.
    """

    def __init__(self, query_size: int, key_size: int, attention_size: int | None = None) -> None:
        super().__init__(query_size, key_size)
        size = _hidden_width(query_size, attention_size)
        self.query_layer = nn.Linear(query_size, size, bias=False)  # W
        self.key_layer = nn.Linear(key_size, size, bias=False)  # U
        self.energy = nn.Linear(size, 1, bias=False)  # v

    def project(self, keys: Tensor) -> Tensor:
        return self.key_layer(keys)  # (B, S, A)

    def compare(self, query: Tensor, projected: Tensor) -> Tensor:
        mixed = self.query_layer(query)[:, :, None] + projected[:, None]  # (B, T, S, A)
        return self.energy(torch.tanh(mixed))[..., 0]  # (B, T, S)


class ConcatScore(Score):
    """e_ti = vᵀ tanh(W_a [s ; h_i]): one matrix over both. Source: Luong et al. 2015, equation 8.

    The first H columns of W_a meet the query only, the other D the key only, so
    W_a [s ; h_i] = W s + U h_i with W_a = [W U]: this is the additive score, drawn at random in
    one piece. It is computed as two products, too, or the keys' part would be computed T times.

    Args:
        query_size: H.
        key_size: D.
        attention_size: width of the hidden layer between; H if not given.
    """

    def __init__(self, query_size: int, key_size: int, attention_size: int | None = None) -> None:
        super().__init__(query_size, key_size)
        size = _hidden_width(query_size, attention_size)
        self.layer = nn.Linear(query_size + key_size, size, bias=False)  # W_a (A, H + D)
        self.energy = nn.Linear(size, 1, bias=False)  # v

    def project(self, keys: Tensor) -> Tensor:
        return linear(keys, self.layer.weight[:, self.query_size :])  # (B, S, A)

    def compare(self, query: Tensor, projected: Tensor) -> Tensor:
        asked = linear(query, self.layer.weight[:, : self.query_size])  # (B, T, A)
        mixed = asked[:, :, None] + projected[:, None]  # (B, T, S, A): W_a [s ; h_i]
        return self.energy(torch.tanh(mixed))[..., 0]  # (B, T, S)


class DotScore(Score):
    """e_ti = s · h_i, without parameters. Source: Luong et al. 2015, equation 8, "dot".

    Raises:
        ValueError: query and keys differ in size; a general score can compare those.
    """

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__(query_size, key_size)
        if query_size != key_size:
            raise ValueError(
                f"a dot product needs query and keys of one size, got {query_size} and "
                f"{key_size}; choose encoder_size so that they agree, or the general score"
            )


class ScaledDotScore(DotScore):
    """e_ti = s · h_i / √H. Source: Vaswani et al. 2017, equation 1."""

    def compare(self, query: Tensor, projected: Tensor) -> Tensor:
        return super().compare(query, projected) / math.sqrt(self.query_size)


class GeneralScore(Score):
    """e_ti = sᵀ W h_i. Source: Luong et al. 2015, equation 8, "general"."""

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__(query_size, key_size)
        self.key_layer = nn.Linear(key_size, query_size, bias=False)  # W

    def project(self, keys: Tensor) -> Tensor:
        return self.key_layer(keys)  # (B, S, H)


SCORES: dict[str, type[Score]] = {
    "additive": AdditiveScore,
    "concat": ConcatScore,
    "dot": DotScore,
    "general": GeneralScore,
    "scaled_dot": ScaledDotScore,
}


def attend(scores: Tensor, values: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax over the real source positions, then the weighted sum of the values.

        α_ti = exp(e_ti) / Σ_k exp(e_tk),   c_t = Σ_i α_ti h_i

    Several heads go through at once with one more axis: (B, J, T, S), (B, J, S, D), (B, J, S).

    Args:
        scores: e (B, T, S).
        values: h (B, S, D).
        valid: (B, S) bool, True = a real token; or (B, T, S), if not every step may see the same.

    Returns:
        context c (B, T, D), weights α (B, T, S): rows sum to 1, exactly 0 where not valid.

    Raises:
        ValueError: shapes don't fit, the mask isn't bool, or a row has no real token.

    Source: Bahdanau et al. 2015, equations 5 and 6.
    """
    *batch, _, size = scores.shape
    masks = ((*batch, size), scores.shape)
    if values.shape[:-1] != masks[0] or valid.shape not in masks:
        raise ValueError(
            f"scores {tuple(scores.shape)} need values {masks[0]} + (D,) and a mask {masks[0]}, "
            f"got {tuple(values.shape)} and {tuple(valid.shape)}"
        )
    if valid.dtype != torch.bool:
        raise ValueError(f"the mask must be bool with True = a real token, got {valid.dtype}")
    if not bool(valid.any(dim=-1).all()):
        empty = sorted(set((~valid.any(dim=-1)).nonzero()[:, 0].tolist()))
        raise ValueError(f"the mask leaves no real token to attend to in rows {empty}")
    seen = valid if valid.shape == scores.shape else valid[..., None, :]  # (B, T or 1, S)
    weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)  # (B, T, S)
    return weights @ values, weights
