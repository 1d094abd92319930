"""Accuracy against source length as a live figure: which models, how wide, which seeds.

Python only checks and sums up stored runs; `length.js` draws. No kernel is needed once shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import anywidget
import traitlets

from . import bundle

_WIDTH = re.compile(r", \d+ wide$")  # what the label of a run says beside the model's name
_CURVES = json.loads((bundle.HERE.parent / "palette.json").read_text("utf-8"))["curves"]
_OTHERS = [("target", "-"), ("decoder", "--"), ("gold", "-."), ("source", ":")]  # of unknown names
_KEYS = ("model", "seed", "parameters", "by_length", "config")


class LengthView(anywidget.AnyWidget):
    """Curves of exact match by source length, over the seeds of each model and hidden size.

    Args:
        runs: results as `results.load_results` gives them. Each has "model", "seed",
            "parameters", "config" and "by_length": rows (low, high, n, accuracy), where accuracy
            is the share of the n sources of low to high words that came out exactly right. Runs
            of one model and hidden size are its seeds; a label "vanilla, 64 wide" belongs to the
            model "vanilla".
        title: shown above the figure.
        models: names of the models drawn at first; None draws all.

    Synced with the page: `shown` (names of models), `widths` (for each model the hidden size
    drawn, or 0 for all of them), `seeds` ("range": mean and range, "each": a line a seed) and
    `position` (a group of lengths, from 0).

    Raises:
        ValueError: there are no runs, one lacks something, two have the same seed, the groups of
            lengths differ, an accuracy isn't from 0 to 1, or a name or position is unknown.
    """

    _esm = bundle.module("length")
    _css = bundle.style("length")

    bins: traitlets.List[Any] = traitlets.List().tag(sync=True)  # [low, high, n] of each group
    series: traitlets.List[Any] = traitlets.List().tag(sync=True)  # see _series
    look = traitlets.Dict().tag(sync=True)  # for each model the name of its colour and its line
    title = traitlets.Unicode().tag(sync=True)
    shown = traitlets.List(traitlets.Unicode()).tag(sync=True)
    widths = traitlets.Dict(key_trait=traitlets.Unicode(), value_trait=traitlets.Int()).tag(
        sync=True
    )
    seeds = traitlets.Enum(["range", "each"], "range").tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        runs: Iterable[Mapping[str, Any]],
        title: str = "",
        models: Iterable[str] | None = None,
    ) -> None:
        bins, series = _series(list(runs))
        names = list(dict.fromkeys(one["model"] for one in series))
        chosen = names if models is None else list(models)
        sizes = {name: [one["hidden"] for one in series if one["model"] == name] for name in names}
        super().__init__(
            bins=bins,
            series=series,
            look={name: _look(name, i) for i, name in enumerate(names)},
            title=title,
            shown=chosen,
            widths={name: sizes[name][0] for name in names},
            position=len(bins) - 1,
        )

    def __repr__(self) -> str:
        return f"LengthView({len(self.series)} curves, {len(self.bins)} groups of lengths)"

    @traitlets.validate("shown")
    def _valid_shown(self, proposal: Any) -> list[str]:
        names = list(dict.fromkeys(one["model"] for one in self.series))
        for name in proposal["value"]:
            if name not in names:
                raise ValueError(f"there is no model {name!r}, only {', '.join(names)}")
        return [name for name in names if name in proposal["value"]]

    @traitlets.validate("widths")
    def _valid_widths(self, proposal: Any) -> dict[str, int]:
        for name, width in proposal["value"].items():
            known = [one["hidden"] for one in self.series if one["model"] == name]
            if width not in (0, *known):
                raise ValueError(f"{name!r} has no hidden size {width}, only {known} (0: all)")
        return dict(proposal["value"])

    @traitlets.validate("position")
    def _valid_position(self, proposal: Any) -> int:
        if not 0 <= proposal["value"] < len(self.bins):
            raise ValueError(
                f"position is {proposal['value']}, but must be from 0 to {len(self.bins) - 1}"
            )
        return int(proposal["value"])


def _look(name: str, i: int) -> list[str]:
    """Colour and line of a model's curve, the same as in the book's drawn figures."""
    for key, look in _CURVES.items():
        if key in name:
            return [look["color"], look["line"]]
    return list(_OTHERS[i % len(_OTHERS)])


def _series(runs: list[Mapping[str, Any]]) -> tuple[list[list[int]], list[dict[str, Any]]]:
    """Groups of lengths [low, high, n], and for each model and hidden size its seeds' successes.

    The first hidden size of a model that was given comes first, then the others by size.
    """
    if not runs:
        raise ValueError("runs is empty, but a figure needs at least one")
    found: dict[tuple[str, int], dict[str, Any]] = {}
    bins: list[list[int]] = []
    for run in runs:
        if missing := [key for key in _KEYS if key not in run]:
            raise ValueError(f"a run of {run.get('model')!r} lacks {', '.join(missing)}")
        label, rows = str(run["model"]), run["by_length"]
        groups = [[int(low), int(high), int(n)] for low, high, n, _ in rows]
        bins = bins or groups
        if groups != bins:
            raise ValueError(
                f"{label!r}, seed {run['seed']}, has the groups {groups}, but others have {bins}"
            )
        for low, high, _, share in rows:
            if not 0 <= share <= 1:
                raise ValueError(
                    f"{label!r}, seed {run['seed']}, has the accuracy {share} at {low} to {high} "
                    "words, but it must be from 0 to 1"
                )
        name = _WIDTH.sub("", label)
        hidden = int(run["config"]["model"]["hidden_size"])
        one = found.setdefault(
            (name, hidden),
            {"model": name, "hidden": hidden, "parameters": run["parameters"], "seeds": []}
            | {"right": []},
        )
        if run["seed"] in one["seeds"]:
            raise ValueError(f"{name!r}, {hidden} wide, has the seed {run['seed']} twice")
        one["seeds"].append(run["seed"])
        one["right"].append([round(share * n) for _, _, n, share in rows])
    names = list(dict.fromkeys(name for name, _ in found))
    first = {name: next(hidden for other, hidden in found if other == name) for name in names}
    order = sorted(found, key=lambda key: (names.index(key[0]), key[1] != first[key[0]], key[1]))
    return bins, [found[key] for key in order]
