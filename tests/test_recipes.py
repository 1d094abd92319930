"""recipes and results: equal parameters, one task, and bands that belong to the recipes."""

import dataclasses
from functools import cache

import pytest

from seq2seq_attention import train
from seq2seq_attention.attention import SCORES
from seq2seq_attention.data import fingerprint
from seq2seq_attention.model import ModelConfig, count_parameters
from seq2seq_attention.recipes import (
    CLOCK_RECIPES,
    FAR_RECIPES,
    GRAMMAR_RECIPES,
    RECIPES,
    SCALING_RECIPES,
    SCORE_RECIPES,
    SCORE_STEPS,
    SHORT_RECIPES,
    SORTING_RECIPES,
    SORTING_STEP_RECIPES,
    STEP_RECIPES,
    TIED_RECIPES,
    TRANSFORMER_RECIPES,
    WIDTH_RECIPES,
    Recipe,
    TransformerRecipe,
    clock_splits,
    grammar_splits,
    new_model,
    number_splits,
    recipe_splits,
    sorting_splits,
    task_splits,
)
from seq2seq_attention.results import RESULTS, length_tables, load_results
from seq2seq_attention.train import TrainConfig
from seq2seq_attention.transformer import TransformerConfig


@pytest.fixture(scope="module")
def splits():
    return number_splits(3000)


def test_all_models_have_equal_size(splits):
    recipes = RECIPES | {"Transformer": TRANSFORMER_RECIPES["Transformer"]}
    sizes = {name: count_parameters(new_model(r, splits, 0)) for name, r in recipes.items()}
    assert max(sizes.values()) < 1.05 * min(sizes.values()), sizes
    assert all(150_000 < size < 165_000 for size in sizes.values()), sizes


def test_reversing_keeps_numbers_splits_and_links(splits):
    turned = number_splits(3000, reverse_source=True)
    for part, other in zip(splits, turned, strict=True):
        assert [p.src for p in part] == [p.src[::-1] for p in other]
        for pair, mirror in zip(part[:50], other[:50], strict=True):
            words = {(t, pair.src[s]) for t, s in pair.alignment}
            assert words == {(t, mirror.src[s]) for t, s in mirror.alignment}


EXPERIMENTS = {
    "length": RECIPES,
    "hidden_sizes": WIDTH_RECIPES,
    "tying": TIED_RECIPES,
    "beyond": SHORT_RECIPES,
    "more_training": STEP_RECIPES,
    "transformer": TRANSFORMER_RECIPES,
    "far_beyond": FAR_RECIPES,
    "sorting": SORTING_RECIPES | SORTING_STEP_RECIPES,
    "grammar": GRAMMAR_RECIPES,
    "clock": CLOCK_RECIPES,
    "scores": SCORE_RECIPES | SCALING_RECIPES,
}
# with no runs on numbers; some recipes have the names of the numbers'
OTHER_TASKS = {"sorting", "sorting_rates", "grammar", "grammar_rates", "clock", "clock_rates"}
SEEDS = dict.fromkeys(("transformer", "scores", "far_beyond", "sorting", "grammar"), 3)  # else 5
RATES = {
    "learning_rates": RECIPES,
    "hidden_size_rates": WIDTH_RECIPES,
    "tying_rates": TIED_RECIPES,
    "transformer_rates": {"Transformer": TRANSFORMER_RECIPES["Transformer"]},
    "sorting_rates": SORTING_RECIPES,
    "grammar_rates": GRAMMAR_RECIPES,
    "clock_rates": {name: r for name, r in CLOCK_RECIPES.items() if name.endswith(" 200 pairs")},
    "score_rates": SCORE_RECIPES | SCALING_RECIPES,
}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_results_are_of_these_recipes(experiment):
    recipes, is_other = EXPERIMENTS[experiment], experiment in OTHER_TASKS
    folders = {experiment} if is_other else {"length", experiment}
    seeds = {name: set() for name in recipes}
    for run in load_results(*folders):
        if run["model"] not in recipes:
            continue
        recipe = recipes[run["model"]]
        assert run["split"] == "test"
        assert run["config"].get("task", "numbers") == (experiment if is_other else "numbers")
        assert run["config"]["model"] == dataclasses.asdict(recipe.model), run["model"]
        expected = {**dataclasses.asdict(recipe.training), "seed": run["seed"]}
        assert run["config"]["training"] == expected, run["model"]
        assert run["config"]["reverse_source"] == recipe.reverse_source
        assert run["config"].get("longest") == recipe.longest
        assert run["config"].get("unk", False) == getattr(recipe, "unk", False)
        assert run["seed"] not in seeds[run["model"]], f"{run['model']} is stored twice"
        seeds[run["model"]].add(run["seed"])
    count = SEEDS.get(experiment, 5)
    assert seeds == {name: set(range(count)) for name in recipes}
    assert all(len(length_tables(name, *folders)) == count for name in recipes)


@pytest.mark.parametrize("experiment", RATES)
def test_learning_rates_are_the_best_on_validation(experiment):
    is_other = experiment in OTHER_TASKS
    runs = load_results(*({experiment} if is_other else {"learning_rates", experiment}))
    for name, recipe in RATES[experiment].items():
        tried = [run for run in runs if run["model"].startswith(f"{name}, lr")]
        assert len(tried) >= 3 and all(run["split"] == "valid" for run in tried), name
        for run in tried:
            lr = run["config"]["training"]["lr"]
            assert run["config"]["model"] == dataclasses.asdict(recipe.model), name
            expected = dataclasses.replace(recipe.training, lr=lr, seed=0)
            assert run["config"]["training"] == dataclasses.asdict(expected), name
        best = min(tried, key=lambda r: (-r["accuracy"], r["config"]["training"]["lr"]))
        assert best["config"]["training"]["lr"] == recipe.training.lr, name


