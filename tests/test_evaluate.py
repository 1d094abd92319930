"""evaluate: on cases that can be worked on paper."""

import pytest
import torch

from seq2seq_attention import evaluate
from seq2seq_attention.data import Pair
from seq2seq_attention.evaluate import (
    accuracy,
    alignment_error_rate,
    alignment_hit_rate,
    argmax_links,
    by_length,
    corpus_alignment_error_rate,
    correct,
    exact_match,
    forced_weights,
)
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.search import Hypothesis

PAIR = Pair(("a", "b"), ("B", "x", "A"), {(0, 1), (2, 0)})
RIGHT = torch.tensor([[0.1, 0.9], [0.5, 0.5], [0.8, 0.2], [1.0, 0.0]])  # the last row is <eos>
HALF = torch.tensor([[0.1, 0.9], [0.5, 0.5], [0.3, 0.7]])


def test_exact_match_wants_every_token():
    assert exact_match([["a", "b"], ["a"], []], [("a", "b"), ("a", "b"), ()]) == [True, False, True]
    assert accuracy([True, False, True, True]) == 0.75


@pytest.mark.parametrize("output", ["ba", "aab", "a", "abc", ""])
def test_neither_the_words_alone_nor_the_beginning_will_do(output):
    assert exact_match([list(output)], [("a", "b")]) == [False]


def test_correct_passes_on_max_len(monkeypatch):
    def say_b_forever(model, sources, max_len):
        return [Hypothesis([], ["B"] * max_len, 0.0, None, False) for _ in sources]

    monkeypatch.setattr(evaluate, "translate", say_b_forever)
    pairs = [Pair(("b", "b"), ("B", "B")), Pair(("b",), ("B",))]
    assert correct(None, pairs, max_len=2) == [True, False]
    assert correct(None, pairs) == [False, False]


def test_by_length_counts_each_sentence_once():
    table = by_length([True, False, True], [1, 5, 6], bins=((1, 5), (6, 10), (11, 12)))
    assert [(b.n, b.label) for b in table] == [(2, "1–5"), (1, "6–10"), (0, "11–12")]
    assert table[0].accuracy == 0.5 and table[1].accuracy == 1
    assert table[2].accuracy != table[2].accuracy, "nothing measured is nan, not 0"


def test_hit_rate_looks_at_linked_words_only():
    assert alignment_hit_rate([RIGHT], [PAIR]) == 1
    assert alignment_hit_rate([HALF], [PAIR]) == 0.5
    assert alignment_hit_rate([RIGHT, HALF], [PAIR, PAIR]) == 0.75


def test_error_rate_by_hand():
    """Och & Ney: A = 3 links, 2 sure ones found of 3, one more is possible."""
    predicted, sure = {(0, 0), (1, 1), (2, 3)}, {(0, 0), (1, 1), (2, 2)}
    assert alignment_error_rate(predicted, sure) == pytest.approx(1 - 4 / 6)
    assert alignment_error_rate(predicted, sure, {(2, 3)}) == pytest.approx(1 - 5 / 6)
    assert alignment_error_rate(sure, sure) == 0
    assert alignment_error_rate(set(), sure) == 1


def test_corpus_error_rate_sums_before_dividing():
    assert argmax_links(HALF, PAIR) == {(0, 1), (2, 1)}
    assert corpus_alignment_error_rate([RIGHT, HALF], [PAIR, PAIR]) == pytest.approx(0.25)


def test_forced_weights_fit_their_pairs(attending, pairs):
    for alpha, pair in zip(forced_weights(attending, pairs, batch_size=4), pairs, strict=True):
        assert alpha.shape == (len(pair.tgt) + 1, len(pair.src))
        torch.testing.assert_close(alpha.sum(1), torch.ones(len(alpha)))


@pytest.mark.parametrize("training", [True, False])
def test_forced_weights_are_without_dropout_and_leave_the_mode(training, vocabs, pairs):
    torch.manual_seed(0)
    config = ModelConfig("additive", embed_size=6, hidden_size=8, dropout=0.5)
    model = build_model(config, *vocabs).train(training)
    first, second = forced_weights(model, pairs), forced_weights(model, pairs)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert all(module.training == training for module in model.modules())


NO_GOLD = Pair(("a", "b"), ("B", "x", "A"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: exact_match([["a"]], []), "1 outputs.*0 references"),
        (lambda: accuracy([]), "none"),
        (lambda: by_length([True], [1, 2]), "1 results.*2 lengths"),
        (lambda: by_length([True], [24]), "24"),
        (lambda: by_length([True], [3], bins=((1, 5), (5, 6))), "overlap"),
        (lambda: alignment_hit_rate([RIGHT], [NO_GOLD]), "'a b' has no gold"),
        (lambda: alignment_hit_rate([RIGHT.T], [PAIR]), r"\(2, 4\)"),
        (lambda: alignment_hit_rate([RIGHT[:2]], [PAIR]), r"at least 3, 2.*\(2, 2\)"),
        (lambda: argmax_links(RIGHT[:2], PAIR), r"at least 3, 2.*\(2, 2\)"),
        (lambda: alignment_hit_rate([], []), "no target token"),
        (lambda: alignment_error_rate([], []), "neither"),
        (lambda: corpus_alignment_error_rate([], []), "no pair"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_model_without_attention_has_no_weights(vocabs, pairs):
    with pytest.raises(ValueError, match="no attention"):
        forced_weights(build_model(ModelConfig(hidden_size=4), *vocabs), pairs)


@pytest.mark.parametrize("broken", [RIGHT * float("nan"), RIGHT * 0, RIGHT * 2, RIGHT - 0.5])
def test_what_are_no_weights_is_not_scored(broken):
    """A broken model must not look like a perfect aligner."""
    for score in (alignment_hit_rate, corpus_alignment_error_rate):
        with pytest.raises(ValueError, match="sum to 1"):
            score([broken], [PAIR])
