"""Choosing the target: from `<sos>` to `<eos>`, one token after another. Takes no targets.

Here one path is followed: the most probable one (`greedy`), or one drawn by lot (`sample`).
`beam` follows several at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
        ValueError: `max_len` is not an integer above 0.
        FloatingPointError: the model's logits are not numbers.
    """
    return _follow(model, sources, max_len, lambda log_probs: log_probs.max(dim=-1).indices)


def sample(
    model: Seq2Seq,
    sources: Sources | Batch,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    max_len: int = 100,
    seed: int | torch.Generator = 0,
) -> list[Hypothesis]:
    """Draw every token by lot, from the model's probabilities as `adjust` shapes them.

    A hypothesis' `log_prob` is what the model itself gives to the tokens drawn, before any
    adjustment: the same number that `score` gives, comparable with greedy's and beam's.

    Args:
        model: any model; its mode is restored afterwards.
        sources: a padded batch of B sources; name a source twice to draw twice.
        temperature: below 1 sharper, above 1 flatter.
        top_k: draw among the so many most probable tokens only; None: among all.
        top_p: draw among the fewest tokens that hold this share of the probability only.
        max_len: at most so many tokens before `<eos>`, as in `greedy`.
        seed: the same number gives the same draws for the same batch. A generator is used
            as it is and moves on.

    Returns:
        B hypotheses, in the order of the sources.

    Raises:
        ValueError: a setting is out of range, as in `adjust`, or `max_len` is not an
            integer above 0.
        FloatingPointError: the model's logits are not numbers.
    """
    check_adjustment(temperature, top_k, top_p)
    generator = seed if isinstance(seed, torch.Generator) else torch.Generator().manual_seed(seed)

    def draw(log_probs: Tensor) -> Tensor:
        shaped = adjust(log_probs, temperature, top_k, top_p).softmax(dim=-1)  # (B, V)
        return torch.multinomial(shaped, 1, generator=generator)[:, 0]  # (B,)

    return _follow(model, sources, max_len, draw)


def adjust(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    """Logits of the distribution that sampling draws from; what is left out gets −inf.

    First the temperature: (l − max l) / temperature. Taking the largest off changes no
    probability, and no temperature can then overflow. Then top-k: only the k largest stay, of
    equal ones those with the lower ids. Then top-p: of what stays, renormalised, only the
    smallest set of most probable tokens whose mass reaches p; at least one.

    Args:
        logits: (…, V), logits or log-probabilities.
        temperature: above 0 and finite; towards 0 only the best token is left.
        top_k: at least 1, or None for all; more than V means all.
        top_p: above 0, at most 1; 1 leaves nothing out.

    Returns:
        (…, V), the largest of each row 0.

    Raises:
        ValueError: a setting is out of range.
        FloatingPointError: a logit is NaN or +inf, or all of a row are −inf.

    Source: Fan et al. 2018, section 5.1 (top-k); Holtzman et al. 2020, section 3.1 (top-p,
    "nucleus") and 3.3 (temperature).
    """
    check_adjustment(temperature, top_k, top_p)
    ranked, ids = logits.double().sort(dim=-1, descending=True, stable=True)  # best first
    ranked = (ranked - ranked[..., :1]) / temperature
    if bool(ranked.isnan().any()):
        raise FloatingPointError("logits must be numbers, got NaN or infinity")
    if top_k is not None:
        ranked[..., top_k:] = -math.inf
    if top_p < 1:
        probs = ranked.softmax(dim=-1)
        before = probs.cumsum(dim=-1).roll(1, dims=-1)  # mass of the tokens that rank higher
        before[..., 0] = 0.0
        ranked = ranked.masked_fill(before >= top_p, -math.inf)
    return torch.empty_like(ranked).scatter_(-1, ids, ranked).to(logits.dtype)


def check_adjustment(temperature: float, top_k: int | None, top_p: float) -> None:
    """Raises ValueError, with the value, unless all three settings are in their range."""
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be above 0 and finite, got {temperature}")
    if top_k is not None:
        check_count("top_k", top_k)
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, got {top_p}")


def check_count(name: str, value: int) -> None:
    """Raises ValueError unless `value` is an integer above 0."""
    if type(value) is not int:
        raise ValueError(f"{name} must be an integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")


def next_log_probs(logits: Tensor) -> Tensor:
    """log P of every next token, from logits (…, V).

    Raises:
        FloatingPointError: a logit is NaN or +inf, or all are −inf.
    """
    log_probs = logits.log_softmax(dim=-1)
    if bool(log_probs.isnan().any()):
        raise FloatingPointError("the model's logits are not numbers (NaN or infinite)")
    return log_probs


def _follow(
    model: Seq2Seq, sources: Sources | Batch, max_len: int, choose: Callable[[Tensor], Tensor]
) -> list[Hypothesis]:
    """One path for each source: `choose` turns log-probs (B, V) into the next ids (B,)."""
    check_count("max_len", max_len)
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
            log_probs = next_log_probs(logits)  # (B, V)
            prev = choose(log_probs)  # (B,)
            ends = prev == vocab.eos_id
            counts = open_ if step < max_len else open_ & ends  # the last step may only end
            log_prob += torch.where(counts, log_probs.gather(1, prev[:, None])[:, 0], 0.0)
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
    model: Seq2Seq,
    sources: Sequence[Sequence[str]],
    max_len: int = 100,
    batch_size: int = 512,
    search: Callable[..., list[Any]] = greedy,
) -> list[Any]:
    """Translations of any number of tokenised sources, in their order.

    Sources of one length go into one batch, so nothing is padded.

    Args:
        model: any model.
        sources: tokenised sentences.
        max_len: at most so many tokens a translation.
        batch_size: sources a batch.
        search: called `search(model, batch, max_len=…)`; another than `greedy` is for instance
            `functools.partial(beam, width=5)`.

    Returns:
        What `search` gives for each source: a Hypothesis, or with `beam` a list of them.

    Raises:
        KeyError: a token is unknown and the source vocabulary has no `<unk>`.
        ValueError: a source is empty, or `batch_size` is below 1.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    found: dict[int, Any] = {}
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    while order:
        size = len(sources[order[0]])
        chunk = [i for i in order[:batch_size] if len(sources[i]) == size]
        order = order[len(chunk) :]
        batch = collate_sources([sources[i] for i in chunk], model.src_vocab)
        found.update(zip(chunk, search(model, batch, max_len=max_len), strict=True))
    return [found[i] for i in range(len(sources))]
