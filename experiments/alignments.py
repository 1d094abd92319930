"""Maps against gold, and what breaks when the weights are changed: two recipes, three seeds.

Test split. The aligners that the maps are compared with need no training of a network: the chapter
asks them itself.
"""

import math

from common import run

from seq2seq_attention.alignments import (
    argmax_links,
    forced_weights,
    gold_mass,
    score_links,
    shift_profile,
)
from seq2seq_attention.evaluate import accuracy, correct
from seq2seq_attention.interventions import (
    Diagonal,
    Shuffle,
    Swap,
    intervening,
    only_largest,
    unchanged,
    uniform,
    without_largest,
)
from seq2seq_attention.recipes import RECIPES

SEEDS = range(3)
NAMES = ("attention (additive)", "attention (general)")
CHANGES = {
    "unchanged": lambda: unchanged,
    "uniform": lambda: uniform,
    "without the largest": lambda: without_largest,
    "only the largest": lambda: only_largest,
    "diagonal": Diagonal,
    "first two swapped": lambda: Swap(0, 1),
    "shuffled": Shuffle,
}


def scores_of(links, pairs):
    named = score_links(links, [pair.alignment for pair in pairs])._asdict()
    return {key: round(x, 5) for key, x in named.items() if not math.isnan(x)}


def against_gold(weights, pairs):
    """Of the largest weights: at all target words, and at those with a gold link alone."""
    both = list(zip(weights, pairs, strict=True))
    every, linked = ([argmax_links(a, pair, only) for a, pair in both] for only in (False, True))
    return {
        "all_words": scores_of(every, pairs),
        "linked_words": scores_of(linked, pairs),
        "gold_mass": round(gold_mass(weights, pairs), 5),
    }


def measure(model, pairs):
    weights = forced_weights(model, pairs)
    exact = {}
    for name, change in CHANGES.items():
        with intervening(model, change()):
            exact[name] = accuracy(correct(model, pairs))
    shift = shift_profile(weights, pairs)._asdict()
    return {"gold": against_gold(weights, pairs), "shift": shift, "exact_match": exact}


if __name__ == "__main__":
    for seed in SEEDS:
        for name in NAMES:
            run("alignments", name, RECIPES[name], seed, split="test", measure=measure)
