"""The settings behind the book's figures: one task, one model and one budget a name.

All models in `RECIPES` have about 157,000 parameters and at most about 45 seconds of one core.
Learning rates were chosen out of three or more on the validation split, never on the test
split: the one with the most sentences right, the lower one if two are equal. Chapters and
experiments both read the settings here, so a band and the run drawn on it are the same thing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from .attention import SCORES
from .data import (
    Pair,
    Splits,
    clock_text,
    date_pairs,
    grammar_pairs,
    number_pairs,
    pairs_from_text,
    sorting_pairs,
    split_pairs,
)
from .model import ModelConfig, Seq2Seq, build_model
from .train import TrainConfig, seed_everything
from .transformer import TransformerConfig, build_transformer
from .vocab import build_vocab


class Recipe(NamedTuple):
    """What to build and how to train it."""

    model: ModelConfig
    training: TrainConfig
    reverse_source: bool = False
    longest: int | None = None  # train on sources of at most so many words
    task: str = "numbers"  # or "dates", "grammar-de", "grammar-fr", "clock"
    unk: bool = False  # words that training lacks are read as <unk>


class TransformerRecipe(NamedTuple):
    """A `Recipe` for a Transformer; its fields are the same."""

    model: TransformerConfig
    training: TrainConfig
    reverse_source: bool = False
    longest: int | None = None


RECIPES = {
    "vanilla": Recipe(ModelConfig(hidden_size=128), TrainConfig(steps=1200, lr=8e-3)),
    "vanilla, source reversed": Recipe(
        ModelConfig(hidden_size=128), TrainConfig(steps=1200, lr=8e-3), reverse_source=True
    ),
    "vanilla, both ways": Recipe(
        ModelConfig(hidden_size=128, bidirectional=True, encoder_size=70),
        TrainConfig(steps=1200, lr=8e-3),
    ),
    "attention (additive)": Recipe(
        ModelConfig("additive", "previous", 64, 92, bidirectional=True, encoder_size=46),
        TrainConfig(steps=500, lr=8e-3),
    ),
    "attention (general)": Recipe(
        ModelConfig("general", "current", 32, 88, bidirectional=True, dropout=0.2),
        TrainConfig(steps=600, lr=4e-3),
    ),
}


def _wide(base: str, width: int, lr: float) -> Recipe:
    """A recipe with another H, hence another size and cost; its steps stay the same."""
    model, training = RECIPES[base].model, RECIPES[base].training
    encoder_size = width // 2 if model.bidirectional else None
    return Recipe(
        replace(model, hidden_size=width, encoder_size=encoder_size), replace(training, lr=lr)
    )


# Accuracy against H; "vanilla" itself is 128 wide. Each width has a learning rate of its own.
WIDTH_RECIPES = {
    "vanilla, 16 wide": _wide("vanilla", 16, lr=8e-3),
    "vanilla, 32 wide": _wide("vanilla", 32, lr=8e-3),
    "vanilla, 64 wide": _wide("vanilla", 64, lr=8e-3),
    "vanilla": RECIPES["vanilla"],
    "vanilla, 256 wide": _wide("vanilla", 256, lr=8e-3),
    "attention (additive), 16 wide": _wide("attention (additive)", 16, lr=1.6e-2),
    "attention (additive), 32 wide": _wide("attention (additive)", 32, lr=1.6e-2),
    "attention (additive), 64 wide": _wide("attention (additive)", 64, lr=8e-3),
    "attention (additive), 128 wide": _wide("attention (additive)", 128, lr=4e-3),
}

# The output layer scores with the target embeddings; "vanilla" is the one to compare with.
TIED_RECIPES = {
    "vanilla, tied": Recipe(
        replace(RECIPES["vanilla"].model, tied=True), TrainConfig(steps=1200, lr=1.2e-2)
    ),
}

# Trained on short sources alone, tested on all: what a model makes of lengths it has never seen.
SHORT_RECIPES = {
    f"{name}, trained to 13 words": recipe._replace(longest=13) for name, recipe in RECIPES.items()
}

# The same models, trained longer or shorter; each run has the whole course of the learning rate.
STEP_RECIPES = {
    f"{name}, {steps} steps": recipe._replace(training=replace(recipe.training, steps=steps))
    for name, recipe in RECIPES.items()
    for steps in {
        "vanilla": (300, 600, 2400, 4800, 9600),
        "attention (additive)": (150, 250),
    }.get(name, ())
}

# English sentences of up to 20 words, to German and to French; each language has its own rate.
GRAMMAR_RECIPES: dict[str, Recipe | TransformerRecipe] = {
    f"attention (additive), {language}": Recipe(
        RECIPES["attention (additive)"].model, TrainConfig(steps=1200, lr=lr)
    )
    for language, lr in {"de": 1e-2, "fr": 5e-3}.items()
}

# No recurrence at all. All have one learning rate: the one chosen for sinusoidal positions.
_TRANSFORMER = TransformerRecipe(TransformerConfig(), TrainConfig(steps=700, lr=4e-3))
TRANSFORMER_RECIPES = {
    "Transformer": _TRANSFORMER,
    "Transformer, no positions": _TRANSFORMER._replace(model=TransformerConfig(positions="none")),
    "Transformer, trained to 13 words": _TRANSFORMER._replace(longest=13),
    "Transformer, learned positions": _TRANSFORMER._replace(
        model=TransformerConfig(positions="learned")
    ),
}

# Trained on short sources, tested up to three times as long: how far does it carry?
_FAR_BASES: dict[str, Recipe | TransformerRecipe] = {
    "attention (additive)": RECIPES["attention (additive)"],
    "attention (general)": RECIPES["attention (general)"],
    "Transformer": _TRANSFORMER,
}
FAR_RECIPES = {
    f"{name}, trained to 7 words": recipe._replace(longest=7) for name, recipe in _FAR_BASES.items()
}

# Letters put in order: models of the same size, equally many steps, learning rates of their own.
# The general score has no dropout here, which on this task does harm.
SORTING_RECIPES = {
    "vanilla": Recipe(RECIPES["vanilla"].model, TrainConfig(steps=500, lr=8e-3)),
    "attention (additive)": Recipe(
        RECIPES["attention (additive)"].model, TrainConfig(steps=500, lr=8e-3)
    ),
    "attention (general)": Recipe(
        replace(RECIPES["attention (general)"].model, dropout=0.0), TrainConfig(steps=500, lr=4e-3)
    ),
}

# Twice the steps: about the time that additive attention takes for 500.
SORTING_STEP_RECIPES = {
    "vanilla, 1000 steps": Recipe(RECIPES["vanilla"].model, TrainConfig(steps=1000, lr=8e-3)),
}


def _scored(score: str, query: str, lr: float, width: int = 64) -> Recipe:
    """One width for both sides, D = H, so that every score can compare them; a short budget."""
    model = ModelConfig(score, query, 64, width, bidirectional=True, encoder_size=width // 2)
    return Recipe(model, TrainConfig(steps=SCORE_STEPS, lr=lr))


# Each score with each query, alike in all else; so short that differences still show. Of the three
# rates tried for each, the highest was the best for all ten.
SCORE_STEPS = 200
SCORE_RECIPES = {
    f"{score}, {query}": _scored(score, query, lr=1.2e-2)
    for query in ("previous", "current")
    for score in SCORES
}

# What dividing by √H does as H grows; 64 wide are two of SCORE_RECIPES.
SCALING_RECIPES = {
    f"{score}, current, {width} wide": _scored(score, "current", lr, width)
    for score in ("dot", "scaled_dot")
    for width, lr in ((32, 1.2e-2), (256, 8e-3))
}


# What the browser runs: one file a model, a few ten thousand bytes. The two for numbers have the
# same number of parameters within 2 %, and vanilla trains for more steps.
BROWSER_RECIPES = {
    "numbers-attention": Recipe(
        ModelConfig("additive", "previous", 32, 32, bidirectional=True, encoder_size=32),
        TrainConfig(steps=800, lr=8e-3),
    ),
    "numbers-vanilla": Recipe(
        ModelConfig(embed_size=24, hidden_size=64), TrainConfig(steps=1200, lr=1.2e-2)
    ),
    "dates-attention": Recipe(
        ModelConfig("additive", "previous", 32, 32, bidirectional=True, encoder_size=32),
        TrainConfig(steps=800, lr=8e-3),
        task="dates",
    ),
    "grammar-de-attention": Recipe(
        ModelConfig("additive", "previous", 32, 64, bidirectional=True, encoder_size=32),
        TrainConfig(steps=1600, lr=1.2e-2),
        task="grammar-de",
    ),
    "grammar-fr-attention": Recipe(
        ModelConfig("additive", "previous", 32, 64, bidirectional=True, encoder_size=32),
        TrainConfig(steps=1600, lr=8e-3),
        task="grammar-fr",
    ),
}


# How many pairs does each need? Few train few steps well; without attention it takes more of them.
CLOCK_SIZES = (50, 100, 200, 400, 800)
CLOCK_RECIPES = {
    f"{name}, {n} pairs": Recipe(model, training, task="clock", unk=True)
    for name, model, training in (
        (
            "attention",
            ModelConfig("additive", "previous", 32, 64, bidirectional=True, encoder_size=32),
            TrainConfig(steps=400, lr=8e-3, batch_size=64),
        ),
        (
            "vanilla",
            ModelConfig(embed_size=32, hidden_size=88),
            TrainConfig(steps=1600, lr=1.6e-2, batch_size=64),
        ),
    )
    for n in CLOCK_SIZES
}


def task_splits(task: str, n: int) -> Splits:
    """`n` pairs of a task that the browser knows, divided; all spellings of a day together.

    Raises:
        ValueError: the task is unknown.
    """
    if task == "numbers":
        return number_splits(n)
    if task == "dates":
        return split_pairs(date_pairs(n), by="tgt")
    if task in ("grammar-de", "grammar-fr"):
        return grammar_splits(task.removeprefix("grammar-"), n)
    raise ValueError(f"task must be numbers, dates, grammar-de or grammar-fr, got {task!r}")


def recipe_splits(recipe: Recipe | TransformerRecipe, n: int = 50_000) -> Splits:
    """The splits that a recipe is trained and tested on; `longest` limits training alone."""
    if isinstance(recipe, Recipe) and recipe.task != "numbers":
        return task_splits(recipe.task, n)
    train, valid, test = number_splits(n, recipe.reverse_source)
    if recipe.longest is not None:
        train = [pair for pair in train if len(pair.src) <= recipe.longest]
    return Splits(train, valid, test)


def number_splits(n: int = 50_000, reverse_source: bool = False) -> Splits:
    """The book's numbers task: training pairs with repeats, held-out pairs once each.

    Args:
        n: numbers drawn.
        reverse_source: turn every source round, word by word; the numbers stay in their splits.
    """
    splits = split_pairs(number_pairs(n))
    return Splits(*map(_reversed, splits)) if reverse_source else splits


def sorting_splits(n: int = 50_000) -> Splits:
    """Letters to put in order, up to 20; all orders of the same letters are in one split.

    Args:
        n: pairs drawn.
    """
    return split_pairs(sorting_pairs(n), by="tgt")


def clock_splits(n: int) -> Splits:
    """Times of day, `n` of them to train on; validation and test are the same for every `n`.

    Raises:
        ValueError: `n` is below 1, or there are not so many.
    """
    train, valid, test = split_pairs(pairs_from_text(clock_text()).pairs)
    if not 1 <= n <= len(train):
        raise ValueError(f"n must be from 1 to {len(train)}, the times for training, got {n}")
    return Splits(train[:n], valid, test)


def grammar_splits(language: str, n: int = 80_000) -> Splits:
    """English sentences of 3 to 20 words; no sentence is in two splits.

    Args:
        language: what they are said in, "de" or "fr".
        n: pairs drawn.
    """
    return split_pairs(grammar_pairs(n, language))


def new_model(recipe: Recipe | TransformerRecipe, splits: Splits, seed: int) -> Seq2Seq:
    """A model with random weights, its vocabularies taken from the training split."""
    seed_everything(seed)
    unk = isinstance(recipe, Recipe) and recipe.unk
    src_vocab = build_vocab((pair.src for pair in splits.train), unk=unk)
    tgt_vocab = build_vocab(pair.tgt for pair in splits.train)
    if isinstance(recipe.model, TransformerConfig):
        return build_transformer(recipe.model, src_vocab, tgt_vocab)
    return build_model(recipe.model, src_vocab, tgt_vocab)


def _reversed(pairs: list[Pair]) -> list[Pair]:
    return [
        Pair(
            pair.src[::-1],
            pair.tgt,
            None
            if pair.alignment is None
            else frozenset((t, len(pair.src) - 1 - s) for t, s in pair.alignment),
        )
        for pair in pairs
    ]
