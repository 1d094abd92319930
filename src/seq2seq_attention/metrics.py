"""How close outputs are to references: by token, by n-gram, by character.

BLEU and chrF are sacrebleu's, with the signature that has to stand beside each score: two
BLEU scores with different signatures can't be compared (Post 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

Tokens = Sequence[str]


class Score(NamedTuple):
    """A corpus score and how it was computed."""

    value: float  # 0 to 100
    signature: str


def token_accuracy(outputs: Sequence[Tokens], references: Sequence[Tokens]) -> float:
    """Share of positions with the right token, 0 to 1.

    Position t of an output is compared with position t of its reference. A pair has as many
    positions as the longer of the two, so a missing or a surplus token is an error. One token
    too many at the start makes everything after it wrong: this is a measure of positions.

    Raises:
        ValueError: the numbers of sentences differ, there are none, or one is a string.
    """
    _check(outputs, references)
    right = sum(
        sum(a == b for a, b in zip(output, reference, strict=False))
        for output, reference in zip(outputs, references, strict=True)
    )
    total = sum(max(map(len, pair)) for pair in zip(outputs, references, strict=True))
    return right / total if total else 1.0


def bleu(outputs: Sequence[Tokens], references: Sequence[Tokens]) -> Score:
    """Corpus BLEU over the given tokens, which are not tokenised again, 0 to 100.

    The geometric mean of the shares of n-grams (n = 1 to 4) that the references have too, times
    a penalty for output that is too short. A corpus in which no sentence has four tokens has no
    4-grams and scores 0, even if every token is right.

    Raises:
        ValueError: as in `token_accuracy`.

    Source: Papineni et al. 2002; sacrebleu, Post 2018.
    """
    metric = BLEU(tokenize="none", force=True)
    return _scored(metric, outputs, references)


def chrf(outputs: Sequence[Tokens], references: Sequence[Tokens]) -> Score:
    """Corpus chrF2: F-score of character n-grams (n = 1 to 6), blanks aside, 0 to 100.

    Raises:
        ValueError: as in `token_accuracy`.

    Source: Popović 2015; sacrebleu, Post 2018.
    """
    return _scored(CHRF(), outputs, references)


def _scored(metric: BLEU | CHRF, outputs: Sequence[Tokens], references: Sequence[Tokens]) -> Score:
    _check(outputs, references)
    result = metric.corpus_score([*map(" ".join, outputs)], [[*map(" ".join, references)]])
    return Score(float(result.score), f"{result.name}|{metric.get_signature()}")


def _check(outputs: Sequence[Tokens], references: Sequence[Tokens]) -> None:
    if len(outputs) != len(references):
        raise ValueError(f"there are {len(outputs)} outputs, but {len(references)} references")
    if not outputs:
        raise ValueError("there are no outputs to score")
    for sentence in (*outputs, *references):
        if isinstance(sentence, str):
            raise ValueError(f"a sentence must be a list of tokens, got the string {sentence!r}")
