"""The Python side of the figure of three prototypes: what is refused, and what travels."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from traitlets import TraitError

from seq2seq_attention.data import number_pair
from seq2seq_attention.widgets import PrototypesView
from seq2seq_attention.widgets.prototypes import drawn_by_hand

SRC, TGT = ["forty", "two"], ["zwei", "und", "vier", "zig"]
WEIGHTS = np.array([[0.1, 0.9], [0.5, 0.5], [0.9, 0.1], [1.0, 0.0]])  # (T=4, S=2)


def view(weights=WEIGHTS, src=SRC, tgt=TGT, **more) -> PrototypesView:
    return PrototypesView(src, tgt, weights, **more)


def test_weights_travel_row_by_row_and_are_called_measured():
    figure = view(torch.tensor(WEIGHTS, requires_grad=True))
    assert figure.weights == [0.1, 0.9, 0.5, 0.5, 0.9, 0.1, 1.0, 0.0]
    assert figure.measured
    assert repr(figure) == "PrototypesView(2 source, 4 target words, vector)"


@pytest.mark.parametrize(
    ("kind", "word", "step"),
    [("vector", None, 6), ("attention", 0, 3), ("transformer", 3, 4), ("transformer", None, 4)],
)
def test_the_first_step_is_that_of_a_word(kind, word, step):
    assert view(kind=kind, word=word).step == step


def test_weights_drawn_by_hand_follow_the_gold_links():
    pair = number_pair(342)
    figure = PrototypesView(pair.src, (*pair.tgt, "<eos>"), gold=pair.alignment)
    weights = np.array(figure.weights).reshape(7, 5)
    assert not figure.measured
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=0.003)
    assert all(weights[t].argmax() == s for t, s in pair.alignment)
    assert weights.min() > 0


def test_by_hand_a_row_without_a_link_looks_where_the_one_before_looked():
    weights = drawn_by_hand(3, 2, [[1, 1]])
    assert weights.argmax(axis=1).tolist() == [0, 1, 1]


@pytest.mark.parametrize(("size", "n"), [(1, 1), (5, 2), (2, 5), (12, 12)])
def test_by_hand_without_links_rows_sum_to_one_and_go_forward(size, n):
    weights = drawn_by_hand(size, n, None)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    looks = weights.argmax(axis=1)
    assert (np.diff(looks) >= 0).all()
    assert looks[0] == 0
    assert looks[-1] == (n - 1 if size > 1 else 0)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"src": []}, "src must have 1 to 12 tokens, got 0"),
        ({"tgt": []}, "tgt must have 1 to 12 tokens, got 0"),
        ({"src": ["a"] * 13, "weights": None}, "src must have 1 to 12 tokens, got 13"),
        ({"src": "forty two"}, "src must be a list of strings"),
        ({"tgt": ["zwei", 2]}, "item 1 is 2"),
        ({"weights": WEIGHTS.T}, r"need \(4, 2\)"),
        ({"weights": np.stack([WEIGHTS, WEIGHTS])}, r"one \(T, S\) array, got 2"),
        ({"weights": WEIGHTS * 0.9}, "sums to 0.9"),
        ({"weights": np.full((4, 2), np.nan)}, "finite"),
        ({"weights": [[1.5, -0.5]] * 4}, "from 0 to 1"),
        ({"gold": [(4, 0)]}, "outside 4 target and 2 source"),
        ({"word": 4}, "word is 4, but must be from 0 to 3"),
        ({"word": -1}, "word is -1"),
    ],
)
def test_what_does_not_fit_is_refused(more, message):
    with pytest.raises(ValueError, match=message):
        view(**more)


def test_an_unknown_prototype_or_step_is_refused():
    with pytest.raises(TraitError, match="kind"):
        view(kind="lstm")
    figure = view()
    for step in (-1, 7):
        with pytest.raises(ValueError, match="from 0 to 6"):
            figure.step = step
    figure.step = 0
