"""A recurrent encoder while it reads: one state a word, unit by unit.

Python only checks and packs; `recurrent.js` draws. The figure needs no kernel once shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from . import bundle
from .alignment import _position, _tokens

_STEPS = 1000  # numbers travel as whole thousandths: the three decimals the figure shows
_SLACK = 1e-6  # how far outside its range rounding may leave a number


class RecurrentView(anywidget.AnyWidget):
    """The states of a recurrent network as it reads a sentence, word by word.

    Args:
        states: (S, H): states[i] is h_i, the state after token i; each number from -1 to 1, as
            of a GRU, an LSTM or a plain tanh step. Array, tensor or nested lists.
        tokens: the S tokens, in their order in the sentence.
        title: shown above the figure.
        gates: the pair (reset, update) of a GRU, (S, H) each, from 0 to 1; None if not shown.
        backward: (S, H) of a second network that reads from the last token to the first;
            backward[i] is its state after token i has been read. It has no gates here.
        final: the state after all words is the context vector, and marked as c.
        step: how many words have been read at first, minus 1; None shows all.
        unit: the unit that is followed at first, 0 to H - 1; None takes the one that changes
            most at one word.

    Synced with the page: `step`, `unit`, `shows` ("state", "reset" or "update"), `reading`
    ("forward" or "backward") and `order` of the units ("index", or "change": by the word at
    which they change most).

    Raises:
        ValueError: a shape, number, token or position is not as described.
    """

    _esm = bundle.module("recurrent")
    _css = bundle.style("recurrent")

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shape = traitlets.List(traitlets.Int(), [1, 1]).tag(sync=True)  # S, H
    states = traitlets.Bytes().tag(sync=True)  # see _packed
    backward = traitlets.Bytes().tag(sync=True)  # empty: there is none
    reset = traitlets.Bytes().tag(sync=True)
    update = traitlets.Bytes().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    final = traitlets.Bool(True).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    unit = traitlets.Int(0).tag(sync=True)
    shows = traitlets.Enum(["state", "reset", "update"], "state").tag(sync=True)
    reading = traitlets.Enum(["forward", "backward"], "forward").tag(sync=True)
    order = traitlets.Enum(["index", "change"], "index").tag(sync=True)

    def __init__(
        self,
        states: Any,
        tokens: Sequence[str],
        title: str = "",
        gates: tuple[Any, Any] | None = None,
        backward: Any = None,
        final: bool = True,
        step: int | None = None,
        unit: int | None = None,
    ) -> None:
        tokens = _tokens("tokens", tokens)
        if not tokens:
            raise ValueError("tokens is empty, but there must be at least one to read")
        array = _checked("states", states, len(tokens), low=-1)  # (S, H)
        parts = {"backward": backward, "reset": None, "update": None}
        if gates is not None:
            if len(gates) != 2:
                raise ValueError(f"gates must be the pair (reset, update), got {len(gates)} parts")
            parts["reset"], parts["update"] = gates
        packed = {}
        for name, part in parts.items():
            low = -1 if name == "backward" else 0
            packed[name] = (
                b""
                if part is None
                else _packed(_checked(name, part, len(tokens), low, width=array.shape[1]))
            )
        if unit is None:
            unit = int(abs(np.diff(array, axis=0, prepend=0)).max(axis=0).argmax())
        super().__init__(
            tokens=tokens,
            shape=list(array.shape),
            states=_packed(array),
            title=title,
            final=final,
            step=len(tokens) - 1 if step is None else step,
            unit=unit,
            **packed,
        )

    def __repr__(self) -> str:
        words, units = self.shape
        parts = [name for name in ("reset", "update", "backward") if getattr(self, name)]
        more = f", with {' and '.join(parts)}" if parts else ""
        return f"RecurrentView({words} words, {units} units{more}, step {self.step})"

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        return _position("step", proposal["value"], self.shape[0])

    @traitlets.validate("unit")
    def _valid_unit(self, proposal: Any) -> int:
        return _position("unit", proposal["value"], self.shape[1])

    @traitlets.validate("shows", "reading")
    def _valid_choice(self, proposal: Any) -> str:
        name, value = proposal["trait"].name, str(proposal["value"])
        needed = {"reset": self.reset, "update": self.update, "backward": self.backward}
        if not needed.get(value, True):
            raise ValueError(f"{name} is {value!r}, but the figure was given no such numbers")
        return value


def _checked(name: str, values: Any, rows: int, low: int, width: int | None = None) -> np.ndarray:
    """Numbers as an (S, H) array, all from `low` to 1, or ValueError."""
    if hasattr(values, "detach"):  # a torch tensor, perhaps on a GPU and part of a graph
        values = values.detach().cpu().double().numpy()
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a full (S, H) array of numbers: {error}") from error
    if array.ndim != 2 or len(array) != rows or array.shape[1] != (width or array.shape[1]):
        raise ValueError(
            f"{name} has shape {array.shape}, but {rows} tokens need ({rows}, {width or 'H'})"
        )
    if not array.shape[1]:
        raise ValueError(f"{name} has no units: its shape is {array.shape}")
    inside = (array >= low - _SLACK) & (array <= 1 + _SLACK)  # False for NaN, too
    if not inside.all():
        i, unit = np.argwhere(~inside)[0]
        raise ValueError(
            f"{name}[{i}, {unit}] is {array[i, unit]:.4g}, but must be from {low} to 1"
        )
    return array


def _packed(array: np.ndarray) -> bytes:
    """Whole thousandths, two bytes each, little endian, row by row."""
    return np.rint(array * _STEPS).astype("<i2").tobytes()