def test_widths_differ_in_width_alone(splits):
    for name, recipe in WIDTH_RECIPES.items():
        base, _, width = name.partition(", ")
        assert width in (f"{recipe.model.hidden_size} wide", ""), name
        encoder = new_model(recipe, splits, 0).encoder
        assert encoder.output_size == recipe.model.hidden_size, name
        size = {k: getattr(RECIPES[base].model, k) for k in ("hidden_size", "encoder_size")}
        assert dataclasses.replace(recipe.model, **size) == RECIPES[base].model, name
        rate = RECIPES[base].training.lr
        assert dataclasses.replace(recipe.training, lr=rate) == RECIPES[base].training, name


def test_scores_differ_in_score_query_width_and_rate_alone(splits):
    assert len(SCORE_RECIPES) == 2 * len(SCORES)
    for name, recipe in (SCORE_RECIPES | SCALING_RECIPES).items():
        score, query, *width = name.split(", ")
        model, size = recipe.model, recipe.model.hidden_size
        assert (model.attention, model.query) == (score, query), name
        assert width == ([] if size == 64 else [f"{size} wide"]), name
        assert new_model(recipe, splits, 0).encoder.output_size == size, name
        alike = {"attention": "dot", "query": "current", "hidden_size": 64, "encoder_size": 32}
        assert dataclasses.replace(model, **alike) == SCORE_RECIPES["dot, current"].model, name
        assert recipe == recipe._replace(training=TrainConfig(SCORE_STEPS, recipe.training.lr))


def test_clock_recipes_are_alike_and_their_data_grow():
    sizes = {
        name: count_parameters(new_model(r, clock_splits(800), 0))
        for name, r in CLOCK_RECIPES.items()
    }
    assert max(sizes.values()) < 1.05 * min(sizes.values()), sizes
    small, large = clock_splits(50), clock_splits(800)
    assert small.train == large.train[:50] and small.valid == large.valid
    held = {pair.src for pair in (*large.valid, *large.test)}
    assert small.test == large.test and not held & {pair.src for pair in large.train}
    for n in (0, 1440):
        with pytest.raises(ValueError, match=f"times for training, got {n}"):
            clock_splits(n)


def test_missing_results_are_named():
    with pytest.raises(FileNotFoundError, match="'nothing'"):
        load_results("nothing")
    with pytest.raises(KeyError, match="'nobody'"):
        length_tables("nobody")


def seed_0_runs():
    """One stored run of each kind, by experiment and model."""
    names = sorted(folder.name for folder in RESULTS.iterdir() if folder.is_dir())
    runs = [(f"{name}: {run['model']}", run) for name in names for run in load_results(name)]
    return {name: run for name, run in runs if run["seed"] == 0}


@pytest.fixture(scope="module")
def splits_of():
    """The data of a configuration, made once."""
    made, sorting, grammar = {}, cache(sorting_splits), cache(grammar_splits)

    def make(config):
        if config.get("task") == "sorting":
            return sorting(config["pairs_drawn"])
        if config.get("task") == "grammar":
            return grammar(config["language"], config["pairs_drawn"])
        if config.get("task") == "clock":
            return clock_splits(config["training_pairs"])
        if "task" in config:  # what the browser runs
            return task_splits(config["task"], config["numbers_drawn"])
        recipe = recipe_of(config)
        key = (recipe.reverse_source, recipe.longest, config["numbers_drawn"])
        if key not in made:
            made[key] = recipe_splits(recipe, config["numbers_drawn"])
        return made[key]

    return make


def recipe_of(config):
    model, training = config["model"], TrainConfig(**config["training"])
    rest = training, config["reverse_source"], config.get("longest")
    if "positions" in model:
        return TransformerRecipe(TransformerConfig(**model), *rest)
    return Recipe(ModelConfig(**model), *rest, unk=config.get("unk", False))


class Enough(Exception):
    """Ends a training after its first steps; the learning rates are those of the whole."""


def first_losses(recipe, splits, run, monkeypatch):
    losses, step = [], train.train_step

    def noted(*args):
        losses.append(step(*args))
        if len(losses) == len(run["first_nats"]):
            raise Enough
        return losses[-1]

    monkeypatch.setattr(train, "train_step", noted)
    model = new_model(recipe, splits, run["seed"])
    assert count_parameters(model) == run["parameters"]
    share = run["config"].get("own_share", 0.0)
    with pytest.raises(Enough):
        train.fit(model, splits.train, recipe.training, own_share=share)
    return losses


@pytest.mark.parametrize("name", seed_0_runs())
def test_a_result_is_of_this_code(name, splits_of, monkeypatch):
    """Its data and the losses of its first steps, made again, are those that it was stored with.

    Fails when a change of behaviour has made a result obsolete: run its experiment again.
    """
    run = seed_0_runs()[name]
    splits = splits_of(run["config"])
    data = {split: fingerprint(getattr(splits, split)) for split in run["data"]}
    assert data == run["data"], "the data are others"
    losses = first_losses(recipe_of(run["config"]), splits, run, monkeypatch)
    assert losses == pytest.approx(run["first_nats"], abs=1e-3), "training starts otherwise"
