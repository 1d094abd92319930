"""Five scores, two queries, and dot products with and without scaling as H grows; test split.

Each configuration has the best of three learning rates, chosen on the validation split.
"""

from functools import cache

from common import run, try_rates

from seq2seq_attention.alignments import forced_weights, gold_mass, shift_profile
from seq2seq_attention.recipes import SCALING_RECIPES, SCORE_RECIPES, new_model, number_splits
from seq2seq_attention.sharpness import score_spread, sharpness

SEEDS = range(3)
RATES = (4e-3, 8e-3, 1.2e-2)
splits = cache(number_splits)


def measure_of(recipe, seed):
    def measure(model, pairs):
        weights = forced_weights(model, pairs)
        untrained = new_model(recipe, splits(), seed)
        rounded = {key: round(x, 4) for key, x in sharpness(weights, pairs)._asdict().items()}
        spread = {"before": score_spread(untrained, pairs[:300])}
        spread["after"] = score_spread(model, pairs[:300])
        return {
            "sharpness": rounded,
            "gold_mass": round(gold_mass(weights, pairs), 5),
            "shift": shift_profile(weights, pairs)._asdict(),
            "score_spread": {when: round(x, 4) for when, x in spread.items()},
        }

    return measure


if __name__ == "__main__":
    for name, recipe in (SCORE_RECIPES | SCALING_RECIPES).items():
        try_rates("score_rates", name, recipe, RATES)
    for seed in SEEDS:
        for name, recipe in (SCORE_RECIPES | SCALING_RECIPES).items():
            measure = measure_of(recipe, seed)
            run("scores", name, recipe, seed, split="test", measure=measure)
