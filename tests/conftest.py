"""Small shared things: vocabularies, pairs and models of every kind."""

from __future__ import annotations

import pytest
import torch

from seq2seq_attention.batch import collate
from seq2seq_attention.data import number_pair
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.train import seed_everything
from seq2seq_attention.vocab import build_vocab

NUMBERS = [7, 16, 21, 70, 101, 345, 1001, 9_999, 327_000, 1_000_000, 999_999_999_999]
CONFIGS = {
    "vanilla": ModelConfig(embed_size=6, hidden_size=8),
    "vanilla tied": ModelConfig(embed_size=6, hidden_size=8, tied=True),
    "vanilla both ways": ModelConfig(embed_size=6, hidden_size=8, bidirectional=True),
    "Bahdanau additive": ModelConfig("additive", "previous", 6, 8, bidirectional=True),
    "Bahdanau general tied": ModelConfig("general", "previous", 6, 8, True, tied=True),
    "Luong concat": ModelConfig("concat", "current", 6, 8, bidirectional=True),
    "Luong dot": ModelConfig("dot", "current", 6, 8, bidirectional=True, encoder_size=4),
    "Luong general": ModelConfig("general", "current", 6, 8, bidirectional=True),
    "Luong scaled": ModelConfig("scaled_dot", "current", 6, 8),
    "Bahdanau scaled": ModelConfig("scaled_dot", "previous", 6, 8, True, encoder_size=4),
}
SMALL_SOURCE = ("one", "two", "one")  # for models of `small_model`
ATTENDING = [name for name in CONFIGS if "vanilla" not in name]


@pytest.fixture(scope="session")
def pairs():
    return [number_pair(n) for n in NUMBERS]


@pytest.fixture(scope="session")
def vocabs(pairs):
    return build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)


@pytest.fixture(scope="session")
def batch(pairs, vocabs):
    return collate(pairs, *vocabs)


@pytest.fixture(params=CONFIGS)
def model(request, vocabs):
    """A random model of every kind, in evaluation mode."""
    seed_everything(1)
    return build_model(CONFIGS[request.param], *vocabs).eval()


@pytest.fixture(params=ATTENDING)
def attending(request, vocabs):
    """A random model of every kind that has attention, in evaluation mode."""
    seed_everything(1)
    return build_model(CONFIGS[request.param], *vocabs).eval()


def small_model(kind, seed, tokens=("a", "b")):
    """A random model of few target words that is rather sure of itself."""
    seed_everything(seed)
    vocabs = build_vocab([["one", "two", "three"]]), build_vocab([tokens])
    model = build_model(CONFIGS[kind], *vocabs).eval()
    with torch.no_grad():
        for p in model.parameters():
            p *= 2.0
        model.decoder.head.output.bias += torch.randn(len(vocabs[1]))
    return model


@pytest.fixture(params=CONFIGS)
def small(request):
    """A random model of every kind with five target tokens, the special ones included."""
    return small_model(request.param, seed=2)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)
