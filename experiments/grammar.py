"""Sentences of the grammar in German and French: learning rates, then three seeds, test split.

Trained on 3 to 20 English words. Also asked: where the mistakes are, and 21 to 40 words, which no
model has seen.
"""

import itertools

from alignments import against_gold
from common import run, try_rates

from seq2seq_attention.alignments import forced_weights
from seq2seq_attention.baselines import diagonal_weights
from seq2seq_attention.data import grammar_pairs
from seq2seq_attention.data.lexicon import ADJECTIVES, CONJUNCTIONS, NOUNS, VERBS
from seq2seq_attention.evaluate import accuracy, by_length, correct
from seq2seq_attention.recipes import GRAMMAR_RECIPES, grammar_splits

SEEDS = range(3)
RATES = (5e-3, 1e-2, 1.5e-2)
DRAWN = 80_000
LENGTHS = ((3, 5), (6, 10), (11, 15), (16, 20), (21, 25), (26, 30), (31, 35), (36, 40))

NOUN_FORMS = {form for noun in NOUNS.values() for form in noun.en}
SEPARABLE = {form for verb in VERBS.values() if verb.prefix for form in verb.en}


def before_noun(src, early):
    """Whether one of the adjectives that French puts before (or after) its noun has a noun."""
    known = {word for word, entry in ADJECTIVES.items() if entry.early is early}
    row = set(ADJECTIVES)
    for s, word in enumerate(src):
        if word in known:
            end = next((w for w in src[s + 1 :] if w not in row), "")
            if end in NOUN_FORMS:
                return True
    return False


def in_clause(src):
    """Whether a relative clause begins: "who", or "that" after a noun."""
    return "who" in src or any(
        word == "that" and before in NOUN_FORMS for before, word in itertools.pairwise(src)
    )


CONSTRUCTIONS = {
    "negation": lambda src: "not" in src,
    "subordinate clause": lambda src: any(word in CONJUNCTIONS for word in src),
    "relative clause": in_clause,
    "adjective that French puts after its noun": lambda src: before_noun(src, early=False),
    "verb that German can separate": lambda src: any(word in SEPARABLE for word in src),
}


def longer_pairs(language, n=1500):
    """Pairs of 21 to 40 words; none is in a split, whose sentences are shorter."""
    drawn = grammar_pairs(2 * n, language, max_words=40, seed=1)
    return [pair for pair in drawn if len(pair.src) > 20][:n]


def measure_in(language):
    def measure(model, pairs):
        hits = correct(model, pairs)
        longer = longer_pairs(language)
        groups = {}
        for name, has in CONSTRUCTIONS.items():
            right = [hit for hit, pair in zip(hits, pairs, strict=True) if has(pair.src)]
            groups[name] = {"n": len(right), "accuracy": round(accuracy(right), 5)}
        lengths = [len(pair.src) for pair in (*pairs, *longer)]
        table = by_length(hits + correct(model, longer), lengths, LENGTHS)
        gold = against_gold(forced_weights(model, pairs), pairs)
        diagonal = against_gold([diagonal_weights(pair) for pair in pairs], pairs)
        return {"constructions": groups, "to_40_words": table, "gold": gold, "diagonal": diagonal}

    return measure


def task_of(name):
    """What `run` needs to know of the task of a recipe, whose name ends in the language."""
    language = name[-2:]
    about = {"task": "grammar", "language": language, "pairs_drawn": DRAWN}
    return {"splits": grammar_splits(language, DRAWN), "data_config": about}


if __name__ == "__main__":
    for name, recipe in GRAMMAR_RECIPES.items():
        try_rates("grammar_rates", name, recipe, RATES, **task_of(name))
    for name, recipe in GRAMMAR_RECIPES.items():
        task, measure = task_of(name), measure_in(name[-2:])
        for seed in SEEDS:
            run("grammar", name, recipe, seed, "test", measure=measure, **task)
