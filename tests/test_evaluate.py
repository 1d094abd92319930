"""evaluate: on cases that can be worked on paper."""

import pytest

from seq2seq_attention import evaluate
from seq2seq_attention.data import Pair
from seq2seq_attention.evaluate import (
    accuracy,
    by_length,
    correct,
    exact_match,
)
from seq2seq_attention.search import Hypothesis


def test_exact_match_wants_every_token():
    assert exact_match([["a", "b"], ["a"], []], [("a", "b"), ("a", "b"), ()]) == [True, False, True]
    assert accuracy([True, False, True, True]) == 0.75


@pytest.mark.parametrize("output", ["ba", "aab", "a", "abc", ""])
def test_neither_the_words_alone_nor_the_beginning_will_do(output):
    assert exact_match([list(output)], [("a", "b")]) == [False]


def test_correct_passes_on_max_len(monkeypatch):
    def say_b_forever(model, sources, max_len):
        return [Hypothesis([], ["B"] * max_len, 0.0, None, False) for _ in sources]

    monkeypatch.setattr(evaluate, "translate", say_b_forever)
    pairs = [Pair(("b", "b"), ("B", "B")), Pair(("b",), ("B",))]
    assert correct(None, pairs, max_len=2) == [True, False]
    assert correct(None, pairs) == [False, False]


def test_by_length_counts_each_sentence_once():
    table = by_length([True, False, True], [1, 5, 6], bins=((1, 5), (6, 10), (11, 12)))
    assert [(b.n, b.label) for b in table] == [(2, "1–5"), (1, "6–10"), (0, "11–12")]
    assert table[0].accuracy == 0.5 and table[1].accuracy == 1
    assert table[2].accuracy != table[2].accuracy, "nothing measured is nan, not 0"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: exact_match([["a"]], []), "1 outputs.*0 references"),
        (lambda: accuracy([]), "none"),
        (lambda: by_length([True], [1, 2]), "1 results.*2 lengths"),
        (lambda: by_length([True], [24]), "24"),
        (lambda: by_length([True], [3], bins=((1, 5), (5, 6))), "overlap"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
