"""probes: each instrument on cases where the answer is known."""

import math
import random

import pytest
import torch

from seq2seq_attention.batch import collate
from seq2seq_attention.data import Pair, number_pair
from seq2seq_attention.encoder import EncoderOutput
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.probes import bits_held, digit_probe, gradient_by_distance
from seq2seq_attention.train import TrainConfig, fit, seed_everything
from seq2seq_attention.vocab import build_vocab

NUMBERS = random.Random(0).sample(range(10**3, 10**4), 600)
PAIRS = [number_pair(number) for number in NUMBERS]


def new(**config):
    seed_everything(0)
    src = build_vocab(pair.src for pair in PAIRS)
    tgt = build_vocab(pair.tgt for pair in PAIRS)
    return build_model(ModelConfig(embed_size=16, hidden_size=32, **config), src, tgt)


class Holding(torch.nn.Module):
    """Stands for a model whose c holds the first word's id as a one-hot vector, and no more."""

    def __init__(self, vocab):
        super().__init__()
        self.src_vocab = vocab

    def encode(self, sources):
        c = torch.nn.functional.one_hot(sources.src_ids[:, 0], len(self.src_vocab)).float()
        return EncoderOutput(c[:, None], c)


def test_a_probe_finds_what_is_there_and_no_more():
    holding = Holding(build_vocab(pair.src for pair in PAIRS))
    read = digit_probe(holding, NUMBERS, fitted=400)
    assert read[0] == 1  # "four thousand ...": the first word is the first digit
    assert (read[1:] < 0.3).all()


def test_a_probe_of_a_reversed_source_reads_the_end():
    holding = Holding(build_vocab(pair.src for pair in PAIRS))
    numbers = [number for number in NUMBERS if number // 10 % 10 > 1 and number % 10]
    read = digit_probe(holding, numbers, fitted=300, reverse_source=True)
    assert read[3] == 1 and read[0] < 0.3


@pytest.mark.parametrize(
    ("numbers", "fitted", "message"),
    [([1, 22], 1, r"as many digits, got \[1, 2\]"), ([1, 2], 2, "got 2"), ([1, 2], 0, "got 0")],
)
def test_a_probe_refuses(numbers, fitted, message):
    with pytest.raises(ValueError, match=message):
        digit_probe(new(), numbers, fitted)


@pytest.mark.parametrize("attention", ["none", "additive"])
def test_gradients_are_those_of_one_word_at_a_time(attention):
    model = new(attention=attention)
    pair = number_pair(4321)
    wanted = {}
    for t, s in pair.alignment:
        kept = []
        hook = model.encoder.embedding.register_forward_hook(lambda *c, k=kept: k.append(c[2]))
        batch = collate([pair], model.src_vocab, model.tgt_vocab)
        log_p = model(batch).logits.log_softmax(-1)[0, t, batch.tgt_out[0, t]]
        hook.remove()
        (gradient,) = torch.autograd.grad(log_p, kept[0])
        distance = len(pair.src) - s + t + 1
        wanted.setdefault(distance, []).append(float(gradient[0, s].norm()))
    found = gradient_by_distance(model, [pair])
    assert list(found) == sorted(wanted)
    for distance, sizes in wanted.items():
        assert math.isclose(found[distance], sum(sizes) / len(sizes), rel_tol=1e-4)


def test_gradients_need_links_and_leave_the_mode():
    model = new().train()
    gradient_by_distance(model, PAIRS[:4])
    assert model.training
    few = gradient_by_distance(model, PAIRS[:50], at_least=30)
    assert set(few) < set(gradient_by_distance(model, PAIRS[:50]))
    with pytest.raises(ValueError, match="'one' has no gold"):
        gradient_by_distance(model, [Pair(("one",), ("eins",))])


def test_bits_of_a_model_that_knows_nothing_and_of_one_that_knows():
    """Ten sources, a one-word target each: log2(10) bits to tell, if all are told apart."""
    pairs = [number_pair(number) for number in range(10)]
    seed_everything(0)
    src = build_vocab(pair.src for pair in pairs)
    tgt = build_vocab(pair.tgt for pair in pairs)
    model = build_model(ModelConfig(embed_size=16, hidden_size=16), src, tgt)
    assert bits_held(model, pairs, 10) < 0  # it doesn't even know that one word follows
    fit(model, pairs, TrainConfig(steps=150, lr=2e-2, batch_size=10, warmup=10))
    held = bits_held(model, pairs, 10)
    assert math.log2(10) - 0.1 < held <= math.log2(10)
    blind = [Pair(("one",), pair.tgt) for pair in pairs]  # always the same source
    assert bits_held(model, blind, 10) < 1
    with pytest.raises(ValueError, match="none"):
        bits_held(model, [], 10)
    with pytest.raises(ValueError, match="got 0"):
        bits_held(model, pairs, 0)
