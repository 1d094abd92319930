"""export_onnx: another runtime gets the same numbers, at any batch and length."""

import json

import onnxruntime as ort
import pytest
import torch

from seq2seq_attention.batch import Sources, pad
from seq2seq_attention.export_onnx import export_onnx
from seq2seq_attention.model import evaluating

CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def ran(path, **values):
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert sorted(i.name for i in session.get_inputs()) == sorted(values)
    found = session.run(None, {name: value.numpy() for name, value in values.items()})
    names = [o.name for o in session.get_outputs()]
    return {name: torch.tensor(x) for name, x in zip(names, found, strict=True)}


@pytest.mark.parametrize(("batch", "size"), [(1, 1), (3, 5), (2, 12)])
def test_graphs_equal_the_model(model, tmp_path, batch, size):
    encoder, step, about = export_onnx(model, tmp_path / "new" / "folder")
    ids = torch.randint(3, len(model.src_vocab), (batch, size)).tolist()
    sources = Sources(*pad(ids, 0))
    valid, prev = sources.src_valid.clone(), torch.randint(1, len(model.tgt_vocab), (batch,))
    valid[:, 1::3] = False  # words deleted
    with evaluating(model):
        encoded = model.encode(sources)
        expected = model.decoder.step(prev, encoded.final, encoded, valid)
    found = ran(encoder, src_ids=sources.src_ids)
    torch.testing.assert_close(found["states"], encoded.states, **CLOSE)
    torch.testing.assert_close(found["final"], encoded.final, **CLOSE)
    values = {"prev_ids": prev, "state": encoded.final}
    if expected.weights is not None:
        values |= {"states": encoded.states, "src_valid": valid}
    found = ran(step, **values)
    torch.testing.assert_close(found["logits"], expected.logits, **CLOSE)
    torch.testing.assert_close(found["next_state"], expected.state, **CLOSE)
    if expected.weights is not None:
        torch.testing.assert_close(found["weights"], expected.weights, **CLOSE)
    header = json.loads(about.read_text("utf-8"))
    assert header["tgt_tokens"] == model.tgt_vocab.tokens
