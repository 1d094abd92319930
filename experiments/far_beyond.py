"""Trained on sources of up to 7 words, tested on all: three kinds of attention, three seeds.

And what goes wrong in sources of 16 words or more: where the model looks while it is given the
reference, and how long its own translations are.
"""

from common import run

from seq2seq_attention.alignments import alignment_hit_rate, forced_weights
from seq2seq_attention.recipes import FAR_RECIPES
from seq2seq_attention.search import translate

SEEDS = range(3)
LONG = 16


def long_ones(model, pairs):
    pairs = [pair for pair in pairs if len(pair.src) >= LONG]
    said = translate(model, [pair.src for pair in pairs])
    words = sum(len(hypothesis.tokens) for hypothesis in said)
    return {
        "long_hit_rate": alignment_hit_rate(forced_weights(model, pairs), pairs),
        "long_words_said": words / sum(len(pair.tgt) for pair in pairs),
    }


if __name__ == "__main__":
    for name, recipe in FAR_RECIPES.items():
        for seed in SEEDS:
            run("far_beyond", name, recipe, seed, split="test", measure=long_ones)
