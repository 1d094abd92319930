"""How the learning rates of the recipes were chosen: three rates each, on the validation split."""

import dataclasses

from common import run

from seq2seq_attention.recipes import RECIPES

RATES = (4e-3, 8e-3, 1.2e-2)

if __name__ == "__main__":
    for name, recipe in RECIPES.items():
        for rate in RATES:
            tried = recipe._replace(training=dataclasses.replace(recipe.training, lr=rate))
            run("learning_rates", f"{name}, lr {rate:g}", tried, seed=0, split="valid")
