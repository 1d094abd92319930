"""What the vector holds and how far gradients travel, before and after training; five seeds.

Fresh numbers of twelve digits, in no split. Pairs for the gradients are of the validation split.
"""

import random

from common import run

from seq2seq_attention.data import number_pair
from seq2seq_attention.probes import bits_held, digit_probe, gradient_by_distance
from seq2seq_attention.recipes import RECIPES, new_model, number_splits
from seq2seq_attention.scoring import by_position

SEEDS = range(5)
NAMES = ("vanilla", "vanilla, source reversed", "attention (additive)")


def fresh_numbers(trained, digits, n):
    rng = random.Random(6)
    drawn = (rng.randrange(10 ** (digits - 1), 10**digits) for _ in range(2 * n))
    fresh = [number for number in drawn if number_pair(number).src not in trained]
    return fresh[:n]


def measure_of(name, seed):
    recipe, splits = RECIPES[name], number_splits()
    trained = {pair.src for pair in splits.train}
    numbers = fresh_numbers(trained, 12, 4000)
    long = [pair for pair in splits.valid if len(pair.src) in (5, 11, 17, 23)]
    by_size = {n: [pair for pair in long if len(pair.src) == n][:32] for n in (5, 11, 17, 23)}
    links = [pair for pairs in by_size.values() for pair in pairs]

    def measure(model, pairs):
        result = {}
        before = new_model(recipe, splits, seed)
        for when, which in (("before", before), ("after", model)):
            probe = digit_probe(which, numbers, 3000, recipe.reverse_source)
            result[f"probe_{when}"] = [round(share, 4) for share in probe.tolist()]
            if not recipe.reverse_source:
                sizes = gradient_by_distance(which, links, at_least=20)
                result[f"gradient_{when}"] = {d: float(f"{x:.4g}") for d, x in sizes.items()}
        result["bits"] = {
            digits: round(bits_held(model, turned(digits), 9 * 10 ** (digits - 1)), 3)
            for digits in range(2, 13)
        }
        places = by_position(model, [pair for pair in pairs if len(pair.src) >= 16])
        rows = [[p.n, round(p.forced_error, 5), round(p.free_error, 5)] for p in places]
        return result | {"by_position": rows}

    def turned(digits):
        rng = random.Random(7)
        low = 10 ** (digits - 1)
        pairs = [number_pair(rng.randrange(low, 10 * low)) for _ in range(500)]
        if recipe.reverse_source:
            pairs = [type(pair)(pair.src[::-1], pair.tgt) for pair in pairs]
        return pairs

    return measure


if __name__ == "__main__":
    for name in NAMES:
        for seed in SEEDS:
            run("inside", name, RECIPES[name], seed, "test", measure=measure_of(name, seed))
