"""Accuracy against source length on the test split: every recipe, five seeds."""

from common import run

from seq2seq_attention.recipes import RECIPES

SEEDS = range(5)

if __name__ == "__main__":
    for name, recipe in RECIPES.items():
        for seed in SEEDS:
            run("length", name, recipe, seed, split="test")
