"""Letters put in order, equally many steps for all: rates on validation, then three seeds on test.

And three seeds of the fastest model once more, with twice the steps.
"""

from common import DRAWN, run, try_rates

from seq2seq_attention.recipes import SORTING_RECIPES, SORTING_STEP_RECIPES, sorting_splits

RATES = (4e-3, 8e-3, 1.2e-2)
SEEDS = range(3)

if __name__ == "__main__":
    task = {
        "splits": sorting_splits(DRAWN),
        "data_config": {"task": "sorting", "pairs_drawn": DRAWN},
    }
    for name, recipe in SORTING_RECIPES.items():
        try_rates("sorting_rates", name, recipe, RATES, **task)
    for name, recipe in (SORTING_RECIPES | SORTING_STEP_RECIPES).items():
        for seed in SEEDS:
            run("sorting", name, recipe, seed, split="test", **task)
