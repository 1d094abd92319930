"""What a model thinks of given targets: log P(target | source), by token, by sentence, by place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from .batch import collate
from .data.pairs import Pair
from .loss import token_nats
from .model import Seq2Seq, evaluating
from .search import translate


class Place(NamedTuple):
    """Errors at one output position, `<eos>` counted as the last token of its sentence."""

    position: int  # from 1
    n: int  # sentences that have this position
    nats: float  # −log P(y_t | gold y_<t, x), mean: the loss of teacher forcing
    forced_error: float  # share wrong when all tokens before are the gold ones
    free_error: float  # share wrong when the model reads what it said itself


def token_log_probs(model: Seq2Seq, pairs: Sequence[Pair], batch_size: int = 256) -> list[Tensor]:
    """log P(y_t | y_<t, x) in nats for every target token, the last entry `<eos>`.

    Args:
        model: any model; its mode is restored afterwards.
        pairs: sources and targets, the right ones or any others.
        batch_size: pairs a batch; changes nothing but the speed.

    Returns:
        One (T + 1,) tensor a pair, in the order of the pairs.

    Raises:
        KeyError: a token is unknown and its vocabulary has no `<unk>`.
        ValueError: `batch_size` is below 1, or a target has a special token in it.
        FloatingPointError: the model's logits are not numbers.
    """
    return [log_probs for log_probs, _ in _forced(model, pairs, batch_size)]


def score(model: Seq2Seq, pairs: Sequence[Pair], batch_size: int = 256) -> list[float]:
    """log P(tgt | src) of each pair in nats, `<eos>` included: the sum over its tokens.

    The chain rule, log P(y | x) = Σ_t log P(y_t | y_<t, x), added up as logarithms: the product
    of 200 probabilities of 0.01 would be 0 on any computer. Arguments and errors are those of
    `token_log_probs`.

    Source: Sutskever et al. 2014, equation 1.
    """
    return [float(t.double().sum()) for t in token_log_probs(model, pairs, batch_size)]


def by_position(model: Seq2Seq, pairs: Sequence[Pair], batch_size: int = 256) -> list[Place]:
    """Errors by output position, teacher-forced and free-running (greedy), over the same pairs.

    The difference between `forced_error` and `free_error` is what the model's own mistakes cost
    it later on ("exposure bias"). Free-running is wrong at every reference position where it
    says another token or has ended already; what it says beyond the reference is one error, in
    the place of `<eos>`.

    Args:
        model: any model; its mode is restored afterwards.
        pairs: with the right targets.
        batch_size: pairs a batch; changes nothing but the speed.

    Returns:
        One Place for each position that some pair has, from 1 to the longest target plus 1.

    Raises:
        KeyError, FloatingPointError: as in `token_log_probs`.
        ValueError: there are no pairs, or as in `token_log_probs`.
    """
    if not pairs:
        raise ValueError("errors by position need at least one pair, got none")
    longest = max(len(pair.tgt) for pair in pairs)
    free = translate(model, [pair.src for pair in pairs], max_len=longest + 1)
    rows: list[list[tuple[float, bool, bool]]] = [[] for _ in range(longest + 1)]
    for pair, hyp, (log_probs, best) in zip(
        pairs, free, _forced(model, pairs, batch_size), strict=True
    ):
        eos = [model.tgt_vocab.eos_id]
        gold, said = model.tgt_vocab.encode(pair.tgt) + eos, hyp.ids + eos * hyp.complete
        for t, (y, log_prob, forced) in enumerate(
            zip(gold, log_probs.tolist(), best.tolist(), strict=True)
        ):
            rows[t].append((-log_prob, forced != y, t >= len(said) or said[t] != y))
    return [
        Place(t + 1, len(row), *(sum(column) / len(row) for column in zip(*row, strict=True)))
        for t, row in enumerate(rows)
    ]


def _forced(model: Seq2Seq, pairs: Sequence[Pair], batch_size: int) -> list[tuple[Tensor, Tensor]]:
    """For each pair, log P of its tokens and the most probable tokens instead: (T + 1,) both."""
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    result: list[tuple[Tensor, Tensor]] = []
    with evaluating(model):
        for start in range(0, len(pairs), batch_size):
            chunk = pairs[start : start + batch_size]
            batch = collate(chunk, model.src_vocab, model.tgt_vocab)
            logits = model(batch).logits  # (B, T, V)
            log_probs = -token_nats(logits, batch.tgt_out)  # (B, T)
            if bool(log_probs[batch.tgt_valid].isnan().any()):
                raise FloatingPointError("the model's logits are not numbers (NaN or infinite)")
            for pair, row, best in zip(chunk, log_probs, logits.argmax(dim=-1), strict=True):
                size = len(pair.tgt) + 1
                result.append((row[:size], best[:size]))
    return result
