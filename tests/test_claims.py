"""claims: a true one prints and is recorded, a false one stops the chapter."""

import json

import numpy as np
import pytest
import torch

from seq2seq_attention.claims import ClaimError, claim


def test_a_true_claim_prints_its_sentence_and_no_number(capsys):
    claim("it holds", True, value=0.1234, threshold=0.1, seeds=3)
    assert capsys.readouterr().out == "✓ it holds\n"


def test_a_false_claim_stops_the_chapter(capsys):
    with pytest.raises(ClaimError, match="does not hold: it holds.*0.1234.*0.2"):
        claim("it holds", 0.1234 > 0.2, value=0.1234, threshold=0.2)
    assert capsys.readouterr().out == ""


def test_claims_are_recorded_when_the_book_is_built(tmp_path, monkeypatch):
    ledger = tmp_path / "claims.jsonl"
    monkeypatch.setenv("BOOK_CLAIMS", str(ledger))
    monkeypatch.setenv("BOOK_CHAPTER", "06_one_vector")
    claim("erste", True, value=1, threshold=0, seeds=5)
    with pytest.raises(ClaimError):
        claim("zweite", False)
    first, second = map(json.loads, ledger.read_text(encoding="utf-8").splitlines())
    assert first["statement"] == "erste" and first["holds"] and first["seeds"] == 5
    assert first["chapter"] == "06_one_vector" and first["value"] == 1.0
    assert second["holds"] is False and second["value"] is None


@pytest.mark.parametrize(
    ("arguments", "says"), [((" ", True, 1), "statement"), (("x", True, 0), "0")]
)
def test_bad_input_is_named(arguments, says):
    statement, holds, seeds = arguments
    with pytest.raises(ValueError, match=says):
        claim(statement, holds, seeds=seeds)


@pytest.mark.parametrize("no_check", ["False", [False], (x for x in [False]), 1.0, None, len])
def test_only_a_truth_value_is_a_check(no_check):
    with pytest.raises(TypeError, match="one True or False"):
        claim("x", no_check)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), torch.tensor(float("nan"))])
def test_a_value_must_be_a_number(value):
    with pytest.raises(ValueError, match="finite"):
        claim("x", True, value=value)


def test_truth_values_of_numpy_and_torch_count(capsys):
    claim("x", np.bool_(True), value=np.float32(1), threshold=torch.tensor(0.5))
    claim("y", torch.tensor(True))
    with pytest.raises(ClaimError):
        claim("z", torch.tensor(1.0) > 2)
    assert capsys.readouterr().out == "✓ x\n✓ y\n"
