"""recipes and results: equal parameters, one task, and bands that belong to the recipes."""

import dataclasses

import pytest

from seq2seq_attention.model import count_parameters
from seq2seq_attention.recipes import RECIPES, new_model, number_splits
from seq2seq_attention.results import length_tables, load_results


@pytest.fixture(scope="module")
def splits():
    return number_splits(3000)


def test_all_models_have_equal_size(splits):
    sizes = {name: count_parameters(new_model(r, splits, 0)) for name, r in RECIPES.items()}
    assert max(sizes.values()) < 1.05 * min(sizes.values()), sizes
    assert all(150_000 < size < 165_000 for size in sizes.values()), sizes


def test_reversing_keeps_numbers_splits_and_links(splits):
    turned = number_splits(3000, reverse_source=True)
    for part, other in zip(splits, turned, strict=True):
        assert [p.src for p in part] == [p.src[::-1] for p in other]
        for pair, mirror in zip(part[:50], other[:50], strict=True):
            words = {(t, pair.src[s]) for t, s in pair.alignment}
            assert words == {(t, mirror.src[s]) for t, s in mirror.alignment}


def test_results_are_of_these_recipes():
    for run in load_results("length"):
        recipe = RECIPES[run["model"]]
        assert run["config"]["model"] == dataclasses.asdict(recipe.model), run["model"]
        expected = {**dataclasses.asdict(recipe.training), "seed": run["seed"]}
        assert run["config"]["training"] == expected, run["model"]
        assert run["config"]["reverse_source"] == recipe.reverse_source
    for name in RECIPES:
        assert len(length_tables(name)) >= 3, f"{name} needs at least three seeds"


def test_learning_rates_are_the_best_on_validation():
    for name, recipe in RECIPES.items():
        tried = [r for r in load_results("learning_rates") if r["model"].startswith(f"{name}, lr")]
        assert len(tried) == 3 and all(run["split"] == "valid" for run in tried), name
        best = min(tried, key=lambda r: (-r["accuracy"], r["config"]["training"]["lr"]))
        assert best["config"]["training"]["lr"] == recipe.training.lr, name


def test_missing_results_are_named():
    with pytest.raises(FileNotFoundError, match="'nothing'"):
        load_results("nothing")
    with pytest.raises(KeyError, match="'nobody'"):
        length_tables("nobody")
