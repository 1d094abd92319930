"""How many pairs does each model need? Rates on validation with 200, then five seeds on test."""

from common import run, try_rates

from seq2seq_attention.recipes import CLOCK_RECIPES, clock_splits

RATES = {"attention": (4e-3, 8e-3, 1.6e-2), "vanilla": (8e-3, 1.6e-2, 3.2e-2)}
SEEDS = range(5)

if __name__ == "__main__":
    for name, recipe in CLOCK_RECIPES.items():
        model, pairs = name.split(", ")
        n = int(pairs.split()[0])
        task = {
            "splits": clock_splits(n),
            "data_config": {"task": "clock", "training_pairs": n},
        }
        if n == 200:
            try_rates("clock_rates", name, recipe, RATES[model], **task)
        for seed in SEEDS:
            run("clock", name, recipe, seed, split="test", **task)
