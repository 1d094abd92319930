"""One training step and the loop round it. Knows nothing of attention."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from .batch import Batch, iterate_batches
from .data.pairs import Pair
from .loss import token_cross_entropy, token_nats
from .model import Seq2Seq, evaluating


@dataclass(frozen=True)
class TrainConfig:
    """How to train.

    Attributes:
        steps: optimiser steps, one batch each.
        lr: highest learning rate; reached after `warmup` steps, then a cosine down to 2 %.
        batch_size: sentences a batch.
        warmup: steps of linear warm-up.
        clip: largest gradient norm.
        seed: order of the batches (the model's own weights are drawn before).

    Raises:
        ValueError: a value is not positive (warmup may be 0), or a count is not an integer.
    """

    steps: int
    lr: float
    batch_size: int = 128
    warmup: int = 100
    clip: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warmup", "seed"):
            if type(getattr(self, name)) is not int:
                raise ValueError(f"{name} must be an integer, got {getattr(self, name)!r}")
        for name in ("steps", "lr", "batch_size", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        if self.warmup < 0:
            raise ValueError(f"warmup must not be negative, got {self.warmup}")

    def lr_at(self, step: int) -> float:
        """Learning rate of a step, from 0."""
        if step < self.warmup:
            return self.lr * (step + 1) / self.warmup
        progress = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.lr * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))


@dataclass
class History:
    """What `fit` saw: one entry a step, and one a validation."""

    nats: list[float] = field(default_factory=list)  # training loss, nats per real token
    valid_steps: list[int] = field(default_factory=list)
    valid_nats: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def __repr__(self) -> str:
        return f"History({len(self.nats)} steps, {len(self.valid_nats)} validations)"


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy and PyTorch, and compute on one thread.

    One thread, because the result then doesn't depend on the number of cores, and because
    for models this small it is also the fastest.
    """
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def train_step(
    model: Seq2Seq,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    clip: float = 1.0,
    own_share: float = 0.0,
) -> float:
    """Teacher-forced prediction, loss, gradients, clipping, one optimiser step.

    Args:
        own_share: the share of its inputs that the decoder says itself; see `mixed_forward`.

    Returns:
        The loss before the step, nats per real token.

    Raises:
        FloatingPointError: the loss or a gradient is not finite; nothing was changed then.
        ValueError: `clip` is not above 0, or `own_share` not from 0 to 1.
    """
    if not clip > 0:
        raise ValueError(f"clip must be above 0, got {clip}")
    model.train()
    optimizer.zero_grad()
    logits = mixed_forward(model, batch, own_share) if own_share else model(batch).logits
    loss = token_cross_entropy(logits, batch.tgt_out, batch.tgt_valid)
    if not math.isfinite(loss.item()):
        raise FloatingPointError(f"the loss is {loss.item()}; try a lower learning rate")
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
    if not math.isfinite(norm.item()):
        raise FloatingPointError(f"the gradient's norm is {norm.item()}; the step was not made")
    optimizer.step()
    return loss.item()


def mixed_forward(model: Seq2Seq, batch: Batch, own_share: float) -> Tensor:
    """Logits (B, T, V) where the decoder reads some of its own words: scheduled sampling.

    At each step after the first, and for each sentence by itself, the right previous word is
    replaced with probability `own_share` by one drawn from the model's distribution of the step
    before. What must be said stays the same. The draws have no gradient. With 0 this is teacher
    forcing, with 1 the decoder is on its own.

    Raises:
        ValueError: `own_share` is not from 0 to 1.

    Source: Bengio et al. 2015, section 2.4.
    """
    if not 0 <= own_share <= 1:
        raise ValueError(f"own_share must be from 0 to 1, got {own_share}")
    encoded = model.encode(batch)
    state, prev = encoded.final, batch.tgt_in[:, 0]
    logits: list[Tensor] = []
    for t in range(batch.tgt_in.shape[1]):
        if t:
            drawn = torch.multinomial(logits[-1].detach().softmax(dim=-1), 1)[:, 0]  # (B,)
            own = torch.rand(len(drawn)) < own_share
            prev = torch.where(own, drawn, batch.tgt_in[:, t])
        out = model.decoder.step(prev, state, encoded, batch.src_valid)
        state = out.state
        logits.append(out.logits)
    return torch.stack(logits, dim=1)


def fit(
    model: Seq2Seq,
    pairs: Sequence[Pair],
    config: TrainConfig,
    valid: Sequence[Pair] = (),
    valid_every: int = 100,
    on_step: Callable[[int, Seq2Seq], None] | None = None,
    progress: bool = False,
    own_share: float = 0.0,
) -> History:
    """Train `model` in place with Adam.

    Args:
        model: as `build_model` made it.
        pairs: the training split.
        config: steps, learning rate, seed.
        valid: pairs whose loss is recorded every `valid_every` steps and at the end.
        on_step: called after each step with the number of steps done and the model.
        progress: show a bar on stderr.
        own_share: scheduled sampling: the share of its inputs that the decoder says itself rises
            evenly from 0 to this; 0 is teacher forcing throughout.

    Raises:
        ValueError: there are no pairs, `valid_every` is below 1, or `own_share` not from 0 to 1.
        FloatingPointError: the loss or a gradient is not finite.
    """
    if valid_every < 1:
        raise ValueError(f"valid_every must be at least 1, got {valid_every}")
    if not 0 <= own_share <= 1:
        raise ValueError(f"own_share must be from 0 to 1, got {own_share}")
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    history, start = History(), time.perf_counter()
    batches = itertools.islice(_endless(model, pairs, config), config.steps)
    for step, batch in enumerate(
        tqdm(batches, total=config.steps, disable=not progress, unit="step", leave=False)
    ):
        for group in optimizer.param_groups:
            group["lr"] = config.lr_at(step)
        share = own_share * step / config.steps
        history.nats.append(train_step(model, batch, optimizer, config.clip, share))
        done = step + 1
        if valid and (done % valid_every == 0 or done == config.steps):
            history.valid_steps.append(done)
            history.valid_nats.append(mean_nats(model, valid))
        if on_step is not None:
            on_step(done, model)
    history.seconds = time.perf_counter() - start
    model.eval()
    return history


def mean_nats(model: Seq2Seq, pairs: Sequence[Pair], batch_size: int = 256) -> float:
    """Teacher-forced loss on held-out pairs: nats summed over real tokens, over their number."""
    total, tokens = 0.0, 0
    with evaluating(model):
        for batch in iterate_batches(
            pairs, model.src_vocab, model.tgt_vocab, batch_size, seed=None
        ):
            nats = token_nats(model(batch).logits, batch.tgt_out)
            total += float(nats[batch.tgt_valid].sum())
            tokens += int(batch.tgt_valid.sum())
    return total / tokens


def _endless(model: Seq2Seq, pairs: Sequence[Pair], config: TrainConfig) -> Iterator[Batch]:
    """Epoch after epoch, each in another order."""
    for epoch in itertools.count():
        seed = config.seed * 100_003 + epoch
        yield from iterate_batches(
            pairs, model.src_vocab, model.tgt_vocab, config.batch_size, seed=seed
        )
