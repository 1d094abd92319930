"""The Transformer's parts: attention with several heads, and the layers made of it.

Layers are "pre-norm", x + f(LayerNorm(x)), where Vaswani et al. 2017 have LayerNorm(x + f(x)),
and the stack ends with one more LayerNorm. Then nothing but sums stands between the input and the
output of the stack, and in deep stacks the gradient at the start of training has about the same
size in every layer, so that a long warm-up isn't needed (Xiong et al. 2020). With the two layers
of this book's models that is no reason: tried once at two learning rates, both orders came out
alike.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .attention import ScaledDotScore, attend


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each with projections of its own.

    Head j asks with q = W_Q x, compares with k = W_K h, mixes v = W_V h, all of width
    size / heads: α = softmax(q kᵀ / √(size / heads)). The heads' contexts, one beside the other,
    go through W_O. What asks and what is looked at may be the same states (self-attention).

    As with a `Score`, `project` is the part that depends on what is looked at alone; a decoder
    that asks step by step keeps it and calls `compare`.

    Args:
        size: D, width of all states.
        heads: how many; must divide `size`.

    Raises:
        ValueError: a size is below 1 or `heads` doesn't divide `size`; on a call, shapes don't
            fit, the mask isn't bool, or it leaves a row nothing to look at.

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        if size < 1 or heads < 1 or size % heads:
            raise ValueError(f"heads must divide size, got {heads} heads and size {size}")
        self.size, self.heads = size, heads
        self.query_layer = nn.Linear(size, size)  # W_Q of all heads, one below the other
        self.key_layer = nn.Linear(size, size)  # W_K
        self.value_layer = nn.Linear(size, size)  # W_V
        self.output_layer = nn.Linear(size, size)  # W_O
        self.score = ScaledDotScore(size // heads, size // heads)

    def project(self, states: Tensor) -> Tensor:
        """States to look at (B, S, D) to their keys and values (B, S, 2, D)."""
        if states.ndim != 3 or states.shape[2] != self.size:
            raise ValueError(f"expected states (B, S, {self.size}), got {tuple(states.shape)}")
        return torch.stack([self.key_layer(states), self.value_layer(states)], dim=2)

    def compare(self, query: Tensor, projected: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
        """Ask for states (B, T, D) in keys and values (B, S, 2, D) through a mask.

        Args:
            valid: (B, S), or (B, T, S) if it differs from one query to the next; True = may be
                seen.

        Returns:
            context (B, T, D), weights of each head (B, heads, T, S).
        """
        if query.ndim != 3 or query.shape[::2] != (projected.shape[0], self.size):
            raise ValueError(
                f"expected a query ({projected.shape[0]}, T, {self.size}), got {tuple(query.shape)}"
            )
        q = self._split(self.query_layer(query))  # (B, heads, T, D / heads)
        k, v = self._split(projected[:, :, 0]), self._split(projected[:, :, 1])
        valid = valid[:, None].expand(-1, self.heads, *valid.shape[1:])  # the same for all heads
        context, weights = attend(self.score.compare(q, k), v, valid)
        return self.output_layer(context.transpose(1, 2).flatten(2)), weights

    def forward(self, query: Tensor, states: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
        """Query (B, T, D), states (B, S, D), mask (B, S) or (B, T, S), as in `compare`."""
        return self.compare(query, self.project(states), valid)

    def _split(self, x: Tensor) -> Tensor:
        """(B, L, D) to (B, heads, L, D / heads): head j has the j-th block of columns."""
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)


def feed_forward(size: int, hidden: int) -> nn.Sequential:
    """W_2 ReLU(W_1 x), at each place by itself. Source: Vaswani et al. 2017, section 3.3."""
    return nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, size))


class EncoderLayer(nn.Module):
    """Self-attention over the source, then the feed-forward net; each added to its input.

    Args:
        size: D.
        heads: of the attention.
        feedforward: width of the hidden layer of the feed-forward net.
        dropout: share of what each part adds that is set to zero in training.

    Source: Vaswani et al. 2017, section 3.1, with the norms of Xiong et al. 2020, table 1.
    """

    def __init__(self, size: int, heads: int, feedforward: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(size, heads)
        self.feedforward = feed_forward(size, feedforward)
        self.attention_norm, self.feedforward_norm = nn.LayerNorm(size), nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, S, D) and mask (B, S) to states (B, S, D), weights (B, heads, S, S)."""
        normed = self.attention_norm(x)
        context, weights = self.attention(normed, normed, valid)
        x = x + self.dropout(context)
        return x + self.dropout(self.feedforward(self.feedforward_norm(x))), weights


class DecoderLayer(nn.Module):
    """Self-attention over what was said so far, attention to the source, feed-forward net.

    Arguments and source are those of `EncoderLayer`.
    """

    def __init__(self, size: int, heads: int, feedforward: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(size, heads)
        self.cross_attention = MultiHeadAttention(size, heads)
        self.feedforward = feed_forward(size, feedforward)
        self.self_norm, self.cross_norm = nn.LayerNorm(size), nn.LayerNorm(size)
        self.feedforward_norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, before: Tensor, seen: Tensor, states: Tensor, src_valid: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """T new places, after t earlier ones.

        Args:
            x: (B, T, D), the new places.
            before: (B, t, 2, D), this layer's keys and values of the earlier places.
            seen: (T, t + T) bool, True = may be seen: the last T rows of a causal mask.
            states: (B, S, D), what the encoder made.
            src_valid: (B, S).

        Returns:
            states (B, T, D); keys and values (B, t + T, 2, D) for the next call; weights of
            self-attention (B, heads, T, t + T) and of cross-attention (B, heads, T, S).
        """
        normed = self.self_norm(x)
        said = torch.cat([before, self.self_attention.project(normed)], dim=1)  # (B, t + T, 2, D)
        context, inward = self.self_attention.compare(normed, said, seen.expand(len(x), -1, -1))
        x = x + self.dropout(context)
        context, across = self.cross_attention(self.cross_norm(x), states, src_valid)
        x = x + self.dropout(context)
        x = x + self.dropout(self.feedforward(self.feedforward_norm(x)))
        return x, said, inward, across
