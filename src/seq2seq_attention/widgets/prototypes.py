"""The three prototypes of sequence-to-sequence models as one live figure, step by step.

One vector (2014), attention (2015), Transformer (2017): what is computed at each step, and from
what. Python only checks and packs; `prototypes.js` draws. The figure needs no kernel once shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from . import bundle
from .alignment import _checked_links, _checked_weights, _tokens

MOST_TOKENS = 12  # as many as a phone has room for


class PrototypesView(anywidget.AnyWidget):
    """One sentence on its way through three models, drawn as boxes and arrows.

    Args:
        src: the n source tokens, 1 to 12.
        tgt: the target tokens, 1 to 12, `<eos>` included if it should be drawn.
        weights: (T, S), how much target word t looks at source word s in the model with
            attention; None draws them by hand, from `gold` if given, and the figure says so.
        gold: links (t, s), target position first, both from 0; used only without weights.
        title: shown above the figure.
        kind: the prototype shown at first: "vector", "attention" or "transformer".
        word: the target word, from 0, at whose step the figure starts; None is the last one.

    Synced with the page: `kind`, `step` (counted from 0 over reading and writing) and
    `show_way`, which marks the way from x_1 to the word just said.

    Raises:
        ValueError: a list of tokens is empty or too long, or a weight, link or position is not
            as described.
    """

    _esm = bundle.module("prototypes")
    _css = bundle.style("prototypes")

    src = traitlets.List(traitlets.Unicode()).tag(sync=True)
    tgt = traitlets.List(traitlets.Unicode()).tag(sync=True)
    weights = traitlets.List(traitlets.Float()).tag(sync=True)  # T rows of S, one after another
    measured = traitlets.Bool(False).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    kind = traitlets.Enum(["vector", "attention", "transformer"], "vector").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    show_way = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        src: Sequence[str],
        tgt: Sequence[str],
        weights: Any = None,
        gold: Iterable[tuple[int, int]] | None = None,
        title: str = "",
        kind: str = "vector",
        word: int | None = None,
    ) -> None:
        src, tgt = _few_tokens("src", src), _few_tokens("tgt", tgt)
        n, size = len(src), len(tgt)
        if word is not None and not 0 <= word < size:
            raise ValueError(f"word is {word}, but must be from 0 to {size - 1}")
        links = _checked_links(gold, size, n)
        if weights is None:
            array = drawn_by_hand(size, n, links)
        else:
            array = _checked_weights(weights, size, n)
            if len(array) != 1:
                raise ValueError(f"weights must be one (T, S) array, got {len(array)} of them")
            array = array[0]
        reading = 1 if kind == "transformer" else n + 1
        super().__init__(
            src=src,
            tgt=tgt,
            weights=[round(w, 3) for w in array.ravel().tolist()],
            measured=weights is not None,
            title=title,
            kind=kind,
            step=reading + (size - 1 if word is None else word),
        )

    def __repr__(self) -> str:
        return f"PrototypesView({len(self.src)} source, {len(self.tgt)} target words, {self.kind})"

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        value = int(proposal["value"])
        most = len(self.src) + len(self.tgt)  # the recurrent ones: each word, and one to hand on
        if not 0 <= value <= most:
            raise ValueError(f"step is {value}, but must be from 0 to {most}")
        return value


def drawn_by_hand(size: int, n: int, links: list[list[int]] | None) -> np.ndarray:
    """Plausible weights (size, n): mostly on gold links, else near the diagonal, a little on all.

    A row without a link repeats the one before it; before the first link it looks at the first
    source word.
    """
    weights = np.full((size, n), 0.15 / n)
    looks = [0]
    for t in range(size):
        linked = (
            [s for row, s in links if row == t]
            if links
            else [round(t * (n - 1) / max(size - 1, 1))]
        )
        looks = linked or looks
        weights[t, looks] += 0.85 / len(looks)
    return weights


def _few_tokens(name: str, tokens: Sequence[str]) -> list[str]:
    tokens = _tokens(name, tokens)
    if not 1 <= len(tokens) <= MOST_TOKENS:
        raise ValueError(f"{name} must have 1 to {MOST_TOKENS} tokens, got {len(tokens)}")
    return tokens
