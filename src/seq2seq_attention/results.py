"""Results of the long sweeps in experiments/, small enough to travel with the package.

A chapter opened alone, on Colab or in an empty folder, draws the same bands as the book.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from .evaluate import LengthBin

RESULTS = files(__package__).joinpath("results")


def load_results(experiment: str, *more: str) -> list[dict[str, Any]]:
    """All runs of one experiment, in the order of their file names; then those of `more`.

    Raises:
        FileNotFoundError: there are no results of that name.
    """
    return [run for name in (experiment, *more) for run in _runs(name)]


def length_tables(model: str, experiment: str = "length", *more: str) -> list[list[LengthBin]]:
    """For each seed of one model, its accuracy by source length, as `by_length` gave it.

    Raises:
        KeyError: none of the experiments has a run of that model.
    """
    runs = [run for run in load_results(experiment, *more) if run["model"] == model]
    if not runs:
        names = " or ".join(map(repr, (experiment, *more)))
        raise KeyError(f"experiment {names} has no run of {model!r}")
    return [[LengthBin(*row) for row in run["by_length"]] for run in runs]


def _runs(experiment: str) -> list[dict[str, Any]]:
    folder = RESULTS.joinpath(experiment)
    names = sorted(f.name for f in folder.iterdir()) if folder.is_dir() else []
    runs = [
        json.loads(folder.joinpath(name).read_text(encoding="utf-8"))
        for name in names
        if name.endswith(".json")
    ]
    if not runs:
        raise FileNotFoundError(f"no results of an experiment {experiment!r}")
    return runs
