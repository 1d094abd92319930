"""Accuracy against the number of training steps, each a training of its own; five seeds."""

from common import run

from seq2seq_attention.recipes import STEP_RECIPES

SEEDS = range(5)

if __name__ == "__main__":
    for name, recipe in sorted(STEP_RECIPES.items(), key=lambda item: item[1].training.steps):
        for seed in SEEDS:
            run("more_training", name, recipe, seed, split="test")
