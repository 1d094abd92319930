"""Letters to put in order: the counterexample, for which no order of the source is needed.

    q d a q f  ->  a d f q q

The target depends on the bag of letters alone, on how many there are of each: a vector of 26
counts would hold all there is to know. The oracle is Python's `sorted`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from string import ascii_lowercase

from .pairs import Pair

LONGEST = 20


def sorting_pair(letters: Sequence[str]) -> Pair:
    """The pair for some letters: as they are, in alphabetical order, gold alignment.

    Each target letter is linked to the place that it came from. Equal letters keep their order:
    the first of them in the source is the first in the target.

    Args:
        letters: at least one, each from a to z; a string will do.

    Raises:
        ValueError: there is none, or one is not a single letter from a to z.
    """
    wrong = [x for x in letters if not (isinstance(x, str) and len(x) == 1 and "a" <= x <= "z")]
    if wrong:
        raise ValueError(f"each must be one letter from a to z, got {wrong[0]!r}")
    if not letters:
        raise ValueError("there must be at least one letter, got none")
    places = sorted(range(len(letters)), key=lambda s: letters[s])  # stable
    target = tuple(letters[s] for s in places)
    return Pair(tuple(letters), target, frozenset(enumerate(places)))


def sorting_pairs(n: int, longest: int = LONGEST, seed: int = 0) -> list[Pair]:
    """Draw `n` pairs: first the number of letters, evenly from 1 to `longest`, then each letter.

    Drawn with replacement, letters and pairs. The same letters come back in another order, so
    divide the pairs with `split_pairs(pairs, by="tgt")`, which keeps them in one split.

    Raises:
        ValueError: `n` is negative or `longest` is below 1.
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    if longest < 1:
        raise ValueError(f"longest must be at least 1, got {longest}")
    rng = random.Random(seed)
    return [sorting_pair(rng.choices(ascii_lowercase, k=rng.randint(1, longest))) for _ in range(n)]
