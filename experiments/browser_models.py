"""The models that the book's pages run: trained, rounded, written into the package.

    python experiments/browser_models.py                     all, at the recipes' learning rates
    python experiments/browser_models.py --rates             first try three rates on validation
    python experiments/browser_models.py grammar-de          the models of these tasks alone

A result is made anew if its settings or its data have changed. Files are int8 unless that costs
more than 0.3 points on the validation split, then float16.
"""

import argparse
import json
import time
from dataclasses import replace
from typing import Any

from common import RESULTS, config_of, made_by, store

from seq2seq_attention.data import Splits, fingerprint
from seq2seq_attention.evaluate import LENGTHS, accuracy, by_length, correct
from seq2seq_attention.export import export_model, load_model, write_whole
from seq2seq_attention.model import Seq2Seq, count_parameters
from seq2seq_attention.recipes import BROWSER_RECIPES, Recipe, new_model, recipe_splits
from seq2seq_attention.shipped import SHIPPED
from seq2seq_attention.train import History, fit

FOLDER = RESULTS / "browser"
RATES = (4e-3, 8e-3, 1.2e-2)
DRAWN = {"numbers": 50_000, "dates": 30_000, "grammar-de": 80_000, "grammar-fr": 80_000}
MOST_LOST = 0.003
Trained = tuple[Seq2Seq, History, float, float]


def train(recipe: Recipe, splits: Splits) -> Trained:
    """Model, history, accuracy on validation and CPU seconds."""
    model, start = new_model(recipe, splits, seed=0), time.process_time()
    history = fit(model, splits.train, recipe.training)
    seconds = time.process_time() - start
    score = accuracy(correct(model, splits.valid))
    print(f"  lr {recipe.training.lr:g}: {100 * score:.2f} % in {seconds:.0f} s", flush=True)
    return model, history, score, seconds


def bins_of(pairs):
    """The usual groups of lengths as far as the sources go, then one for all that are longer."""
    longest = max(len(pair.src) for pair in pairs)
    return LENGTHS if longest <= LENGTHS[-1][1] else (*LENGTHS, (LENGTHS[-1][1] + 1, longest))


def rounded(model: Seq2Seq, task: str, note: str, valid) -> tuple[str, bytes, dict[str, float]]:
    """The smaller dtype that keeps the accuracy on validation; what each dtype reaches."""
    reached = {"float32": accuracy(correct(model, valid))}
    for dtype in ("int8", "float16"):
        data = export_model(model, dtype, task, note)
        reached[dtype] = accuracy(correct(load_model(data), valid))
        if reached[dtype] >= reached["float32"] - MOST_LOST:
            return dtype, data, reached
    raise SystemExit(f"{task}: rounding costs too much: {reached}")


def make(name: str, recipe: Recipe, try_rates: bool) -> None:
    path = FOLDER / f"{name}-seed0.json"
    old = json.loads(path.read_text("utf-8")) if path.exists() else {}
    splits = recipe_splits(recipe, DRAWN[recipe.task])
    data = {"train": fingerprint(splits.train), "test": fingerprint(splits.test)}
    known = old.get("data") == data  # else what was tried before says nothing
    if known and old["config"] == full_config(recipe) and not try_rates:
        print(f"  {path.name}: there already")
        return
    rates = RATES if try_rates else (recipe.training.lr,)
    recipes = [recipe._replace(training=replace(recipe.training, lr=rate)) for rate in rates]
    found = [train(each, splits) for each in recipes]
    tried = {f"{rate:g}": score for rate, (_, _, score, _) in zip(rates, found, strict=True)}
    best = max(range(len(found)), key=lambda i: found[i][2])  # the lowest rate of equals
    more = {"config": full_config(recipes[best]), "data": data}
    more["tried"] = (old["tried"] if known else {}) | tried
    write(name, recipes[best], splits, found[best], more)


def full_config(recipe: Recipe) -> dict[str, Any]:
    return config_of(recipe, 0) | {"numbers_drawn": DRAWN[recipe.task], "task": recipe.task}


def write(name: str, recipe: Recipe, splits: Splits, trained: Trained, more: dict) -> None:
    model, history, _, seconds = trained
    note = f"{name}, seed 0, {recipe.training.steps} steps, learning rate {recipe.training.lr:g}"
    dtype, file, reached = rounded(model, recipe.task, note, splits.valid)
    hits = correct(load_model(file), splits.test)
    bins = bins_of(splits.test)
    result = {
        "model": name,
        "seed": 0,
        **more,
        "parameters": count_parameters(model),
        "split": "test",
        "accuracy": accuracy(hits),
        "by_length": [b for b in by_length(hits, [len(p.src) for p in splits.test], bins) if b.n],
        "dtype": dtype,
        "bytes": len(file),
        "valid_by_dtype": reached,
        **made_by(history, seconds),
    }
    write_whole(SHIPPED / f"{name}.s2s", file)
    store(FOLDER / f"{name}-seed0.json", result)
    print(f"  {name}: {100 * accuracy(hits):.2f} %, {dtype}, {len(file):,} bytes", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", help="beginnings of names; all if there are none")
    parser.add_argument("--rates", action="store_true")
    asked = parser.parse_args()
    for name, recipe in BROWSER_RECIPES.items():
        if not asked.models or name.startswith(tuple(asked.models)):
            print(name, flush=True)
            make(name, recipe, asked.rates)
