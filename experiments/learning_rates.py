"""How the learning rates of the recipes were chosen: three rates each, on the validation split."""

from common import try_rates

from seq2seq_attention.recipes import RECIPES

RATES = (4e-3, 8e-3, 1.2e-2)

if __name__ == "__main__":
    for name, recipe in RECIPES.items():
        try_rates("learning_rates", name, recipe, RATES)
