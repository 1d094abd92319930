"""evaluate: on cases that can be worked on paper."""

import pytest
import torch

from seq2seq_attention.data import Pair
from seq2seq_attention.evaluate import (
    accuracy,
    alignment_error_rate,
    alignment_hit_rate,
    argmax_links,
    by_length,
    corpus_alignment_error_rate,
    exact_match,
    forced_weights,
)

PAIR = Pair(("a", "b"), ("B", "x", "A"), {(0, 1), (2, 0)})
RIGHT = torch.tensor([[0.1, 0.9], [0.5, 0.5], [0.8, 0.2], [1.0, 0.0]])  # the last row is <eos>
HALF = torch.tensor([[0.1, 0.9], [0.5, 0.5], [0.3, 0.7]])


def test_exact_match_wants_every_token():
    assert exact_match([["a", "b"], ["a"], []], [("a", "b"), ("a", "b"), ()]) == [True, False, True]
    assert accuracy([True, False, True, True]) == 0.75


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
        (lambda: alignment_hit_rate([], []), "no target token"),
        (lambda: alignment_error_rate([], []), "neither"),
        (lambda: corpus_alignment_error_rate([], []), "no pair"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_model_without_attention_has_no_weights(vocabs, pairs):
    from seq2seq_attention.model import ModelConfig, build_model

    with pytest.raises(ValueError, match="no attention"):
        forced_weights(build_model(ModelConfig(hidden_size=4), *vocabs), pairs)
