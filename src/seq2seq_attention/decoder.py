"""Decoders: from the source's states to the target, one token after another.

Three of them, the line of the story. `Decoder` sees the source only through its first
state (Sutskever et al. 2014). `BahdanauDecoder` asks with the state before the step,
s_{t-1}, and feeds the context into the recurrence (Bahdanau et al. 2015). `LuongDecoder`
asks with the state after it, s_t, and uses the context for the output only (Luong et al.
2015, section 3.1, without input feeding), so all steps can be asked at once in training.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .attention import Score, attend
from .encoder import EncoderOutput

# (scores (B, T, S), values (B, S, D), valid (B, S)) → other scores (B, T, S): see `interventions`
Intervention = Callable[[Tensor, Tensor, Tensor], Tensor]


class StepOutput(NamedTuple):
    """One target step."""

    logits: Tensor  # (B, V): l_t, unnormalised log-probabilities of the next token
    state: Tensor  # (B, H): s_t; of a Transformer the cache (B, t, L, 2, D)
    weights: Tensor | None  # (B, S): α_t, or None without attention


class DecoderOutput(NamedTuple):
    """All target steps under teacher forcing."""

    logits: Tensor  # (B, T, V)
    states: Tensor  # (B, T, H)
    weights: Tensor | None  # (B, T, S)


class Decoder(nn.Module):
    """Plain decoder: s_0 = c, then f(s_{t-1}, y_{t-1}) → s_t, l_t. The source is not seen again.

    Args:
        vocab_size: V of the target.
        embed_size: E.
        hidden_size: H.
        tied: score with the target embeddings themselves (Press & Wolf 2017): the output
            vector is projected to E and its dot product with each embedding is the logit.
        context_size: width of a context read beside y_{t-1} at every step; 0 here.

    Raises:
        ValueError: a size is below 1.
    """

    intervene: Intervention | None = None  # set for a while by `interventions.intervening`

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        hidden_size: int,
        tied: bool = False,
        context_size: int = 0,
    ) -> None:
        super().__init__()
        sizes = {"vocab_size": vocab_size, "embed_size": embed_size, "hidden_size": hidden_size}
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        self.embedding = nn.Embedding(vocab_size, embed_size, padding_idx=0)
        self.gru = nn.GRU(embed_size + context_size, hidden_size, batch_first=True)
        self.head = Head(hidden_size, self.embedding, tied)

    def step(
        self, prev_ids: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> StepOutput:
        """Read y_{t-1} (B,) in state s_{t-1} (B, H); give l_t, s_t and α_t."""
        out = self.unroll(prev_ids[:, None], state, encoded, src_valid)
        weights = None if out.weights is None else out.weights[:, 0]
        return StepOutput(out.logits[:, 0], out.states[:, 0], weights)

    def forward(self, tgt_in: Tensor, encoded: EncoderOutput, src_valid: Tensor) -> DecoderOutput:
        """Teacher forcing: every y_{t-1} is given.

        Args:
            tgt_in: (B, T) int64, `<sos> y_1 .. y_m`.
            encoded: states (B, S, D) and final (B, H).
            src_valid: (B, S) bool, True = a real token.

        Raises:
            ValueError: batch sizes differ, or the mask doesn't fit the states.
        """
        batch = encoded.states.shape[:2]
        if tgt_in.ndim != 2 or tgt_in.shape[0] != batch[0] or src_valid.shape != batch:
            raise ValueError(
                f"states {tuple(encoded.states.shape)} need tgt_in ({batch[0]}, T) and a mask "
                f"{tuple(batch)}, got {tuple(tgt_in.shape)} and {tuple(src_valid.shape)}"
            )
        return self.unroll(tgt_in, encoded.final, encoded, src_valid)

    def unroll(
        self, tgt_in: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> DecoderOutput:
        """Run T steps from `state` (B, H). Each decoder differs in this method alone."""
        states, _ = self.gru(self.embedding(tgt_in), state[None].contiguous())  # (B, T, H)
        return DecoderOutput(self.head(states), states, None)

    def attend(self, scores: Tensor, values: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
        """Context (B, T, D) and weights (B, T, S), of altered scores while someone intervenes."""
        if self.intervene is not None:
            scores = self.intervene(scores, values, valid)
        return attend(scores, values, valid)


class LuongDecoder(Decoder):
    """Attention asked with s_t: c_t = attend(s_t), output tanh(W_c [s_t ; c_t]).

    Args:
        score: compares s_t (B, T, H) with h_i (B, S, D).

    Source: Luong et al. 2015, equations 5 to 7.
    """

    def __init__(
        self, vocab_size: int, embed_size: int, hidden_size: int, score: Score, tied: bool = False
    ) -> None:
        super().__init__(vocab_size, embed_size, hidden_size, tied)
        self.score = score
        self.combine = nn.Linear(hidden_size + score.key_size, hidden_size)  # W_c

    def unroll(
        self, tgt_in: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> DecoderOutput:
        states, _ = self.gru(self.embedding(tgt_in), state[None].contiguous())  # (B, T, H)
        scores = self.score(states, encoded.states)  # (B, T, S)
        context, weights = self.attend(scores, encoded.states, src_valid)  # (B, T, D)
        output = torch.tanh(self.combine(torch.cat([states, context], dim=-1)))  # (B, T, H)
        return DecoderOutput(self.head(output), states, weights)


class BahdanauDecoder(Decoder):
    """Attention asked with s_{t-1}: c_t first, then s_t = f(s_{t-1}, y_{t-1}, c_t).

    The output layer reads s_t, y_{t-1} and c_t through one tanh layer, where the paper
    has a maxout layer of the same inputs.

    Args:
        score: compares s_{t-1} (B, 1, H) with h_i (B, S, D).

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.2.2.
    """

    def __init__(
        self, vocab_size: int, embed_size: int, hidden_size: int, score: Score, tied: bool = False
    ) -> None:
        super().__init__(vocab_size, embed_size, hidden_size, tied, context_size=score.key_size)
        self.score = score
        self.combine = nn.Linear(hidden_size + embed_size + score.key_size, hidden_size)

    def unroll(
        self, tgt_in: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
    ) -> DecoderOutput:
        embedded = self.embedding(tgt_in)  # (B, T, E)
        projected = self.score.project(encoded.states)  # once a sentence
        states, contexts, weights = [], [], []
        for t in range(tgt_in.shape[1]):
            scores = self.score.compare(state[:, None], projected)  # (B, 1, S)
            context, alpha = self.attend(scores, encoded.states, src_valid)  # (B, 1, D)
            read = torch.cat([embedded[:, t : t + 1], context], dim=-1)  # (B, 1, E + D)
            _, last = self.gru(read, state[None].contiguous())
            state = last[0]  # (B, H): s_t
            states.append(state)
            contexts.append(context[:, 0])
            weights.append(alpha[:, 0])
        all_states = torch.stack(states, dim=1)  # (B, T, H)
        inputs = torch.cat([all_states, embedded, torch.stack(contexts, dim=1)], dim=-1)
        output = torch.tanh(self.combine(inputs))  # (B, T, H)
        return DecoderOutput(self.head(output), all_states, torch.stack(weights, dim=1))


class Head(nn.Module):
    """The language-model head: output vector (…, ·) to logits (…, V)."""

    def __init__(self, input_size: int, embedding: nn.Embedding, tied: bool) -> None:
        super().__init__()
        vocab_size, embed_size = embedding.weight.shape
        self.project = nn.Linear(input_size, embed_size, bias=False) if tied else nn.Identity()
        self.output = nn.Linear(embed_size if tied else input_size, vocab_size)
        if tied:
            self.output.weight = embedding.weight

    def forward(self, output: Tensor) -> Tensor:
        return self.output(self.project(output))
