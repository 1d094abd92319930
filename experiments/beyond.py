"""Trained on sources of up to 13 words, tested on all lengths: every recipe, five seeds."""

from common import run

from seq2seq_attention.recipes import SHORT_RECIPES

SEEDS = range(5)

if __name__ == "__main__":
    for name, recipe in SHORT_RECIPES.items():
        for seed in SEEDS:
            run("beyond", name, recipe, seed, split="test")
