"""Beam search as a live tree: which beginnings were kept, which cut, and which sentence wins.

Python packs the tree that `explore.beam_tree` returns; `beam_tree.js` draws it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from ..explore import Tree
from . import bundle
from .alignment import _position, _tokens

_MOST = 600  # nodes
_STATUS = ("kept", "finished", "pruned")


class BeamView(anywidget.AnyWidget):
    """The tree of one beam search, step by step.

    Args:
        tree: as `explore.beam_tree` returns it: up to 600 nodes.
        src: the source tokens.
        gold: the right target tokens; None if unknown.
        title: shown above the figure.
        length_penalty: what finished sentences are ranked by at first,
            log_prob / steps ** length_penalty.

    Synced with the page: `step` (1 to the last), `penalty` (0 to 2) and `chosen` (a node, or −1).

    Raises:
        ValueError: the tree has no step or too many nodes, a node's parent, step, log-probability
            or status is not as in a tree, or a trait is outside its range.
    """

    _esm = bundle.module("beam_tree")
    _css = bundle.style("beam_tree")

    nodes: traitlets.List[Any] = traitlets.List().tag(sync=True)  # parent, step, token, log P, fate
    src = traitlets.List(traitlets.Unicode()).tag(sync=True)
    gold: traitlets.List[Any] = traitlets.List(allow_none=True, default_value=None).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(1).tag(sync=True)
    penalty = traitlets.Float(0.0).tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)

    def __init__(
        self,
        tree: Tree,
        src: Sequence[str] = (),
        gold: Sequence[str] | None = None,
        title: str = "",
        length_penalty: float = 0.0,
    ) -> None:
        nodes: list[list[Any]] = [
            [n.parent, n.step, n.token, round(n.log_prob, 4), n.status] for n in tree.nodes
        ]
        _check(nodes)
        super().__init__(
            nodes=nodes,
            src=_tokens("src", src),
            gold=None if gold is None else _tokens("gold", gold),
            title=title,
            step=max(node[1] for node in nodes),
            penalty=length_penalty,
        )

    def __repr__(self) -> str:
        return f"BeamView({len(self.nodes)} nodes, {max(n[1] for n in self.nodes)} steps)"

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        last = max(node[1] for node in self.nodes)
        if not 1 <= proposal["value"] <= last:
            raise ValueError(f"step is {proposal['value']}, but must be from 1 to {last}")
        return int(proposal["value"])

    @traitlets.validate("penalty")
    def _valid_penalty(self, proposal: Any) -> float:
        if not 0 <= proposal["value"] <= 2:
            raise ValueError(f"penalty is {proposal['value']}, but must be from 0 to 2")
        return float(proposal["value"])

    @traitlets.validate("chosen")
    def _valid_chosen(self, proposal: Any) -> int:
        if proposal["value"] == -1:
            return -1
        return _position("chosen", proposal["value"], len(self.nodes))


def _check(nodes: list[list[Any]]) -> None:
    if not 2 <= len(nodes) <= _MOST:
        raise ValueError(f"a tree must have 2 to {_MOST} nodes, got {len(nodes)}")
    for i, (parent, step, _, log_prob, status) in enumerate(nodes):
        if i == 0:
            if (parent, step, log_prob, status) != (-1, 0, 0, "kept"):
                raise ValueError(
                    f"node 0 must be the root, kept at log P 0, got parent {parent}, step {step}, "
                    f"log P {log_prob} and status {status!r}"
                )
            continue
        if not 0 <= parent < i:
            raise ValueError(f"node {i} has the parent {parent}, but must come after its parent")
        if step != nodes[parent][1] + 1:
            raise ValueError(f"node {i} has step {step}, but its parent {nodes[parent][1]}")
        if not (math.isfinite(log_prob) and log_prob <= nodes[parent][3] + 1e-3):
            raise ValueError(
                f"node {i} has log P {log_prob}, but must be at most its parent's "
                f"{nodes[parent][3]}"
            )
        if status not in _STATUS:
            raise ValueError(f"node {i} has the status {status!r}, but must be one of {_STATUS}")
