"""Does it help to read one's own words in training? Scheduled sampling, five seeds, test split.

The share of own words rises evenly from 0 to the one named. The share that is compared with
teacher forcing was chosen on the validation split with seed 0.
"""

from common import run

from seq2seq_attention.recipes import RECIPES
from seq2seq_attention.results import load_results
from seq2seq_attention.scoring import by_position

SEEDS = range(5)
SHARES = (0.25, 0.5)


def errors(model, pairs):
    places = by_position(model, pairs)
    rows = [[p.n, round(p.forced_error, 5), round(p.free_error, 5)] for p in places]
    return {"by_position": rows}


def best_share() -> float:
    """The share with the best accuracy on the validation split, the lower one if equal."""
    tried = [run for run in load_results("own_shares") if run["split"] == "valid"]
    best = min(tried, key=lambda run: (-run["accuracy"], run["config"]["own_share"]))
    return float(best["config"]["own_share"])


if __name__ == "__main__":
    recipe = RECIPES["vanilla"]
    for share in SHARES:
        run("own_shares", f"vanilla, own words {share:g}", recipe, 0, "valid", share)
    for seed in SEEDS:
        share = best_share()
        run("scheduled_sampling", "vanilla, own words", recipe, seed, "test", share, errors)
    for seed in SEEDS:
        run("scheduled_sampling", "vanilla", recipe, seed, "test", measure=errors)
