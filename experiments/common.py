"""One run of a recipe, written to one JSON file; a run that is there already is not repeated.

A file says what made it: the settings, a fingerprint of the data, and the losses of the first
steps. `tests/test_recipes.py` makes the data and those steps again and compares, so a change of
behaviour anywhere below shows until the result is made anew; one that changes nothing doesn't.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from seq2seq_attention.alignments import (
    alignment_hit_rate,
    corpus_alignment_error_rate,
    forced_weights,
)
from seq2seq_attention.data import Pair, Splits, fingerprint
from seq2seq_attention.evaluate import (
    LENGTHS,
    accuracy,
    by_length,
    correct,
)
from seq2seq_attention.export import write_whole
from seq2seq_attention.model import Seq2Seq, count_parameters
from seq2seq_attention.recipes import Recipe, TransformerRecipe, new_model, recipe_splits
from seq2seq_attention.train import History, fit

RESULTS = Path(__file__).resolve().parents[1] / "src" / "seq2seq_attention" / "results"
DRAWN = 50_000


Measure = Callable[[Seq2Seq, list[Pair]], dict[str, Any]]


def config_of(recipe: Recipe | TransformerRecipe, seed: int) -> dict[str, Any]:
    config = {
        "model": dataclasses.asdict(recipe.model),
        "training": dataclasses.asdict(dataclasses.replace(recipe.training, seed=seed)),
        "reverse_source": recipe.reverse_source,
        "numbers_drawn": DRAWN,
    }
    if isinstance(recipe, Recipe) and recipe.unk:
        config["unk"] = True
    return config if recipe.longest is None else config | {"longest": recipe.longest}


def run(
    experiment: str,
    name: str,
    recipe: Recipe | TransformerRecipe,
    seed: int,
    split: str,
    own_share: float = 0.0,
    measure: Measure | None = None,
    splits: Splits | None = None,
    data_config: dict[str, Any] | None = None,
) -> None:
    """Train one model and write what it does on `split` ("valid" or "test").

    `own_share` is that of `fit`: scheduled sampling. `measure` gets the trained model and the
    split, and returns what else is to be written. Another task than the numbers has its `splits`
    and, for the record, a `data_config` that says how they were made.
    """
    slug = "".join(c if c.isalnum() else "-" for c in name).strip("-").replace("--", "-")
    path = RESULTS / experiment / f"{slug}-seed{seed}.json"
    config = config_of(recipe, seed) | ({"own_share": own_share} if own_share else {})
    if data_config is not None:
        del config["numbers_drawn"]
        config |= data_config
    if path.exists() and json.loads(path.read_text("utf-8"))["config"] == config:
        print(f"  {path.name}: there already")
        return
    splits = recipe_splits(recipe, DRAWN) if splits is None else splits
    pairs = getattr(splits, split)
    model = new_model(recipe, splits, seed)
    start = time.process_time()
    history = fit(
        model,
        splits.train,
        dataclasses.replace(recipe.training, seed=seed),
        progress=True,
        own_share=own_share,
    )
    seconds = time.process_time() - start
    hits = correct(model, pairs)
    result = {
        "model": name,
        "seed": seed,
        "config": config,
        "data": {"train": fingerprint(splits.train), split: fingerprint(pairs)},
        "parameters": count_parameters(model),
        "split": split,
        "accuracy": accuracy(hits),
        "by_length": by_length(hits, [len(pair.src) for pair in pairs], bins_of(recipe)),
        **made_by(history, seconds),
    }
    if measure is not None:
        result |= measure(model, pairs)
    looks = isinstance(recipe, TransformerRecipe) or recipe.model.attention != "none"
    if looks and all(pair.alignment is not None for pair in pairs):
        weights = forced_weights(model, pairs)
        result["alignment_hit_rate"] = alignment_hit_rate(weights, pairs)
        result["alignment_error_rate"] = corpus_alignment_error_rate(weights, pairs)
    store(path, result)
    print(f"  {path.name}: {100 * result['accuracy']:.1f} % in {seconds:.0f} s")


def made_by(history: History, seconds: float) -> dict[str, Any]:
    """What a result says of the training and the machine that it comes from."""
    return {
        "first_nats": history.nats[:5],
        "last_nats": history.nats[-1],
        "cpu_seconds": round(seconds, 1),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def store(path: Path, result: dict[str, Any]) -> None:
    """Write a result, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(result, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


def bins_of(recipe: Recipe | TransformerRecipe) -> tuple[tuple[int, int], ...]:
    """The usual groups of lengths, divided where the lengths of training end."""
    if recipe.longest is None:
        return LENGTHS
    cut = recipe.longest
    return tuple(
        part
        for low, high in LENGTHS
        for part in (((low, cut), (cut + 1, high)) if low <= cut < high else ((low, high),))
    )


def try_rates(
    experiment: str,
    name: str,
    recipe: Recipe | TransformerRecipe,
    rates: Iterable[float],
    **task: Any,
) -> None:
    """The same recipe at several learning rates, seed 0, on the validation split.

    `task` is what `run` needs for another task than the numbers: `splits` and `data_config`.
    """
    for rate in rates:
        tried = recipe._replace(training=dataclasses.replace(recipe.training, lr=rate))
        run(experiment, f"{name}, lr {rate:g}", tried, seed=0, split="valid", **task)
