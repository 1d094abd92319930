"""The Python side of RecurrentView and ProbabilityView: what is refused, and what travels."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from seq2seq_attention.widgets import ProbabilityView, RecurrentView

TOKENS = ["three", "hundred", "and"]
STATES = np.array([[0.5, -0.1], [0.4904, 0.8], [-0.2, 0.8]])  # (S=3, H=2)
GATES = (np.full((3, 2), 0.25), np.full((3, 2), 0.75))
VOCAB = ["<eos>", "drei", "zehn"]
LOGITS = np.array([[0.0, 2.0, 1.0], [1.0, -np.inf, 3.0]])  # (T=2, V=3)


def recurrent(states=STATES, tokens=TOKENS, **more) -> RecurrentView:
    return RecurrentView(states, tokens, **more)


def probability(logits=LOGITS, vocab=VOCAB, **more) -> ProbabilityView:
    return ProbabilityView(logits, vocab, **more)


def changed(array: np.ndarray, place: tuple[int, int], value: float) -> np.ndarray:
    array = array.copy()
    array[place] = value
    return array


def test_states_travel_to_three_decimals_in_two_bytes():
    figure = recurrent(gates=GATES, backward=-STATES)
    for name, values in {"states": STATES, "backward": -STATES, "update": GATES[1]}.items():
        numbers = np.frombuffer(getattr(figure, name), "<i2").reshape(3, 2)
        assert (numbers == np.rint(values * 1000)).all()
    assert recurrent().update == recurrent().backward == b""


@pytest.mark.parametrize(
    "states",
    [
        STATES.tolist(),
        torch.tensor(STATES, requires_grad=True),
        torch.tensor(STATES, dtype=torch.float32),
    ],
)
def test_lists_and_tensors_are_taken(states):
    assert recurrent(states).states == recurrent().states


def test_at_first_all_is_read_and_the_liveliest_unit_followed():
    figure = recurrent()
    assert (figure.step, figure.unit, figure.shows, figure.reading) == (2, 1, "state", "forward")
    assert recurrent(step=0, unit=0).unit == 0
    figure.set_state({"step": 1, "order": "change"})  # what the page sends
    assert (figure.step, figure.order) == (1, "change")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"states": STATES.T}, r"states has shape \(2, 3\), but 3 tokens need \(3, H\)"),
        ({"states": STATES[0]}, r"states has shape \(2,\)"),
        ({"states": [[1.0], [1.0, 2.0], [1.0]]}, r"states must be a full \(S, H\) array"),
        ({"states": np.zeros((3, 0))}, r"states has no units"),
        ({"states": changed(STATES, (1, 0), np.nan)}, r"states\[1, 0\] is nan, .* from -1 to 1"),
        ({"states": changed(STATES, (2, 1), 1.5)}, r"states\[2, 1\] is 1.5"),
        ({"tokens": []}, r"tokens is empty"),
        ({"tokens": "abc"}, r"tokens must be a list of strings, got the single string 'abc'"),
        ({"tokens": ["a", 1, "b"]}, r"tokens .* item 1 is 1"),
        ({"gates": GATES[:1]}, r"the pair \(reset, update\), got 1"),
        ({"gates": (GATES[0], GATES[1][:2])}, r"update has shape \(2, 2\), .* need \(3, 2\)"),
        ({"gates": (STATES, GATES[1])}, r"reset\[0, 1\] is -0.1, but must be from 0 to 1"),
        ({"backward": np.zeros((3, 5))}, r"backward has shape \(3, 5\), .* need \(3, 2\)"),
        ({"step": 3}, r"step is 3, but must be from 0 to 2"),
        ({"unit": -1}, r"unit is -1, but must be from 0 to 1"),
    ],
)
def test_wrong_states_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        recurrent(**arguments)


@pytest.mark.parametrize(
    ("name", "value"), [("step", 3), ("unit", 2), ("shows", "update"), ("reading", "backward")]
)
def test_the_page_cannot_ask_for_what_is_not_there(name, value):
    figure = recurrent()
    with pytest.raises(ValueError, match=f"{name} is"):
        setattr(figure, name, value)


def test_logits_travel_as_32_bit_floats():
    figure = probability(gold=["drei", "<eos>"], src=["three"])
    assert np.frombuffer(figure.logits, "<f4").reshape(2, 3).tolist() == LOGITS.tolist()
    assert (figure.gold, figure.chosen, figure.top_k, figure.top_p) == ([1, 0], [], 3, 1.0)
    assert len(probability(np.zeros((30, 60)), [str(i) for i in range(60)]).logits) == 7200


def test_one_step_may_come_as_one_row():
    assert probability(LOGITS[0]).shape == [1, 3]
    assert probability(torch.zeros(1, requires_grad=True), ["a"]).shape == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"logits": LOGITS.T}, r"logits has shape \(3, 2\), but 3 words need \(T, 3\)"),
        ({"logits": np.zeros((0, 3))}, r"neither being 0"),
        ({"vocab": [], "logits": np.zeros((2, 0))}, r"neither being 0"),
        ({"logits": [[1.0, 2.0, 3.0], [1.0]]}, r"logits must be a full \(T, V\) array"),
        ({"logits": changed(LOGITS, (1, 2), np.nan)}, r"logits\[1, 2\] is nan"),
        ({"logits": changed(LOGITS, (0, 0), np.inf)}, r"logits\[0, 0\] is inf"),
        ({"logits": [-np.inf] * 3}, r"logits\[0\] is -inf throughout"),
        ({"vocab": "abc"}, r"vocab must be a list of strings"),
        ({"gold": ["drei"]}, r"gold has 1 words, but logits holds 2 steps"),
        ({"gold": ["drei", "vier"]}, r"gold\[1\] is 'vier', which is not in vocab"),
        ({"chosen": ["drei", "vier"]}, r"chosen\[1\] is 'vier'"),
        ({"step": 2}, r"step is 2, but must be from 0 to 1"),
        ({"temperature": 0}, r"temperature is 0.0, but must be from 0.1 to 3"),
        ({"temperature": float("nan")}, r"temperature is nan"),
        ({"top_k": 0}, r"top_k is 0, but must be from 1 to 3"),
        ({"top_p": 1.2}, r"top_p is 1.2, but must be from 0.05 to 1"),
        ({"seed": -1}, r"seed is -1"),
    ],
)
def test_wrong_logits_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        probability(**arguments)


@pytest.mark.parametrize(("name", "value"), [("step", 2), ("word", 3), ("top_k", 4)])
def test_wrong_values_set_later_change_nothing(name, value):
    figure = probability()
    before = getattr(figure, name)
    with pytest.raises(ValueError, match=f"{name} is"):
        setattr(figure, name, value)
    assert getattr(figure, name) == before


def test_reprs_are_the_same_every_time():
    assert repr(recurrent()) == "RecurrentView(3 words, 2 units, step 2)"
    assert repr(recurrent(gates=GATES)).endswith("with reset and update, step 2)")
    assert repr(probability()) == "ProbabilityView(2 steps, 3 words, step 0)"
