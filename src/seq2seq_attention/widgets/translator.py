"""The reader's own words, translated and aligned in the page by models that travel with it.

Python only checks and packs the model files that `export.export_model` wrote; `translator.js`
reads the text (oracle.js), runs the models (forward.js) and draws. No kernel is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from ..export import config_of, load_model
from . import bundle

KINDS = ("attention", "vanilla")
DECODERS = ("greedy", "beam", "sampling")
MOST_CHARACTERS = 2000
MOST_STEPS = 101  # as many words as search.py allows, and the end


class TranslatorView(anywidget.AnyWidget):
    """Type, and watch: translation, alignment, next words; greedy, beam and sampling; two models.

    Args:
        models: for each task the files of its models, {"attention": bytes, "vanilla": bytes} or
            one of the two, as `export_model` gives them. The tasks "numbers", "dates",
            "grammar-de" and "grammar-fr" have an oracle that reads what is typed and knows the
            right answer; others take words as they are.
        text: what is translated at first; None takes the task's first example.
        task: the task at first; None takes the first one of `models`.
        model: the model at first, "attention" or "vanilla".
        decoder: "greedy", "beam" or "sampling".
        title: shown above the figure.

    Synced with the page: `text`, `task`, `model` ("own" for a file that the reader has loaded),
    `decoder`, `step` (from 0; −1 is the last) and `output`, the tokens said.

    Raises:
        ValueError: there is no model; a file isn't a model file, or holds one of the other kind;
            or a setting is not as described.
    """

    _esm = bundle.module("translator")
    _css = bundle.style("translator")

    models: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)  # task → kind → bytes
    text = traitlets.Unicode(allow_none=True, default_value=None).tag(sync=True)
    task = traitlets.Unicode().tag(sync=True)
    model = traitlets.Enum([*KINDS, "own"], "attention").tag(sync=True)
    decoder = traitlets.Enum(DECODERS, "greedy").tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    output = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        models: Mapping[str, Mapping[str, bytes]],
        text: str | None = None,
        task: str | None = None,
        model: str = "attention",
        decoder: str = "greedy",
        title: str = "",
    ) -> None:
        checked = _checked_models(models)
        task = next(iter(checked)) if task is None else task
        if task not in checked:
            raise ValueError(f"task is {task!r}, but there are models for {', '.join(checked)}")
        if model not in checked[task]:
            raise ValueError(f"model is {model!r}, but {task} has {', '.join(checked[task])}")
        if decoder not in DECODERS:
            raise ValueError(f"decoder is {decoder!r}, but must be one of {', '.join(DECODERS)}")
        super().__init__(
            models=checked, text=text, task=task, model=model, decoder=decoder, title=title
        )

    def __repr__(self) -> str:
        return f"TranslatorView({', '.join(self.models)}; {self.task}, {self.model})"

    @traitlets.validate("text")
    def _valid_text(self, proposal: Any) -> str | None:
        value: str | None = proposal["value"]
        # what a reader pastes comes from the page, which says itself that it is too long
        return value if value is None else value[: MOST_CHARACTERS + 1]

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        value = int(proposal["value"])
        if not -1 <= value < MOST_STEPS:
            raise ValueError(f"step is {value}, but must be from -1 to {MOST_STEPS - 1}")
        return value


def _checked_models(models: Mapping[str, Mapping[str, bytes]]) -> dict[str, dict[str, bytes]]:
    if not models:
        raise ValueError("models is empty: at least one task needs a model")
    return {str(task): _checked_kinds(str(task), kinds) for task, kinds in models.items()}


def _checked_kinds(task: str, kinds: Mapping[str, bytes]) -> dict[str, bytes]:
    if not isinstance(kinds, Mapping) or not kinds:
        raise ValueError(f"models[{task!r}] must map one of {', '.join(KINDS)} to a file's bytes")
    for kind, data in kinds.items():
        where = f"models[{task!r}][{kind!r}]"
        if kind not in KINDS:
            raise ValueError(f"{where}: the kind must be one of {', '.join(KINDS)}")
        if not isinstance(data, bytes):
            raise ValueError(f"{where} must be a file's bytes, got {type(data).__name__}")
        try:
            attention = config_of(load_model(data)).attention
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        if (attention == "none") != (kind == "vanilla"):
            raise ValueError(f"{where} has attention {attention!r}, which is not {kind}")
    return {kind: kinds[kind] for kind in KINDS if kind in kinds}
