"""sharpness: entropies on paper, spreads against scores computed by hand."""

import math

import pytest
import torch

from seq2seq_attention.alignments import forced_weights
from seq2seq_attention.batch import collate
from seq2seq_attention.data import Pair
from seq2seq_attention.model import ModelConfig, build_model, evaluating
from seq2seq_attention.sharpness import row_entropy, score_spread, sharpness

PAIR = Pair(("a", "b", "c", "d"), ("A", "B"), {(0, 0), (1, 1)})
ROWS = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.25] * 4])  # the last is <eos>


def test_entropy_on_paper():
    expected = torch.tensor([0.0, math.log(2), math.log(4)])
    torch.testing.assert_close(row_entropy(ROWS), expected)
    torch.testing.assert_close(row_entropy(ROWS[None]), expected[None])


def test_entropy_is_that_of_pytorch():
    torch.manual_seed(0)
    scores = 5 * torch.randn(7, 9)
    expected = torch.distributions.Categorical(logits=scores).entropy()
    torch.testing.assert_close(row_entropy(scores.softmax(-1)), expected)


def test_sharpness_leaves_the_end_out():
    found = sharpness([ROWS], [PAIR])
    assert found == pytest.approx((math.log(2) / 2, 1.5, 0.75))
    assert sharpness([ROWS, ROWS[1:]], [PAIR, PAIR]).words == pytest.approx((1 + 2 + 2 + 4) / 4)


def test_spread_is_that_of_the_scores(attending, pairs, vocabs):
    spreads = []
    for pair in pairs:
        if len(pair.src) > 1:
            weights = forced_weights(attending, [pair])[0]
            spreads.append(weights.double().log().std(dim=-1))
    expected = float(torch.cat(spreads).mean())
    assert score_spread(attending, pairs) == pytest.approx(expected, rel=1e-3)


def test_spread_of_a_dot_score_by_hand(pairs, vocabs):
    torch.manual_seed(0)
    model = build_model(ModelConfig("dot", "current", 6, 8), *vocabs)
    pair = max(pairs, key=lambda p: len(p.src))
    batch = collate([pair], *vocabs)
    with evaluating(model):
        scores = model(batch).states @ model.encode(batch).states.transpose(1, 2)  # (1, T, S)
    assert score_spread(model, [pair]) == pytest.approx(float(scores.std(dim=-1).mean()), rel=1e-5)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: row_entropy(torch.tensor([0.5, 0.6])), "sum to 1"),
        (lambda: row_entropy(torch.tensor([1.5, -0.5])), "0 or more"),
        (lambda: row_entropy(torch.tensor([math.nan, 1.0])), "0 or more"),
        (lambda: sharpness([ROWS[:1]], [PAIR]), "2 target words .* got 1"),
        (lambda: sharpness([], []), "no weights"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_what_has_no_spread(pairs, vocabs):
    with pytest.raises(ValueError, match="no attention"):
        score_spread(build_model(ModelConfig(embed_size=6, hidden_size=8), *vocabs), pairs)
    model = build_model(ModelConfig("dot", "current", 6, 8), *vocabs)
    with pytest.raises(ValueError, match="no source has two words"):
        score_spread(model, [pair for pair in pairs if len(pair.src) == 1])
