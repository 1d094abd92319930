"""Looking at the search itself: the tree of a beam search, and every sentence there is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .batch import collate_sources
from .beam import run_beam, trace
from .encoder import EncoderOutput
from .model import Seq2Seq, evaluating
from .search import Hypothesis, check_count, next_log_probs

LIMIT = 100_000  # `exhaustive` refuses a vocabulary of V tokens when V ** max_len is more


class Node(NamedTuple):
    """One candidate of a beam search: a beginning of a translation, shown by its last token."""

    parent: int  # its place in `Tree.nodes`; -1 for the root
    step: int  # tokens up to this one; 0 for the root, `<sos>`
    token: str
    log_prob: float  # log P of all tokens up to this one, nats
    score: float  # log_prob / step ** length_penalty, which ranks finished ones
    status: str  # "kept", "finished" (it ends in `<eos>`) or "pruned"


class Tree(NamedTuple):
    """What a beam search of one source looked at."""

    nodes: list[Node]  # step by step, parents before children
    best: list[int]  # places in `nodes` of the hypotheses' last tokens
    hypotheses: list[Hypothesis]  # what `beam` returns


class Exhausted(NamedTuple):
    """All sentences of at most `max_len` tokens."""

    hypotheses: list[Hypothesis]  # most probable first, without weights
    rest: float  # probability of all longer sentences together


def beam_tree(
    model: Seq2Seq,
    source: Sequence[str],
    width: int = 4,
    length_penalty: float = 0.0,
    max_len: int = 100,
    shown: int | None = None,
) -> Tree:
    """Beam search of one source with its candidates, to be drawn.

    A candidate is "finished" or "kept" when it is among the `width` best of its step, by whether
    it ends in `<eos>`; "pruned" when it is not among them, or when `max_len` leaves it no room.
    A leaf that is "kept" was open when the search was done.

    Args:
        model, width, length_penalty, max_len: as in `beam`.
        source: tokens.
        shown: how many of a beginning's pruned candidates, the most probable ones, get a node;
            `width` if None.

    Raises:
        KeyError: a token is unknown and the source vocabulary has no `<unk>`.
        ValueError: as in `beam`, or `shown` is negative.
        FloatingPointError: the model's logits are not numbers.
    """
    shown = width if shown is None else shown
    if shown < 0:
        raise ValueError(f"shown must be 0 or more, got {shown}")
    vocab, sources = model.tgt_vocab, collate_sources([source], model.src_vocab)
    totals: list[Tensor] = []
    steps, (ends,) = run_beam(model, sources, width, length_penalty, max_len, totals.append)
    nodes = [Node(-1, 0, vocab.tokens[vocab.sos_id], 0.0, 0.0, "kept")]
    at = {(0, 0): 0}  # (step, place among the K kept): its node
    for step, (made, total) in enumerate(zip(steps, totals, strict=True), start=1):
        kept = {at_y: k for k, at_y in enumerate(zip(made.parent[0], made.token[0], strict=True))}
        for place in range(width):
            parent = at.get((step - 1, place), -1)
            if parent < 0 or nodes[parent].status != "kept":
                continue
            row = total[0, place].tolist()  # V
            for y in _worth_showing(row, {y for p, y in kept if p == place}, shown):
                k = kept.get((place, y))
                ends_here, fits = y == vocab.eos_id, step <= max_len
                status = "finished" if ends_here else "kept" if fits else "pruned"
                if k is None:
                    status = "pruned"
                else:
                    at[step, k] = len(nodes)
                score = row[y] / step**length_penalty
                nodes.append(Node(parent, step, vocab.tokens[y], row[y], score, status))
    hypotheses = [trace(model, steps, 0, end, len(source)) for end in ends]
    return Tree(nodes, [at[end.step + 1, end.place] for end in ends], hypotheses)


def _worth_showing(row: list[float], kept: set[int], shown: int) -> list[int]:
    """Ids of the possible candidates that are kept, and of the `shown` best others; best first."""
    order = sorted((y for y, x in enumerate(row) if x > -math.inf), key=lambda y: -row[y])
    others = [y for y in order if y not in kept][:shown]
    return [y for y in order if y in kept or y in others]


def exhaustive(model: Seq2Seq, source: Sequence[str], max_len: int) -> Exhausted:
    """Every sentence of at most `max_len` tokens, and its probability: what search looks for.

    Every token counts, `<pad>` and `<sos>` too: an untrained model says them as well, and without
    them the probabilities would not sum to 1.

    Args:
        model: any model with a small target vocabulary; its mode is restored afterwards.
        source: tokens.
        max_len: tokens before `<eos>`.

    Returns:
        All of them, (V − 1) ** 0 + … + (V − 1) ** max_len, and the probability of the rest;
        together 1.

    Raises:
        KeyError: a token is unknown and the source vocabulary has no `<unk>`.
        ValueError: `max_len` is not an integer above 0, or V ** max_len is above 100,000.
        FloatingPointError: the model's logits are not numbers.
    """
    check_count("max_len", max_len)
    vocab, size = model.tgt_vocab, len(model.tgt_vocab)
    if size**max_len > LIMIT:
        raise ValueError(
            f"{size} tokens and max_len {max_len} give {size**max_len:.3g} sentences; at most "
            f"{LIMIT} can be looked at"
        )
    sources = collate_sources([source], model.src_vocab)
    others = torch.tensor([y for y in range(size) if y != vocab.eos_id])
    found: list[Hypothesis] = []
    with evaluating(model):
        encoded = model.encode(sources)
        said = torch.empty((1, 0), dtype=torch.int64)  # (N, length): all open beginnings
        prev, state = torch.tensor([vocab.sos_id]), encoded.final  # (N,), (N, H)
        log_prob = torch.zeros(1, dtype=torch.float64)  # (N,)
        for length in range(max_len + 1):
            log_probs, state = _next_of_all(model, prev, state, encoded, sources.src_valid)
            total = log_prob[:, None] + log_probs.double()  # (N, V)
            for ids, x in zip(said.tolist(), total[:, vocab.eos_id].tolist(), strict=True):
                found.append(Hypothesis(ids, [vocab.tokens[i] for i in ids], x, None, True))
            log_prob = total[:, others].flatten()
            if length < max_len:
                prev = others.repeat(len(said))
                said = torch.cat([said.repeat_interleave(size - 1, 0), prev[:, None]], dim=1)
                state = state.repeat_interleave(size - 1, 0)
    found.sort(key=lambda hypothesis: -hypothesis.log_prob)
    return Exhausted(found, float(log_prob.exp().sum()))


def _next_of_all(
    model: Seq2Seq, prev: Tensor, state: Tensor, encoded: EncoderOutput, src_valid: Tensor
) -> tuple[Tensor, Tensor]:
    """Log-probs (N, V) and states (N, H) after N beginnings of one source, 4096 at a time."""
    parts = []
    for y, s in zip(prev.split(4096), state.split(4096), strict=True):
        repeated = EncoderOutput(*(x.expand(len(y), *x.shape[1:]) for x in encoded))
        parts.append(model.decoder.step(y, s, repeated, src_valid.expand(len(y), -1)))
    logits = torch.cat([part.logits for part in parts])
    return next_log_probs(logits), torch.cat([part.state for part in parts])
