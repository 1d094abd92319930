"""From logits to the next word: softmax, temperature, top-k and top-p, and draws.

Python only checks and packs; `probability.js` computes and draws, so that every control works
on a page without a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from . import bundle
from .alignment import _position, _tokens


class ProbabilityView(anywidget.AnyWidget):
    """The probabilities of the next word, and what temperature, top-k and top-p make of them.

    The logits are divided by the temperature, softmax makes probabilities of them; then the k
    largest are kept (the lower id first among equals) and scaled to sum to 1; then top-p keeps
    the fewest most probable words that hold p of the mass together (at least one), and they
    are scaled again. Words are drawn with a generator that starts from `seed`.

    Args:
        logits: (T, V), or (V,) for one step: row t scores every word for position t. -inf
            means a word that is never said. Array, tensor or nested lists.
        vocab: the V words, by id.
        gold: the T right words, where they are known; marked at their step.
        chosen: the T words that were said; marked, and shown as what stands before each step.
            Without them `gold` stands there (teacher forcing).
        src: the source words, shown above.
        title: shown above the figure.
        step: the step shown at first, 0 to T - 1.
        temperature: from 0.1 to 3.
        top_k: 1 to V; None keeps all.
        top_p: from 0.05 to 1; 1 keeps all.
        seed: of the draws; the same seed gives the same draws.

    Synced with the page: `step`, `temperature`, `top_k` (V: all), `top_p` and `word`, the id
    that is looked at, or None.

    Raises:
        ValueError: a shape, logit, word or setting is not as described.
    """

    _esm = bundle.module("probability")
    _css = bundle.style("probability")

    vocab = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shape = traitlets.List(traitlets.Int(), [1, 1]).tag(sync=True)  # T, V
    logits = traitlets.Bytes().tag(sync=True)  # 32-bit floats, little endian, row by row
    gold = traitlets.List(traitlets.Int()).tag(sync=True)  # ids; empty: unknown
    chosen = traitlets.List(traitlets.Int()).tag(sync=True)
    src = traitlets.List(traitlets.Unicode()).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    top_k = traitlets.Int(0).tag(sync=True)
    top_p = traitlets.Float(1.0).tag(sync=True)
    word = traitlets.Int(allow_none=True, default_value=None).tag(sync=True)

    def __init__(
        self,
        logits: Any,
        vocab: Sequence[str],
        gold: Sequence[str] | None = None,
        chosen: Sequence[str] | None = None,
        src: Sequence[str] = (),
        title: str = "",
        step: int = 0,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int = 0,
    ) -> None:
        vocab = _tokens("vocab", vocab)
        array = _checked_logits(logits, len(vocab))  # (T, V)
        super().__init__(
            vocab=vocab,
            shape=list(array.shape),
            logits=array.astype("<f4").tobytes(),
            gold=_ids("gold", gold, vocab, len(array)),
            chosen=_ids("chosen", chosen, vocab, len(array)),
            src=_tokens("src", src),
            title=title,
            step=step,
            temperature=temperature,
            top_k=len(vocab) if top_k is None else top_k,
            top_p=top_p,
            seed=seed,
        )

    def __repr__(self) -> str:
        steps, words = self.shape
        return f"ProbabilityView({steps} steps, {words} words, step {self.step})"

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        return _position("step", proposal["value"], self.shape[0])

    @traitlets.validate("word")
    def _valid_word(self, proposal: Any) -> int | None:
        value: int | None = proposal["value"]
        return value if value is None else _position("word", value, self.shape[1])

    @traitlets.validate("top_k")
    def _valid_top_k(self, proposal: Any) -> int:
        value, words = int(proposal["value"]), self.shape[1]
        if not 1 <= value <= words:
            raise ValueError(
                f"top_k is {value}, but must be from 1 to {words}, the number of words"
            )
        return value

    @traitlets.validate("temperature", "top_p")
    def _valid_share(self, proposal: Any) -> float:
        name, value = proposal["trait"].name, float(proposal["value"])
        low, high = {"temperature": (0.1, 3.0), "top_p": (0.05, 1.0)}[name]
        if not low <= value <= high:  # refuses NaN, too
            raise ValueError(f"{name} is {value}, but must be from {low} to {high:g}")
        return value

    @traitlets.validate("seed")
    def _valid_seed(self, proposal: Any) -> int:
        value = int(proposal["value"])
        if not 0 <= value < 2**32:
            raise ValueError(f"seed is {value}, but must be from 0 to 2**32 - 1")
        return value


def _ids(name: str, words: Sequence[str] | None, vocab: list[str], steps: int) -> list[int]:
    """The id of each word, or ValueError if one is unknown or their number is wrong."""
    if words is None:
        return []
    words = _tokens(name, words)
    if len(words) != steps:
        raise ValueError(f"{name} has {len(words)} words, but logits holds {steps} steps")
    for t, word in enumerate(words):
        if word not in vocab:
            raise ValueError(f"{name}[{t}] is {word!r}, which is not in vocab")
    return [vocab.index(word) for word in words]


def _checked_logits(logits: Any, words: int) -> np.ndarray:
    """Logits as a (T, V) array with a finite number in each row, or ValueError."""
    if hasattr(logits, "detach"):  # a torch tensor, perhaps on a GPU and part of a graph
        logits = logits.detach().cpu().double().numpy()
    try:
        array = np.asarray(logits, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"logits must be a full (T, V) array of numbers: {error}") from error
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != words or not array.size:
        raise ValueError(
            f"logits has shape {array.shape}, but {words} words need (T, {words}), neither being 0"
        )
    wrong = np.isnan(array) | (array > np.finfo(np.float32).max)
    if wrong.any():
        t, v = np.argwhere(wrong)[0]
        raise ValueError(f"logits[{t}, {v}] is {array[t, v]:.4g}, but must be a number or -inf")
    if (empty := np.isneginf(array.astype(np.float32)).all(axis=1)).any():
        raise ValueError(f"logits[{empty.argmax()}] is -inf throughout: no word can be said")
    return array
