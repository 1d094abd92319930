"""Is the heatmap the reason? Run a model with other weights than its own, and see.

An intervention changes the scores just before their softmax, so whatever it does, the weights
sum to 1 over the real source tokens and are 0 on padding. It takes effect at every step, in
teacher forcing and in every search, and the weights that come out are the changed ones:

    with intervening(model, without_largest):
        hits = correct(model, pairs)

Source: Jain & Wallace 2019 and Serrano & Smith 2019, who ask this of classifiers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from .decoder import Intervention
from .model import Seq2Seq


@contextmanager
def intervening(model: Seq2Seq, intervention: Intervention) -> Iterator[None]:
    """The model's attention passes through `intervention` inside, and no longer afterwards.

    One inside another takes its place until its own end.

    Args:
        model: any model with attention.
        intervention: (scores (B, T, S), values (B, S, D), valid (B, S)) → scores (B, T, S);
            −inf gives weight 0. T is 1 where the decoder goes step by step.

    Raises:
        ValueError: the model has no attention; or, at the call, the scores given back have
            another shape, or leave a row no source token, or are NaN.
    """
    if not hasattr(model.decoder, "score"):
        raise ValueError("this model has no attention, so there is nothing to change")

    def checked(scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
        changed = intervention(scores, values, valid)
        if changed.shape != scores.shape:
            raise ValueError(
                f"an intervention must give scores {tuple(scores.shape)}, "
                f"got {tuple(changed.shape)}"
            )
        top = changed.masked_fill(~valid[:, None], -torch.inf).amax(dim=-1)  # (B, T)
        if not bool(top.isfinite().all()):
            raise ValueError("an intervention must leave each row a finite score, none NaN or +inf")
        return changed

    before = model.decoder.intervene
    model.decoder.intervene = checked
    try:
        yield
    finally:
        model.decoder.intervene = before


def unchanged(scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
    """The model as it is: what the others are compared with."""
    return scores


def uniform(scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
    """All real source tokens weigh the same, at every step."""
    return torch.zeros_like(scores)


def without_largest(scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
    """The most attended source token gets weight 0; the others share its weight in proportion.

    Where there is one token only, it keeps it.
    """
    real = scores.masked_fill(~valid[:, None], -torch.inf)
    largest = torch.zeros_like(real, dtype=torch.bool)
    largest = largest.scatter(2, real.argmax(dim=-1, keepdim=True), True)  # (B, T, S)
    several = valid.sum(dim=1) > 1  # (B,)
    return scores.masked_fill(largest & several[:, None, None], -torch.inf)


def only_largest(scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
    """The most attended source token gets all the weight, of equal ones the first."""
    real = scores.masked_fill(~valid[:, None], -torch.inf)
    forced = torch.full_like(real, -torch.inf)
    return forced.scatter(2, real.argmax(dim=-1, keepdim=True), 0.0)


class Diagonal:
    """Step t looks at source token ⌊(t + ½) · slope⌋ alone, or at the last one beyond the end.

    A decoder isn't told how far it is, so the steps are counted: from 0 again whenever the
    values are others. So each encoding may be decoded once, as `model(batch)`, `greedy`, `sample`
    and `beam` do.

    Args:
        slope: source tokens per target token.

    Raises:
        ValueError: slope is not above 0 and finite.
    """

    def __init__(self, slope: float = 1.0) -> None:
        if not 0 < slope < float("inf"):
            raise ValueError(f"slope must be above 0 and finite, got {slope}")
        self.slope, self._step = slope, 0
        self._values: Tensor | None = None

    def __call__(self, scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
        if values is not self._values:
            self._values, self._step = values, 0
        steps = torch.arange(self._step, self._step + scores.shape[1])  # (T,)
        self._step += scores.shape[1]
        place = ((steps + 0.5) * self.slope).long()  # (T,)
        place = torch.minimum(place, valid.sum(dim=1)[:, None] - 1)  # (B, T)
        return torch.full_like(scores, -torch.inf).scatter(2, place[..., None], 0.0)


class Swap:
    """The annotations of two source positions change places, after they have been scored.

    Args:
        first, second: positions; below 0 they count from the sentence's end. A sentence that
            is too short to have both stays as it is.

    Raises:
        ValueError: the two are one.
    """

    def __init__(self, first: int, second: int) -> None:
        if first == second:
            raise ValueError(f"two positions are needed for a swap, got {first} twice")
        self.first, self.second = first, second

    def __call__(self, scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
        order = torch.arange(scores.shape[2]).repeat(len(valid), 1)  # (B, S)
        for row, size in zip(order, valid.sum(dim=1).tolist(), strict=True):
            i, j = (at + size if at < 0 else at for at in (self.first, self.second))
            if 0 <= i < size and 0 <= j < size:
                row[i], row[j] = j, i
        return scores.gather(2, order[:, None].expand_as(scores))


class Shuffle:
    """Every weight goes to another source position: one order a sentence length, for all steps.

    The order is drawn by lot among those that leave no position where it is. Sentences of one
    token stay as they are.

    Args:
        seed: another seed draws other orders.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def __call__(self, scores: Tensor, values: Tensor, valid: Tensor) -> Tensor:
        order = torch.arange(scores.shape[2]).repeat(len(valid), 1)  # (B, S)
        for row, size in zip(order, valid.sum(dim=1).tolist(), strict=True):
            row[:size] = torch.tensor(self.order(size))
        return scores.gather(2, order[:, None].expand_as(scores))

    def order(self, size: int) -> list[int]:
        """Which position's weight each of `size` positions gets: a cycle through them all."""
        cycle = list(range(size))
        random.Random(f"{self.seed} {size}").shuffle(cycle)
        following = dict(zip(cycle, cycle[1:] + cycle[:1], strict=True))
        return [following[i] for i in range(size)]
