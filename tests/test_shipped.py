"""The models that travel with the book: whole, what their results say, and as good as promised."""

from __future__ import annotations

import dataclasses

import pytest

from seq2seq_attention.evaluate import accuracy, correct
from seq2seq_attention.export import load_model
from seq2seq_attention.model_file import read_file
from seq2seq_attention.recipes import BROWSER_RECIPES, task_splits
from seq2seq_attention.results import load_results
from seq2seq_attention.shipped import shipped_models, shipped_names

RUNS = {run["model"]: run for run in load_results("browser")}
FILES = {f"{task}-{kind}": shipped_models(task)[task][kind] for task, kind in shipped_names()}


def test_every_recipe_has_its_file_and_its_result():
    assert set(FILES) == set(RUNS) == set(BROWSER_RECIPES)
    assert sum(map(len, FILES.values())) < 400_000


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_of_its_recipe(name):
    recipe, run = BROWSER_RECIPES[name], RUNS[name]
    header, _ = read_file(FILES[name])
    assert header["task"] == recipe.task and header["dtype"] == run["dtype"]
    assert run["config"]["model"] == dataclasses.asdict(recipe.model)
    size = recipe.model.encoder_size or recipe.model.hidden_size  # None stands for H
    assert header["config"] == run["config"]["model"] | {"encoder_size": size}
    assert run["config"]["training"] == dataclasses.asdict(recipe.training)
    assert len(FILES[name]) == run["bytes"]
    tried = run["tried"]  # the best of the rates tried on validation, the lower one if equal
    best = min(tried, key=lambda rate: (-tried[rate], float(rate)))
    assert float(best) == recipe.training.lr
    exact, kept = run["valid_by_dtype"]["float32"], run["valid_by_dtype"][run["dtype"]]
    assert kept >= exact - 0.003


@pytest.mark.parametrize(
    ("name", "least"),
    {"numbers-attention": 0.98, "dates-attention": 0.97}.items(),
)
def test_it_is_right_on_unseen_pairs(name, least):
    config = RUNS[name]["config"]
    pairs = task_splits(config["task"], config["numbers_drawn"]).test[:500]
    assert accuracy(correct(load_model(FILES[name]), pairs)) >= least


def test_the_grammar_is_right_on_unseen_sentences():
    assert all(
        RUNS[f"grammar-{language}-attention"]["accuracy"] >= 0.95 for language in ("de", "fr")
    )


def test_vanilla_is_of_the_same_size_and_has_a_cliff():
    sizes = [RUNS[f"numbers-{kind}"]["parameters"] for kind in ("attention", "vanilla")]
    assert abs(sizes[0] / sizes[1] - 1) < 0.02
    config = RUNS["numbers-vanilla"]["config"]
    pairs = task_splits("numbers", config["numbers_drawn"]).test
    model = load_model(FILES["numbers-vanilla"])
    short = [pair for pair in pairs if len(pair.src) <= 5][:150]
    long = [pair for pair in pairs if len(pair.src) >= 16][:150]
    assert accuracy(correct(model, short)) > 0.7 > 0.3 > accuracy(correct(model, long))


def test_unknown_tasks_are_named():
    with pytest.raises(ValueError, match="'poems'"):
        shipped_models("poems")
    with pytest.raises(ValueError, match="once"):
        shipped_models("dates", "dates")
