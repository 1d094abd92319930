"""Choosing the target: from `<sos>` to `<eos>`, one token after another. Takes no targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .batch import Batch, Sources, collate_sources
from .model import Seq2Seq, evaluating


class Hypothesis(NamedTuple):
    """One finished (or cut) translation."""

    ids: list[int]  # target ids without `<sos>` and `<eos>`
    tokens: list[str]
    log_prob: float  # log P(ids, `<eos>` | source), nats; without `<eos>` if not complete
    weights: Tensor | None  # (steps, S): α_t of every step, the `<eos>` step included
    complete: bool  # False: `max_len` tokens were said and `<eos>` was not among them


def greedy(model: Seq2Seq, sources: Sources | Batch, max_len: int = 100) -> list[Hypothesis]:
    """Take the most probable token at every step, for the whole batch at once.

    Args:
        model: any model; its mode is restored afterwards.
        sources: a padded batch of B sources.
        max_len: at most so many tokens before `<eos>`; a hypothesis that reaches it says so
            with `complete=False`.

    Returns:
        B hypotheses, in the order of the sources.

    Raises:
        ValueError: `max_len` is below 1.
        FloatingPointError: the model's logits are not numbers.
    """
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, got {max_len}")
    vocab, batch = model.tgt_vocab, len(sources.src_len)
    with evaluating(model):
        encoded = model.encode(sources)
        state = encoded.final  # (B, H)
        prev = torch.full((batch,), vocab.sos_id)
        open_ = torch.ones(batch, dtype=torch.bool)  # still without `<eos>`
        log_prob = torch.zeros(batch)
        said: list[Tensor] = []
        looked: list[Tensor] = []  # stays empty without attention
        for step in range(max_len + 1):
            logits, state, weights = model.decoder.step(prev, state, encoded, sources.src_valid)
            if bool(logits.isnan().any()):
                raise FloatingPointError("the model's logits are not numbers (NaN)")
            best, prev = logits.log_softmax(dim=-1).max(dim=-1)  # (B,), (B,)
            ends = prev == vocab.eos_id
            counts = open_ if step < max_len else open_ & ends  # the last step may only end
            log_prob += torch.where(counts, best, 0.0)
            said.append(prev)
            if weights is not None:
                looked.append(weights)
            open_ = open_ & ~ends
            if not open_.any():
                break
    ids = torch.stack(said, dim=1).tolist()  # B rows of at most max_len + 1 ids
    alphas = torch.stack(looked, dim=1) if looked else None  # (B, steps, S)
    return [
        _hypothesis(model, row, log_prob[b], alphas, b, int(sources.src_len[b]), max_len)
        for b, row in enumerate(ids)
    ]


def _hypothesis(
    model: Seq2Seq,
    row: list[int],
    log_prob: Tensor,
    alphas: Tensor | None,
    b: int,
    size: int,
    max_len: int,
) -> Hypothesis:
    """Cut row b after its `<eos>`, and its weights to its own source."""
    complete = model.tgt_vocab.eos_id in row
    length = row.index(model.tgt_vocab.eos_id) if complete else max_len
    tokens = [model.tgt_vocab.tokens[i] for i in row[:length]]
    weights = None if alphas is None else alphas[b, : length + complete, :size]
    return Hypothesis(row[:length], tokens, float(log_prob), weights, complete)


def translate(
    model: Seq2Seq, sources: Sequence[Sequence[str]], max_len: int = 100, batch_size: int = 512
) -> list[Hypothesis]:
    """Greedy translations of any number of tokenised sources, in their order.

    Sources of one length go into one batch, so nothing is padded.

    Raises:
        KeyError: a token is unknown and the source vocabulary has no `<unk>`.
        ValueError: a source is empty, or `batch_size` is below 1.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    found: dict[int, Hypothesis] = {}
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    while order:
        size = len(sources[order[0]])
        chunk = [i for i in order[:batch_size] if len(sources[i]) == size]
        order = order[len(chunk) :]
        batch = collate_sources([sources[i] for i in chunk], model.src_vocab)
        found.update(zip(chunk, greedy(model, batch, max_len), strict=True))
    return [found[i] for i in range(len(sources))]
