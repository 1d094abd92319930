"""MapView: the flat view and the neighbours are right, and what isn't a map is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from traitlets import TraitError

from seq2seq_attention.widgets import MapView

RNG = np.random.default_rng(0)
STATES = RNG.normal(size=(7, 5)) * [9, 3, 1, 1, 1]
LABELS = [f"n{i}" for i in range(7)]


def test_the_map_shows_the_two_axes_of_most_spread():
    figure = MapView({"now": STATES}, LABELS, list("abcdefg"))
    centred = STATES - STATES.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    flat = centred @ axes[:, ::-1][:, :2]
    flat /= abs(flat).max()
    shown = np.reshape(figure.points[0], (7, 2))
    np.testing.assert_allclose(abs(shown), abs(flat), atol=1e-4)  # an axis has no direction
    assert figure.spread[0] == pytest.approx(values[-2:].sum() / values.sum())


def test_neighbours_are_counted_in_all_dimensions_and_among_all_sentences():
    states = torch.tensor(STATES, requires_grad=True)
    figure = MapView({"a": states, "b": -2 * states}, LABELS, LABELS, neighbours=3, drawn=[6, 2])
    for i, found in zip([6, 2], figure.nearest[0], strict=True):
        order = np.argsort(((STATES - STATES[i]) ** 2).sum(axis=1))
        assert found == order[1:4].tolist() and i not in found
    assert figure.nearest[0] == figure.nearest[1]
    assert (figure.marks, figure.shown, len(figure.points[0])) == (["n6", "n2"], 1, 4)
    assert repr(figure) == "MapView(2 points, a, b)"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"states": {}}, "states is empty"),
        ({"states": {"a": STATES[:6]}}, r"'a' have shape \(6, 5\), but 7 labels"),
        ({"states": {"a": STATES[:, :1]}}, "H at least 2"),
        ({"states": {"a": STATES * math.nan}}, r"'a' has nan at \(0, 0\)"),
        ({"labels": ["x"] * 7}, "at least 3 different"),
        ({"marks": []}, "marks has 0 entries"),
        ({"sentences": ["one"]}, "sentences has 1 entries, but there are 7"),
        ({"neighbours": 7}, "from 1 to 6, got 7"),
        ({"drawn": [7]}, "positions from 0 to 6"),
    ],
)
def test_what_makes_no_map_is_refused(change, says):
    with pytest.raises(ValueError, match=says):
        MapView(**{"states": {"a": STATES}, "labels": LABELS, "marks": LABELS} | change)


def test_a_point_that_is_not_there_is_refused():
    figure = MapView({"a": STATES}, LABELS, LABELS)
    with pytest.raises(ValueError, match="chosen is 7, but must be from 0 to 6"):
        figure.chosen = 7
    with pytest.raises(ValueError, match="shown is 1"):
        figure.shown = 1
    with pytest.raises(TraitError):
        figure.chosen = "n1"
