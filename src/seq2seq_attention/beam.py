"""Choosing the target among several: beam search."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from .batch import Batch, Sources
from .encoder import EncoderOutput
from .model import Seq2Seq, evaluating
from .search import Hypothesis, check_count, next_log_probs


class Step(NamedTuple):
    """What one step kept, best first: the K beginnings of each source."""

    parent: list[list[int]]  # (B, K): place among the K of the step before
    token: list[list[int]]  # (B, K)
    weights: Tensor | None  # (B, K, S), by place in the step before


class End(NamedTuple):
    """The last token of a hypothesis: in which step and at which of its K places."""

    score: float
    log_prob: float
    step: int
    place: int
    complete: bool


def beam(
    model: Seq2Seq,
    sources: Sources | Batch,
    width: int = 4,
    length_penalty: float = 0.0,
    max_len: int = 100,
) -> list[list[Hypothesis]]:
    """Beam search: keep the `width` most probable beginnings at every step, not the best alone.

    A step extends each open beginning by each token of the vocabulary, and the `width` most
    probable of all these candidates are kept; of equal ones, those with the better beginning,
    then with the lower id. Those that end in `<eos>` are finished and set aside, the others are
    extended in the next step. Of the finished ones, the `width` best stay by

        score = log_prob / length ** length_penalty

    where length counts `<eos>`. A log-probability falls with every token, so a penalty of 0
    favours short sentences; 1 compares means per token. (Wu et al. 2016 divide by
    ((5 + length) / 6) ** λ instead, which is milder for short sentences.) Scores rank finished
    hypotheses only; beginnings compete at equal length.

    A source is done when `width` hypotheses are finished and no open beginning can become
    better than the worst of them. What a beginning of log-probability l can reach is at most
    l / (max_len + 1) ** length_penalty: nothing more lost, and the greatest length. With a
    penalty of 0 this is l, and a tight bound. With a penalty above 0 it is loose: the search
    goes on longer than it might, and misses nothing.

    Width 1 is greedy search, whatever the penalty.

    Args:
        model: any model; its mode is restored afterwards.
        sources: a padded batch of B sources.
        width: K, how many are kept for each source.
        length_penalty: 0 or more.
        max_len: at most so many tokens before `<eos>`.

    Returns:
        For each source up to `width` finished hypotheses, best first; if none was finished,
        the beginnings of `max_len` tokens instead, with `complete=False`.

    Raises:
        ValueError: `width` or `max_len` is not an integer above 0, or `length_penalty` is
            negative or not finite.
        FloatingPointError: the model's logits are not numbers.

    Source: Sutskever et al. 2014, section 3.2; Wu et al. 2016, section 7.
    """
    steps, ends = run_beam(model, sources, width, length_penalty, max_len)
    return [
        [trace(model, steps, b, end, int(sources.src_len[b])) for end in row]
        for b, row in enumerate(ends)
    ]


def run_beam(
    model: Seq2Seq,
    sources: Sources | Batch,
    width: int,
    length_penalty: float,
    max_len: int,
    watch: Callable[[Tensor], None] | None = None,
) -> tuple[list[Step], list[list[End]]]:
    """All steps, and for each source the ends of its hypotheses, best first.

    `watch` is shown the log-probabilities of all candidates of each step, (B, K, V).
    """
    check_count("width", width)
    check_count("max_len", max_len)
    if not 0 <= length_penalty < math.inf:
        raise ValueError(f"length_penalty must be 0 or more and finite, got {length_penalty}")
    vocab, batch = model.tgt_vocab, len(sources.src_len)
    steps: list[Step] = []
    ends: list[list[End]] = [[] for _ in range(batch)]
    with evaluating(model):
        encoded = EncoderOutput(*(x.repeat_interleave(width, 0) for x in model.encode(sources)))
        src_valid = sources.src_valid.repeat_interleave(width, dim=0)  # (B·K, S)
        state = encoded.final  # (B·K, H)
        prev = torch.full((batch * width,), vocab.sos_id)
        log_prob = torch.full((batch, width), -math.inf)  # −inf: nothing at this place
        log_prob[:, 0] = 0.0  # at first there is one beginning, the empty one
        for step in range(max_len + 1):
            logits, state, weights = model.decoder.step(prev, state, encoded, src_valid)
            total = log_prob[..., None] + next_log_probs(logits).view(batch, width, -1)
            if watch is not None:
                watch(total)
            before = log_prob
            log_prob, chosen = _largest(total.flatten(1), width)  # (B, K) both
            parent, token = chosen // len(vocab), chosen % len(vocab)
            alphas = None if weights is None else weights.view(batch, width, -1)
            steps.append(Step(parent.tolist(), token.tolist(), alphas))
            _set_aside(ends, log_prob, token == vocab.eos_id, step, length_penalty, max_len)
            if not bool((log_prob > -math.inf).any()):
                break
            rows = (parent + width * torch.arange(batch)[:, None]).flatten()  # (B·K,)
            state, prev = state[rows], token.flatten()
    for b, row in enumerate(ends):
        if not row:  # then the search went on to the last step, and `before` is what it extended
            row += [
                End(x / max_len**length_penalty, x, max_len - 1, k, False)
                for k, x in enumerate(before[b].tolist())
                if x > -math.inf
            ]
    return steps, ends


def _largest(total: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row of (B, N), in order; of equal ones the first. (B, k) both.

    `topk` alone is quick but doesn't say which of equal ones it takes.
    """
    least = total.topk(k, dim=1).values[:, -1:]
    rows = []
    for row, enough in zip(total, total >= least, strict=True):
        able = enough.nonzero()[:, 0]
        rows.append(able[row[able].argsort(descending=True, stable=True)[:k]])
    chosen = torch.stack(rows)
    return total.gather(1, chosen), chosen


def _set_aside(
    ends: list[list[End]],
    log_prob: Tensor,
    ended: Tensor,
    step: int,
    length_penalty: float,
    max_len: int,
) -> None:
    """Move finished hypotheses from `log_prob` (B, K) to `ends`; empty rows that are done."""
    for b, k in (ended & (log_prob > -math.inf)).nonzero().tolist():
        x = float(log_prob[b, k])
        ends[b].append(End(x / (step + 1) ** length_penalty, x, step, k, True))
    log_prob[ended] = -math.inf
    width = log_prob.shape[1]
    for b, best in enumerate(log_prob.max(dim=1).values.tolist()):
        ends[b].sort(key=lambda end: -end.score)
        del ends[b][width:]
        reach = best / (max_len + 1) ** length_penalty
        if len(ends[b]) == width and reach <= ends[b][-1].score:
            log_prob[b] = -math.inf


def trace(model: Seq2Seq, steps: list[Step], b: int, end: End, size: int) -> Hypothesis:
    """Walk back from the last token of a hypothesis of source b, which has `size` tokens."""
    ids: list[int] = []
    alphas: list[Tensor] = []  # stays empty without attention
    place = end.place
    for step in reversed(steps[: end.step + 1]):
        ids.insert(0, step.token[b][place])
        place = step.parent[b][place]
        if step.weights is not None:
            alphas.insert(0, step.weights[b, place, :size])
    ids = ids[:-1] if end.complete else ids
    tokens = [model.tgt_vocab.tokens[i] for i in ids]
    weights = torch.stack(alphas) if alphas else None  # (steps, S)
    return Hypothesis(ids, tokens, end.log_prob, weights, end.complete)
