"""Joins encoder and decoder; all sizes and choices are in one frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from .attention import SCORES
from .batch import Batch, Sources
from .decoder import BahdanauDecoder, Decoder, DecoderOutput, LuongDecoder, StepOutput
from .encoder import Encoder, EncoderOutput
from .vocab import Vocab

QUERIES = ("previous", "current")


@dataclass(frozen=True)
class ModelConfig:
    """What to build.

    Attributes:
        attention: "none", or the score: "additive", "concat", "dot", "general" or "scaled_dot".
        query: which decoder state asks: "previous" is s_{t-1} (Bahdanau), "current" is s_t
            (Luong). Without attention it changes nothing.
        embed_size: E, for both languages.
        hidden_size: H, the decoder's state.
        bidirectional: the encoder reads both ways.
        encoder_size: width of one encoder direction; `hidden_size` if None.
        tied: the output layer scores with the target embeddings.
        dropout: share of the encoder states' numbers set to zero in training.

    Raises:
        ValueError: a value is unknown, a size below 1, or `dropout` not in [0, 1).
    """

    attention: str = "none"
    query: str = "previous"
    embed_size: int = 64
    hidden_size: int = 128
    bidirectional: bool = False
    encoder_size: int | None = None
    tied: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.attention not in ("none", *SCORES):
            raise ValueError(
                f"attention must be one of {['none', *SCORES]}, got {self.attention!r}"
            )
        if self.query not in QUERIES:
            raise ValueError(f"query must be one of {list(QUERIES)}, got {self.query!r}")
        for name in ("bidirectional", "tied"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be from 0 to below 1, got {self.dropout}")
        for name in ("embed_size", "hidden_size", "encoder_size"):
            size = getattr(self, name)
            if size is None and name == "encoder_size":
                continue
            if isinstance(size, bool) or not isinstance(size, int):
                raise ValueError(f"{name} must be an integer, got {size!r}")
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")


class Speaker(Protocol):
    """What training and search ask of a decoder; how it gets there is its own affair."""

    def step(
        self, prev_ids: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> StepOutput:
        """y_{t-1} (B,) and a state (B, …) that search may reorder by its rows, to l_t, s_t, α_t."""

    def __call__(self, tgt_in: Tensor, encoded: EncoderOutput, src_valid: Tensor) -> DecoderOutput:
        """Teacher forcing, from the state `encoded.final`."""


class Seq2Seq(nn.Module):
    """An encoder, a decoder, and the two vocabularies they were made for."""

    encoder: Any  # modules of several kinds, with parts of their own
    decoder: Any

    def __init__(
        self,
        encoder: Callable[..., Any],
        decoder: Speaker,
        src_vocab: Vocab,
        tgt_vocab: Vocab,
    ) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.src_vocab, self.tgt_vocab = src_vocab, tgt_vocab

    def encode(self, sources: Sources | Batch) -> EncoderOutput:
        """Read the sources: states (B, S, D) and final (B, H)."""
        return self.encoder(sources.src_ids, sources.src_len)

    def forward(self, batch: Batch) -> DecoderOutput:
        """Teacher forcing: logits (B, T, V) for every target position, given the ones before."""
        return self.decoder(batch.tgt_in, self.encode(batch), batch.src_valid)


@contextmanager
def evaluating(model: Seq2Seq) -> Iterator[None]:
    """Evaluation mode and no gradients inside; the model's own mode again afterwards."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def build_model(config: ModelConfig, src_vocab: Vocab, tgt_vocab: Vocab) -> Seq2Seq:
    """A new model with random weights; call `train.seed_everything` before, to repeat it.

    Raises:
        ValueError: the sizes don't fit together (a dot score with encoder states of another
            width than the decoder's, or a one-way encoder of another width).
    """
    encoder = Encoder(
        len(src_vocab),
        config.embed_size,
        config.encoder_size or config.hidden_size,
        config.bidirectional,
        final_size=config.hidden_size,
        dropout=config.dropout,
    )
    sizes = (len(tgt_vocab), config.embed_size, config.hidden_size)
    if config.attention == "none":
        return Seq2Seq(encoder, Decoder(*sizes, tied=config.tied), src_vocab, tgt_vocab)
    score = SCORES[config.attention](config.hidden_size, encoder.output_size)
    kind = BahdanauDecoder if config.query == "previous" else LuongDecoder
    return Seq2Seq(encoder, kind(*sizes, score, tied=config.tied), src_vocab, tgt_vocab)


def count_parameters(model: nn.Module) -> int:
    """Number of trained numbers; a tied matrix counts once."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
