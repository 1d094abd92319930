"""Trees at random, with an exact number of English words.

Whoever draws a part says how many words it must have, and the part divides them among its own
parts. So every length is as frequent as one likes. What can't be divided is drawn again.
"""

from __future__ import annotations

import random

from .draw_clauses import draw_clause
from .lexicon import CONJUNCTIONS, TIME
from .trees import Main, Sentence, Subordinate


def draw_sentence(rng: random.Random, words: int) -> Sentence:
    """A sentence of exactly so many English words, at least 3; commas count as words.

    It has one main clause up to about ten words, several beyond.
    """
    mains: list[Main] = []
    joints: list[str] = []
    while words > 9 and rng.random() < (words - 4) / 20:
        size = rng.randint(3, min(words - 5, 14))
        mains.append(_main(rng, size))
        joints.append(rng.choice(("and", "and", "but")))
        words -= size + 2
    return Sentence((*mains, _main(rng, words)), tuple(joints))


def _main(rng: random.Random, words: int) -> Main:
    chance = rng.random()
    if words >= 4 and chance < 0.15:
        clause = draw_clause(rng, words - 1)
        if clause.predicate.time is None:
            return Main(clause, time=rng.choice(list(TIME)))
    if words >= 7 and (chance < 0.45 or words > 14):
        fronted = rng.random() < 0.5
        size = rng.randint(2, words - (5 if fronted else 4))
        part = Subordinate(rng.choice(list(CONJUNCTIONS)), draw_clause(rng, size))
        if fronted:
            return Main(draw_clause(rng, words - size - 2), before=part)
        return Main(draw_clause(rng, words - size - 1), after=part)
    return Main(draw_clause(rng, words, joined=words >= 5 and chance > 0.8))
