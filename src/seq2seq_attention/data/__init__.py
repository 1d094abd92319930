"""Where sentence pairs come from."""

from .clock import clock_line, clock_text
from .dates import date_pair, date_pairs
from .grammar import grammar_pair, grammar_pairs, grammar_target
from .numbers import MAX_DIGITS, join_morphemes, number_pair, number_pairs
from .pairs import Pair, Splits, fingerprint, split_pairs
from .paste import PastedPairs, pairs_from_text
from .sorting import sorting_pair, sorting_pairs

__all__ = [
    "MAX_DIGITS",
    "Pair",
    "PastedPairs",
    "Splits",
    "clock_line",
    "clock_text",
    "date_pair",
    "date_pairs",
    "fingerprint",
    "grammar_pair",
    "grammar_pairs",
    "grammar_target",
    "join_morphemes",
    "number_pair",
    "number_pairs",
    "pairs_from_text",
    "sorting_pair",
    "sorting_pairs",
    "split_pairs",
]
