"""Accuracy against source length for several H, test split, five seeds; a learning rate for each H.

The rates are those with the best accuracy on the validation split, so that a narrow and a wide
model each have one that suits them. "vanilla" itself, 128 wide, is not run again.
"""

from common import run, try_rates

from seq2seq_attention.recipes import RECIPES, WIDTH_RECIPES

SEEDS = range(5)
RATES = (4e-3, 8e-3, 1.2e-2)
OTHER_RATES = {
    # further ones where the highest of the first three was the best
    "vanilla, 256 wide": (2e-3, *RATES),
    "attention (additive), 16 wide": (*RATES, 1.6e-2, 2.4e-2),
    "attention (additive), 32 wide": (*RATES, 1.6e-2, 2.4e-2),
}

if __name__ == "__main__":
    new = {name: recipe for name, recipe in WIDTH_RECIPES.items() if name not in RECIPES}
    for name, recipe in new.items():
        try_rates("hidden_size_rates", name, recipe, OTHER_RATES.get(name, RATES))
    for name, recipe in new.items():
        for seed in SEEDS:
            run("hidden_sizes", name, recipe, seed, split="test")
