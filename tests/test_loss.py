"""loss: against PyTorch, and over real tokens only."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from seq2seq_attention.batch import iterate_batches
from seq2seq_attention.data import number_pairs
from seq2seq_attention.loss import perplexity, token_cross_entropy, token_nats
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.train import mean_nats, seed_everything
from seq2seq_attention.vocab import build_vocab


def test_equals_pytorch_with_ignored_padding():
    torch.manual_seed(0)
    logits, tgt_out = torch.randn(3, 4, 7), torch.randint(0, 7, (3, 4))
    valid = torch.arange(4) < torch.tensor([4, 1, 2])[:, None]
    ignored = tgt_out.masked_fill(~valid, -100)
    expected = F.cross_entropy(logits.transpose(1, 2), ignored, ignore_index=-100)
    torch.testing.assert_close(token_cross_entropy(logits, tgt_out, valid), expected)


def test_padding_counts_neither_above_nor_below():
    """CASES A4."""
    torch.manual_seed(0)
    logits, tgt_out = torch.randn(2, 5, 7), torch.randint(0, 7, (2, 5))
    valid = torch.arange(5) < torch.tensor([5, 2])[:, None]
    other = torch.where(valid[..., None], logits, 1e3 * torch.randn(2, 5, 7))
    assert torch.equal(
        token_cross_entropy(logits, tgt_out, valid), token_cross_entropy(other, tgt_out, valid)
    )


def test_the_loss_of_a_data_set_is_the_same_at_any_batch_size():
    pairs = number_pairs(60, seed=2)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    seed_everything(0)
    model = build_model(ModelConfig("general", embed_size=5, hidden_size=6), *vocabs)
    values = [mean_nats(model, pairs, batch_size=size) for size in (1, 7, 60)]
    assert max(values) - min(values) < 1e-5
    (batch,) = iterate_batches(pairs, *vocabs, 60, seed=None, bucket=False)
    whole = token_cross_entropy(model(batch).logits, batch.tgt_out, batch.tgt_valid)
    assert abs(whole.item() - values[0]) < 1e-5


def test_a_model_that_knows_nothing_has_ln_v():
    logits, ids = torch.zeros(2, 3, 11), torch.randint(0, 11, (2, 3))
    valid = torch.ones(2, 3, dtype=torch.bool)
    assert token_cross_entropy(logits, ids, valid).item() == pytest.approx(math.log(11))
    assert perplexity(math.log(11)) == pytest.approx(11)


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4))
def test_large_logits_stay_finite(a, b):
    nats = token_nats(torch.tensor([[[a, b]]]), torch.tensor([[0]]))
    assert bool(torch.isfinite(nats).all()) and float(nats) >= 0


ones = torch.ones(1, 2, dtype=torch.bool)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: token_nats(torch.zeros(2, 3), torch.zeros(2).long()), r"\(2, 3\)"),
        (lambda: token_nats(torch.zeros(1, 2, 3), torch.zeros(1, 3).long()), r"\(1, 3\)"),
        (
            lambda: token_cross_entropy(torch.zeros(1, 2, 3), torch.zeros(1, 2).long(), ~ones),
            "no real token",
        ),
        (
            lambda: token_cross_entropy(
                torch.zeros(1, 2, 3), torch.zeros(1, 2).long(), ones.float()
            ),
            "float32",
        ),
        (
            lambda: token_cross_entropy(torch.zeros(1, 2, 3), torch.zeros(1, 2).long(), ones[0]),
            r"\(2,\)",
        ),
        (lambda: perplexity(-0.1), "-0.1"),
        (lambda: perplexity(float("nan")), "nan"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
