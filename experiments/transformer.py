"""Transformers with and without positions, and trained on short sources; three seeds, test split.

And where the two recurrent models with attention look in one sentence, to lay beside them.
"""

from common import run

from seq2seq_attention.data import number_pair
from seq2seq_attention.recipes import RECIPES, TRANSFORMER_RECIPES
from seq2seq_attention.search import translate

SEEDS = range(3)
NUMBER = 327_000


def sentence(model, pairs):
    """Weights (T, S) of one translation, and its words."""
    source = number_pair(NUMBER).src
    said = translate(model, [source])[0]
    weights = [[round(weight, 4) for weight in row] for row in said.weights.tolist()]
    target = [*said.tokens, *["<eos>"] * said.complete]
    return {"sentence": {"source": source, "target": target, "weights": weights}}


def places(model, pairs):
    """The vectors of the source's places, as far as a test source goes: 23 words."""
    table = model.encoder.embed.positions.table[:23].detach()
    return {"position_vectors": [[round(x, 3) for x in row] for row in table.tolist()]}


if __name__ == "__main__":
    for name in ("attention (additive)", "attention (general)"):
        run("transformer", name, RECIPES[name], 0, "test", measure=sentence)
    for name, recipe in TRANSFORMER_RECIPES.items():
        for seed in SEEDS:
            learned = recipe.model.positions == "learned"
            run("transformer", name, recipe, seed, "test", measure=places if learned else None)
