"""Attention weights as a live figure: which source words each target word looks at.

Python only checks and packs; `alignment.js` draws. The figure needs no kernel once shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets
from ipywidgets import widget_serialization

from . import bundle

_STEPS = 1000  # weights travel as whole thousandths: the three decimals the figure shows
_TOLERANCE = 1e-3  # how far from 1 a row of weights may sum


class AlignmentView(anywidget.AnyWidget):
    """A matrix of attention weights that the reader steps through and explores.

    Args:
        weights: (T, S), or (N, T, S) for N snapshots taken during training: weights[..., t, s]
            is how much target word t looks at source word s. Array, tensor or nested lists.
        src: the S source tokens.
        tgt: the T target tokens.
        gold: links (t, s), target position first, both from 0; None if unknown.
        title: shown above the figure.
        step: the decoder step shown at first, 0 to T - 1; None shows the last, so everything.
        threshold: weights below it are not drawn (they stay in the table of numbers).
        snapshots: N labels, for instance ["step 100", "step 200"]; None counts from 1.
        view: "matrix", or "flow": two rows of words with ribbons between them.

    Synced with the page: `step`, `snapshot`, `view`, `show_gold`, `threshold` and `focus`,
    which is None or (t, s), with -1 for t or s to mean a whole column or row.

    Raises:
        ValueError: a shape, weight, link, label or position is not as described.
    """

    _esm = bundle.module("alignment")
    _css = bundle.style("alignment")

    src = traitlets.List(traitlets.Unicode()).tag(sync=True)
    tgt = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shape = traitlets.List(traitlets.Int(), [1, 0, 0]).tag(sync=True)  # N, T, S
    weights = traitlets.Bytes().tag(sync=True)  # see _packed
    gold: traitlets.List[Any] = traitlets.List(allow_none=True, default_value=None).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    view = traitlets.Enum(["matrix", "flow"], "matrix").tag(sync=True)
    snapshots = traitlets.List(traitlets.Unicode()).tag(sync=True)
    snapshot = traitlets.Int(0).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    show_gold = traitlets.Bool(False).tag(sync=True)
    threshold = traitlets.Float(0.0).tag(sync=True)
    focus = traitlets.Tuple(
        traitlets.Int(), traitlets.Int(), allow_none=True, default_value=None
    ).tag(sync=True)

    def __init__(
        self,
        weights: Any,
        src: Sequence[str],
        tgt: Sequence[str],
        gold: Iterable[tuple[int, int]] | None = None,
        title: str = "",
        step: int | None = None,
        threshold: float = 0.0,
        snapshots: Sequence[str] | None = None,
        view: str = "matrix",
    ) -> None:
        src, tgt = _tokens("src", src), _tokens("tgt", tgt)
        array = _checked_weights(weights, len(tgt), len(src))  # (N, T, S)
        labels = [] if snapshots is None else _tokens("snapshots", snapshots)
        if snapshots is not None and len(labels) != len(array):
            raise ValueError(
                f"snapshots has {len(labels)} labels, but weights holds {len(array)} snapshots"
            )
        super().__init__(
            src=src,
            tgt=tgt,
            shape=list(array.shape),
            weights=_packed(array),
            gold=_checked_links(gold, len(tgt), len(src)),
            title=title,
            snapshots=labels,
            snapshot=len(array) - 1,
            step=max(len(tgt) - 1, 0) if step is None else step,
            threshold=threshold,
            view=view,
        )

    def __repr__(self) -> str:
        count, rows, columns = self.shape
        kind = f"{count} snapshots of " if count > 1 else ""
        return f"AlignmentView({kind}{rows} target x {columns} source words, step {self.step})"

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        return _position("step", proposal["value"], max(self.shape[1], 1))

    @traitlets.validate("snapshot")
    def _valid_snapshot(self, proposal: Any) -> int:
        return _position("snapshot", proposal["value"], self.shape[0])

    @traitlets.validate("focus")
    def _valid_focus(self, proposal: Any) -> tuple[int, int] | None:
        value: tuple[int, int] | None = proposal["value"]
        if value is None:
            return None
        t, s = value
        _, rows, columns = self.shape
        if not (-1 <= t < rows and -1 <= s < columns) or (t, s) == (-1, -1):
            raise ValueError(
                f"focus is {value}, but must be None or (t, s) with t from -1 to {rows - 1} and "
                f"s from -1 to {columns - 1}, not both -1"
            )
        return value

    @traitlets.validate("threshold")
    def _valid_threshold(self, proposal: Any) -> float:
        value = float(proposal["value"])
        if not 0 <= value <= 1:
            raise ValueError(f"threshold is {value}, but must be from 0 to 1")
        return value


class AlignmentPair(anywidget.AnyWidget):
    """Two figures side by side, for instance two models on one sentence, that move together.

    Step, snapshot, view, threshold, gold marks and what is pointed at are shared, as far as
    both have them: the figures may differ in words and snapshots. At first the left one leads.

    Args:
        left: one figure.
        right: another one; each should have a title, to tell them apart.

    Raises:
        ValueError: both are the same figure.
        TraitError: one of them is no AlignmentView.
    """

    _esm = bundle.HERE / "pair.js"
    _css = bundle.style("alignment", "pair")

    left = traitlets.Instance(AlignmentView).tag(sync=True, **widget_serialization)
    right = traitlets.Instance(AlignmentView).tag(sync=True, **widget_serialization)

    def __init__(self, left: AlignmentView, right: AlignmentView) -> None:
        if left is right:
            raise ValueError("left and right are the same figure; make two to compare them")
        super().__init__(left=left, right=right)

    def __repr__(self) -> str:
        return f"AlignmentPair({self.left!r}, {self.right!r})"


def _packed(array: np.ndarray) -> bytes:
    """Weights (N, T, S) in few bytes: whole thousandths, cell by cell through the snapshots.

    The first byte says what the numbers after it are: 0 the thousandths themselves, 1 their
    change since the snapshot before (zigzag: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...), whichever
    is shorter. Then each byte below 192 is a number, 192 + k stands for 2**k zeros, and 255
    is followed by a number in two bytes, little endian. `unpack` in alignment.js reads it.
    """
    cells = np.rint(array * _STEPS).astype(np.int64).transpose(1, 2, 0)  # (T, S, N)
    change = np.diff(cells, axis=2, prepend=0)
    change = np.where(change < 0, -2 * change - 1, 2 * change)
    return min(
        (bytes([mode]) + _short(kind.ravel()) for mode, kind in enumerate((cells, change))),
        key=len,
    )


def _short(numbers: np.ndarray) -> bytes:
    """Numbers from 0 to 65535 as bytes, runs of zeros shortened."""
    out = bytearray()
    places = np.flatnonzero(numbers)
    runs = np.diff(places, prepend=-1) - 1  # zeros before each number that is not 0
    last = len(numbers) - 1 - (int(places[-1]) if len(places) else -1)  # and after all of them
    for run, number in zip([*runs.tolist(), last], [*numbers[places].tolist(), 0], strict=True):
        out += bytes(192 + k for k in range(run.bit_length()) if run >> k & 1)
        if number >= 192:
            out += bytes([255]) + number.to_bytes(2, "little")
        elif number:
            out.append(number)
    return bytes(out)


def _tokens(name: str, tokens: Sequence[str]) -> list[str]:
    """The tokens as a list; a single string is refused, being a sequence of characters."""
    if isinstance(tokens, str):
        raise ValueError(f"{name} must be a list of strings, got the single string {tokens!r}")
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise ValueError(f"{name} must be a list of strings, but item {i} is {token!r}")
    return list(tokens)


def _checked_weights(weights: Any, rows: int, columns: int) -> np.ndarray:
    """Weights as a (N, T, S) array of distributions over S, or ValueError."""
    if hasattr(weights, "detach"):  # a torch tensor, perhaps on a GPU and part of a graph
        weights = weights.detach().cpu().double().numpy()
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"weights must be a full (T, S) or (N, T, S) array: {error}") from error
    if rows == 0 and array.size == 0 and array.ndim < 3:
        array = array.reshape(1, 0, columns)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or array.shape[1:] != (rows, columns) or not len(array):
        raise ValueError(
            f"weights has shape {np.shape(weights)}, but {rows} target and {columns} source "
            f"tokens need ({rows}, {columns}) or (N, {rows}, {columns}) with N at least 1"
        )
    _refuse(array, ~np.isfinite(array), "must be a finite number")
    _refuse(array, (array < -1e-6) | (array > 1 + 1e-6), "must be from 0 to 1")
    sums = array.sum(axis=2)  # (N, T)
    if (wrong := np.argwhere(abs(sums - 1) > _TOLERANCE)).size:
        n, t = wrong[0]
        raise ValueError(
            f"row {t} of weights (snapshot {n}) sums to {sums[n, t]:.4g}, but each must sum to 1"
        )
    return array.clip(0, 1)


def _refuse(array: np.ndarray, wrong: np.ndarray, rule: str) -> None:
    """ValueError that names the first wrong weight."""
    if wrong.any():
        n, t, s = np.argwhere(wrong)[0]
        raise ValueError(
            f"the weight at t={t}, s={s} (snapshot {n}) is {array[n, t, s]:.4g}, but {rule}"
        )


def _checked_links(
    gold: Iterable[tuple[int, int]] | None, rows: int, columns: int
) -> list[list[int]] | None:
    """Gold links sorted, or ValueError if one is outside the matrix."""
    if gold is None:
        return None
    links = sorted({(int(t), int(s)) for t, s in gold})
    for t, s in links:
        if not (0 <= t < rows and 0 <= s < columns):
            raise ValueError(
                f"gold link (t={t}, s={s}) is outside {rows} target and {columns} source tokens"
            )
    return [[t, s] for t, s in links]


def _position(name: str, value: int, count: int) -> int:
    """The value, if it is one of 0 to count - 1."""
    if not 0 <= value < count:
        raise ValueError(f"{name} is {value}, but must be from 0 to {count - 1}")
    return value
