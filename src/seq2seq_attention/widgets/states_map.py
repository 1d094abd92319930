"""Sentence vectors as a live map: who is near whom, and what neighbours have in common.

Python flattens the vectors and counts neighbours; `states_map.js` draws. No kernel is needed then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from . import bundle
from .alignment import _position, _tokens

_MOST = 1000  # points: more are a cloud that nobody can point into


class MapView(anywidget.AnyWidget):
    """Vectors of the same sentences, in one map or several, each flattened to two dimensions.

    The map shows the two principal axes: of all flat views, the one with the most spread. The
    neighbours are those in all dimensions, not those on the map.

    Args:
        states: for each map its name and the vectors (N, H), for instance c before and after
            training.
        labels: what each sentence is called, N different ones.
        marks: one short sign a sentence, drawn as its point, for instance a digit.
        sentences: N texts shown with the labels; None for none.
        neighbours: how many nearest sentences are named.
        drawn: positions of the sentences that get a point; None draws all. The axes and the
            neighbours are worked out from all.
        title: shown above the figure.

    Synced with the page: `shown` (the map, from 0) and `chosen` (a sentence, from 0).

    Raises:
        ValueError: there are no vectors, too many points, fewer than 3 sentences, a number isn't
            finite, sizes differ, or a label is there twice.
    """

    _esm = bundle.module("states_map")
    _css = bundle.style("states_map")

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)  # of the maps
    points: traitlets.List[Any] = traitlets.List().tag(sync=True)  # for each map x, y of each point
    spread: traitlets.List[Any] = traitlets.List().tag(sync=True)  # share of spread on each map
    nearest: traitlets.List[Any] = traitlets.List().tag(sync=True)  # for each map and point: ids
    drawn: traitlets.List[Any] = traitlets.List().tag(sync=True)  # which sentences are points
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    marks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    shown = traitlets.Int(0).tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        states: Mapping[str, Any],
        labels: Sequence[str],
        marks: Sequence[str],
        sentences: Sequence[str] | None = None,
        neighbours: int = 6,
        drawn: Sequence[int] | None = None,
        title: str = "",
    ) -> None:
        names, texts = list(states), _tokens("labels", labels)
        signs, told = _tokens("marks", marks), _tokens("sentences", sentences or [])
        count = len(texts)
        if not names:
            raise ValueError("states is empty, but a figure needs at least one map")
        if count < 3 or len(set(texts)) != count:
            raise ValueError(f"labels must be at least 3 different ones, got {texts[:5]!r} …")
        for name, values in (("marks", signs), ("sentences", told)):
            if (values and len(values) != count) or (name == "marks" and not values):
                raise ValueError(f"{name} has {len(values)} entries, but there are {count} labels")
        if not 1 <= neighbours < count:
            raise ValueError(f"neighbours must be from 1 to {count - 1}, got {neighbours}")
        chosen = list(range(count)) if drawn is None else [int(i) for i in drawn]
        if not 1 <= len(chosen) <= _MOST or not all(0 <= i < count for i in chosen):
            raise ValueError(f"drawn must be 1 to {_MOST} positions from 0 to {count - 1}")
        maps = [_flat(name, states[name], count) for name in names]
        super().__init__(
            names=names,
            points=[np.round(flat[chosen], 4).ravel().tolist() for flat, _ in maps],
            spread=[share for _, share in maps],
            nearest=[_nearest(np.asarray(_array(states[n])), chosen, neighbours) for n in names],
            drawn=chosen,
            labels=texts,
            marks=[signs[i] for i in chosen],
            sentences=told,
            title=title,
            shown=len(names) - 1,
        )

    def __repr__(self) -> str:
        return f"MapView({len(self.drawn)} points, {', '.join(self.names)})"

    @traitlets.validate("shown")
    def _valid_shown(self, proposal: Any) -> int:
        return _position("shown", proposal["value"], len(self.names))

    @traitlets.validate("chosen")
    def _valid_chosen(self, proposal: Any) -> int:
        return _position("chosen", proposal["value"], len(self.drawn))


def _array(states: Any) -> np.ndarray:
    if hasattr(states, "detach"):
        states = states.detach().cpu().double().numpy()
    return np.asarray(states, dtype=np.float64)


def _flat(name: str, states: Any, count: int) -> tuple[np.ndarray, float]:
    """Places (N, 2) in −1 to 1 along the two principal axes, and their share of the spread."""
    array = _array(states)
    if array.ndim != 2 or len(array) != count or array.shape[1] < 2:
        raise ValueError(
            f"the vectors of {name!r} have shape {array.shape}, but {count} labels need "
            f"({count}, H) with H at least 2"
        )
    if not np.isfinite(array).all():
        n, unit = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"{name!r} has {array[n, unit]} at ({n}, {unit}), not a finite number")
    u, sizes, _ = np.linalg.svd(array - array.mean(axis=0), full_matrices=False)
    flat = u[:, :2] * sizes[:2]
    total = float((sizes**2).sum())
    return flat / max(abs(flat).max(), 1e-12), float((sizes[:2] ** 2).sum() / max(total, 1e-12))


def _nearest(array: np.ndarray, chosen: list[int], k: int) -> list[list[int]]:
    """For each sentence drawn the k nearest of all, by Euclidean distance, nearest first."""
    rows = []
    for i in chosen:
        distance = ((array - array[i]) ** 2).sum(axis=1)
        distance[i] = np.inf
        rows.append(np.argsort(distance, kind="stable")[:k].tolist())
    return rows
