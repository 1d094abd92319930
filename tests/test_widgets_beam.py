"""BeamView: the tree of a real search travels whole, and what isn't a tree is refused."""

from __future__ import annotations

import math

import pytest
from conftest import SMALL_SOURCE

from seq2seq_attention.explore import Node, Tree, beam_tree
from seq2seq_attention.widgets import BeamView

NODES = [
    Node(-1, 0, "<sos>", 0.0, 0.0, "kept"),
    Node(0, 1, "a", -0.5, -0.5, "kept"),
    Node(0, 1, "b", -1.5, -1.5, "pruned"),
    Node(1, 2, "<eos>", -0.7, -0.35, "finished"),
]


def test_the_tree_of_a_search_is_shown(small):
    tree = beam_tree(small, SMALL_SOURCE, width=2, max_len=4)
    figure = BeamView(tree, SMALL_SOURCE, ["a"], "A search", 0.5)
    assert [node[:3] for node in figure.nodes] == [[n.parent, n.step, n.token] for n in tree.nodes]
    assert [node[4] for node in figure.nodes] == [n.status for n in tree.nodes]
    assert figure.step == max(n.step for n in tree.nodes)
    assert (figure.src, figure.gold, figure.penalty) == (list(SMALL_SOURCE), ["a"], 0.5)
    assert repr(figure) == f"BeamView({len(tree.nodes)} nodes, {figure.step} steps)"


@pytest.mark.parametrize(
    ("place", "change", "says"),
    [
        (0, {"parent": 0}, "node 0 must be the root"),
        (0, {"log_prob": 5.0}, "log P 5.0"),
        (2, {"parent": 3}, "node 2 has the parent 3"),
        (3, {"step": 3}, "node 3 has step 3, but its parent 1"),
        (3, {"log_prob": -0.4}, "at most its parent's -0.5"),
        (1, {"log_prob": math.nan}, "log P nan"),
        (2, {"status": "lost"}, "the status 'lost'"),
    ],
)
def test_what_is_no_tree_is_refused(place, change, says):
    nodes = [node._replace(**change) if i == place else node for i, node in enumerate(NODES)]
    with pytest.raises(ValueError, match=says):
        BeamView(Tree(nodes, [], []))


def test_sizes_and_places_are_checked():
    with pytest.raises(ValueError, match="2 to 600 nodes, got 1"):
        BeamView(Tree(NODES[:1], [], []))
    figure = BeamView(Tree(NODES, [], []))
    for name, value, says in [
        ("step", 3, "step is 3, but must be from 1 to 2"),
        ("penalty", 2.1, "penalty is 2.1"),
        ("chosen", 4, "chosen is 4, but must be from 0 to 3"),
    ]:
        with pytest.raises(ValueError, match=says):
            setattr(figure, name, value)
    figure.chosen = -1
