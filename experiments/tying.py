"""Does tying the output layer to the target embeddings cost accuracy? Five seeds, test split."""

from common import run, try_rates

from seq2seq_attention.recipes import TIED_RECIPES

SEEDS = range(5)
RATES = (4e-3, 8e-3, 1.2e-2)

if __name__ == "__main__":
    for name, recipe in TIED_RECIPES.items():
        try_rates("tying_rates", name, recipe, RATES)
        for seed in SEEDS:
            run("tying", name, recipe, seed, split="test")
