"""What a model holds and how far its training signal travels: measured from outside.

Three instruments for the vector c: a linear probe reads digits off it, the model's own
probabilities say how many bits about the source reach the decoder, and gradients say how
strongly a target word pulls at its source word.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

import torch
from torch import Tensor

from .batch import collate, collate_sources
from .data import Pair, number_pair
from .model import Seq2Seq, evaluating
from .scoring import score


def digit_probe(
    model: Seq2Seq, numbers: Sequence[int], fitted: int, reverse_source: bool = False
) -> Tensor:
    """Which digits of a number a linear map can read off c.

    For each position of the digits a linear map from c, with a bias, to ten outputs is fitted by
    least squares to the digits written as one-hot vectors; its largest output is its answer.

    Args:
        model: any; c is the encoder's `final`.
        numbers: N of them, all with the same number of digits P.
        fitted: the first `fitted` are fitted, the others tested.
        reverse_source: the model reads the words in reverse order.

    Returns:
        For each digit, from the most significant, the share of tested numbers where it is read
        correctly: (P,). Guessing gives about a tenth.

    Raises:
        ValueError: the numbers of digits differ, or nothing is left to fit or to test.

    Source: Alain & Bengio 2017 (linear classifier probes).
    """
    lengths = {len(str(number)) for number in numbers}
    if len(lengths) != 1:
        raise ValueError(f"all numbers must have as many digits, got {sorted(lengths)}")
    if not 0 < fitted < len(numbers):
        raise ValueError(f"fitted must be from 1 to {len(numbers) - 1}, got {fitted}")
    sources = [number_pair(number).src[:: -1 if reverse_source else 1] for number in numbers]
    with evaluating(model):
        c = model.encode(collate_sources(sources, model.src_vocab)).final.double()  # (N, H)
    c = torch.cat([c, torch.ones(len(c), 1)], dim=1)  # (N, H + 1)
    digits = torch.tensor([[int(d) for d in str(number)] for number in numbers])  # (N, P)
    wanted = torch.nn.functional.one_hot(digits, 10).double().flatten(1)  # (N, P * 10)
    # gelsd copes with entries of c that depend on each other; the default driver does not
    weights = torch.linalg.lstsq(c[:fitted], wanted[:fitted], driver="gelsd").solution
    read = (c[fitted:] @ weights).unflatten(1, (-1, 10)).argmax(dim=-1)  # (N - fitted, P)
    return (read == digits[fitted:]).double().mean(dim=0)


def gradient_by_distance(
    model: Seq2Seq, pairs: Sequence[Pair], at_least: int = 1
) -> dict[int, float]:
    """How strongly a target word pulls at its own source word, by recurrent steps between.

    For each gold link (t, s): the norm of d log P(y_t | y_<t, x) / d embedding of x_s. In a
    model without attention the way from x_s to y_t leads through S − s encoder steps, x_s's own
    counted, and t + 1 decoder steps (positions from 0): that is the distance.

    Args:
        model: any; its mode is restored.
        pairs: with gold links; not reversed.
        at_least: distances with fewer links than this are left out.

    Returns:
        Distance → mean norm, nearest first.

    Raises:
        ValueError: a pair has no gold alignment.
    """
    missing = [pair for pair in pairs if pair.alignment is None]
    if missing:
        raise ValueError(f"the pair {' '.join(missing[0].src)!r} has no gold alignment")
    was_training = model.training
    model.eval()
    sizes: dict[int, list[float]] = defaultdict(list)
    for length in sorted({len(pair.src) for pair in pairs}):
        _add_gradients(model, [pair for pair in pairs if len(pair.src) == length], sizes)
    model.train(was_training)
    return {d: mean(found) for d, found in sorted(sizes.items()) if len(found) >= at_least}


def _add_gradients(model: Seq2Seq, pairs: list[Pair], sizes: dict[int, list[float]]) -> None:
    """Sources of one length; one backward pass a target position."""
    batch = collate(pairs, model.src_vocab, model.tgt_vocab)
    kept: list[Tensor] = []
    hook = model.encoder.embedding.register_forward_hook(lambda *call: kept.append(call[2]))
    log_probs = model(batch).logits.log_softmax(dim=-1)  # (B, T, V)
    hook.remove()
    log_probs = log_probs.gather(2, batch.tgt_out[..., None])[..., 0]  # (B, T)
    for t in range(log_probs.shape[1]):
        links = [(b, s) for b, p in enumerate(pairs) for u, s in p.alignment or () if u == t]
        if links:
            (gradient,) = torch.autograd.grad(log_probs[:, t].sum(), kept[0], retain_graph=True)
            norms = gradient.norm(dim=-1)  # (B, S): each sentence has its own graph
            for b, s in links:
                sizes[len(pairs[b].src) - s + t + 1].append(float(norms[b, s]))


def bits_held(model: Seq2Seq, pairs: Sequence[Pair], possible: int) -> float:
    """At least how many bits about the source reach the decoder, on average over the pairs.

    If the source was drawn evenly from `possible` ones with a target each, the target carries
    log2(possible) bits. The model, told the source through c alone, still hesitates: −log2 P(y |
    x) bits are left open, on average. The difference has been told. It is a lower bound, since
    another decoder might read more from the same vector; below 0 it says nothing.

    Args:
        model: any.
        pairs: a fair sample of the possible ones.
        possible: how many there are.

    Raises:
        ValueError: there are no pairs, or `possible` is below 1.

    Source: Barber & Agakov 2003 (the variational bound on mutual information).
    """
    if not pairs:
        raise ValueError("bits need at least one pair, got none")
    if possible < 1:
        raise ValueError(f"possible must be at least 1, got {possible}")
    return math.log2(possible) + mean(score(model, pairs)) / math.log(2)
