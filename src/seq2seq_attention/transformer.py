"""A small Transformer: attention without recurrence, on the same tasks, with the same search.

A `Transformer` is called as a `Seq2Seq` is, so training, search, scoring and evaluation work
with it as they are. What a recurrent decoder keeps from step to step is its last state; this
one keeps the keys and values of all places so far, in one tensor that grows by a place a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .batch import Batch, Sources, causal_mask
from .decoder import DecoderOutput, Head, StepOutput
from .encoder import EncoderOutput
from .layers import DecoderLayer, EncoderLayer
from .model import Seq2Seq
from .positions import PlacedEmbedding, make_positions
from .vocab import Vocab


@dataclass(frozen=True)
class TransformerConfig:
    """What to build.

    Attributes:
        size: D, width of all embeddings and states.
        heads: attentions side by side; must divide `size`.
        layers: of the encoder, and as many of the decoder.
        feedforward: width of the feed-forward nets' hidden layer.
        dropout: share of what each part adds, and of the embeddings, set to zero in training.
        positions: "sinusoidal", "learned" or "none".
        tied: the output layer scores with the target embeddings.
        max_length: places that learned positions have; the others have no limit.

    Raises:
        ValueError: a value is unknown, a size not an integer above 0, `heads` doesn't divide
            `size`, `size` is odd with sinusoidal positions, or `dropout` is not in [0, 1).
    """

    size: int = 64
    heads: int = 4
    layers: int = 2
    feedforward: int = 96
    dropout: float = 0.0
    positions: str = "sinusoidal"
    tied: bool = False
    max_length: int = 128

    def __post_init__(self) -> None:
        for name in ("size", "heads", "layers", "feedforward", "max_length"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be an integer above 0, got {value!r}")
        if self.size % self.heads:
            raise ValueError(f"heads must divide size {self.size}, got {self.heads}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be from 0 to below 1, got {self.dropout}")
        if not isinstance(self.tied, bool):
            raise ValueError(f"tied must be True or False, got {self.tied!r}")
        make_positions(self.positions, self.size, self.max_length)  # refuses what it can't make


class TransformerWeights(NamedTuple):
    """All attention weights of one teacher-forced pass. L layers, J heads."""

    encoder: Tensor  # (B, L, J, S, S): source place asks, source place answers
    decoder: Tensor  # (B, L, J, T, T): zero above the diagonal
    cross: Tensor  # (B, L, J, T, S)


class Unrolled(NamedTuple):
    """T target steps, with all that can be asked about them."""

    output: DecoderOutput
    state: Tensor  # (B, t + T, L, 2, D): keys and values of all places so far
    inward: Tensor  # (B, L, J, T, t + T): self-attention
    across: Tensor  # (B, L, J, T, S): cross-attention


class TransformerEncoder(nn.Module):
    """Layers of self-attention over the source: h_1 .. h_S, all at once."""

    def __init__(self, vocab_size: int, config: TransformerConfig) -> None:
        super().__init__()
        self.embed = _embedding(vocab_size, config)
        sizes = (config.size, config.heads, config.feedforward, config.dropout)
        self.layers = nn.ModuleList(EncoderLayer(*sizes) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.size)

    def forward(self, src_ids: Tensor, src_valid: Tensor) -> tuple[Tensor, Tensor]:
        """Ids (B, S) and mask (B, S) to states (B, S, D), zero at padding, and weights.

        Returns:
            states (B, S, D), weights (B, L, J, S, S).

        Raises:
            ValueError: shapes don't fit, or a row has no real token.
        """
        if src_ids.ndim != 2 or src_valid.shape != src_ids.shape:
            raise ValueError(
                f"expected src_ids and src_valid (B, S), got {tuple(src_ids.shape)} and "
                f"{tuple(src_valid.shape)}"
            )
        x = self.embed(src_ids)
        weights = []
        for layer in self.layers:
            x, looked = layer(x, src_valid)
            weights.append(looked)
        states = self.norm(x).masked_fill(~src_valid[..., None], 0.0)
        return states, torch.stack(weights, dim=1)


class TransformerDecoder(nn.Module):
    """Layers that look back at what was said, and across at the source.

    A step and teacher forcing are one computation, `unroll`: a step adds one place to the cache,
    teacher forcing adds all places to an empty one, through a causal mask.
    """

    def __init__(self, vocab_size: int, config: TransformerConfig) -> None:
        super().__init__()
        self.embed = _embedding(vocab_size, config)
        sizes = (config.size, config.heads, config.feedforward, config.dropout)
        self.layers = nn.ModuleList(DecoderLayer(*sizes) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.size)
        self.head = Head(config.size, self.embed.embedding, config.tied)

    def first_state(self, batch: int) -> Tensor:
        """The cache before the first step, (B, 0, L, 2, D): no place yet."""
        return torch.zeros(batch, 0, len(self.layers), 2, self.norm.normalized_shape[0])

    def step(
        self, prev_ids: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> StepOutput:
        """Read y_{t-1} (B,) after the t places of `state` (B, t, L, 2, D).

        Returns:
            l_t (B, V), the cache (B, t + 1, L, 2, D), α_t (B, S).
        """
        (logits, _, weights), state, _, _ = self.unroll(
            prev_ids[:, None], state, encoded, src_valid
        )
        return StepOutput(logits[:, 0], state, None if weights is None else weights[:, 0])

    def forward(self, tgt_in: Tensor, encoded: EncoderOutput, src_valid: Tensor) -> DecoderOutput:
        """Teacher forcing, all T steps at once.

        Args:
            tgt_in: (B, T) int64, `<sos> y_1 .. y_m`.
            encoded: states (B, S, D) and the empty cache.
            src_valid: (B, S) bool, True = a real token.

        Returns:
            logits (B, T, V), states (B, T, D), weights (B, T, S) as `unroll` sums them up.

        Raises:
            ValueError: batch sizes differ, or the mask doesn't fit the states.
        """
        batch = encoded.states.shape[:2]
        if tgt_in.ndim != 2 or tgt_in.shape[0] != batch[0] or src_valid.shape != batch:
            raise ValueError(
                f"states {tuple(encoded.states.shape)} need tgt_in ({batch[0]}, T) and a mask "
                f"{tuple(batch)}, got {tuple(tgt_in.shape)} and {tuple(src_valid.shape)}"
            )
        return self.unroll(tgt_in, encoded.final, encoded, src_valid).output

    def unroll(
        self, tgt_in: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> Unrolled:
        """T steps (B, T) after the t places of `state` (B, t, L, 2, D).

        Padding after a target needs no mask of its own: no real place sees a later one.
        `output.weights` is the mean of cross-attention over the heads of the last layer.
        """
        done = state.shape[1]
        x = self.embed(tgt_in, start=done)  # (B, T, D)
        seen = causal_mask(done + tgt_in.shape[1])[done:]  # (T, t + T)
        caches, inward, across = [], [], []  # one of each a layer
        for i, layer in enumerate(self.layers):
            x, said, to_targets, to_sources = layer(
                x, state[:, :, i], seen, encoded.states, src_valid
            )
            caches.append(said)
            inward.append(to_targets)
            across.append(to_sources)
        states = self.norm(x)
        output = DecoderOutput(self.head(states), states, across[-1].mean(dim=1))
        cache = torch.stack(caches, dim=2)  # (B, t + T, L, 2, D)
        return Unrolled(output, cache, torch.stack(inward, dim=1), torch.stack(across, dim=1))


class Transformer(Seq2Seq):
    """Encoder and decoder of attention alone. Source: Vaswani et al. 2017, section 3."""

    encoder: TransformerEncoder
    decoder: TransformerDecoder

    def encode(self, sources: Sources | Batch) -> EncoderOutput:
        """Read the sources: states (B, S, D), and as `final` the decoder's empty cache."""
        states, _ = self.encoder(sources.src_ids, sources.src_valid)
        return EncoderOutput(states, self.decoder.first_state(len(states)))

    def look(self, batch: Batch) -> TransformerWeights:
        """Every head's weights in every layer, under teacher forcing."""
        states, weights = self.encoder(batch.src_ids, batch.src_valid)
        first = self.decoder.first_state(len(states))
        out = self.decoder.unroll(
            batch.tgt_in, first, EncoderOutput(states, first), batch.src_valid
        )
        return TransformerWeights(weights, out.inward, out.across)


def build_transformer(config: TransformerConfig, src_vocab: Vocab, tgt_vocab: Vocab) -> Transformer:
    """A new Transformer with random weights; call `train.seed_everything` before, to repeat it."""
    return Transformer(
        TransformerEncoder(len(src_vocab), config),
        TransformerDecoder(len(tgt_vocab), config),
        src_vocab,
        tgt_vocab,
    )


def _embedding(vocab_size: int, config: TransformerConfig) -> PlacedEmbedding:
    positions = make_positions(config.positions, config.size, config.max_length)
    return PlacedEmbedding(vocab_size, config.size, positions, config.dropout)
