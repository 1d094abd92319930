"""export: a file gives back the model, says what is wrong with it, and never lies silently."""

import copy
import dataclasses
import hashlib
import json
import os
import random
import subprocess
import sys
import zlib

import numpy as np
import pytest
import torch
from conftest import CONFIGS
from torch import nn

from seq2seq_attention.attention import AdditiveScore, DotScore
from seq2seq_attention.data import Pair
from seq2seq_attention.decoder import BahdanauDecoder
from seq2seq_attention.export import config_of, export_model, load_model, save_model
from seq2seq_attention.model import build_model
from seq2seq_attention.model_file import DTYPES, PROLOGUE, read_file, write_file
from seq2seq_attention.train import seed_everything
from seq2seq_attention.vocab import Vocab, build_vocab


def refilled(header, payload):
    """A file with a right checksum, whatever its header says."""
    text = json.dumps(header).encode()
    rest = text + payload
    return PROLOGUE.pack(b"S2S-ATTN", 1, len(text), len(payload), zlib.crc32(rest)) + rest


def test_float32_is_exact(model, batch):
    again = load_model(export_model(model, "float32"))
    assert not again.training
    assert (again.src_vocab, again.tgt_vocab) == (model.src_vocab, model.tgt_vocab)
    weights = again.state_dict()
    assert list(weights) == list(model.state_dict())
    assert all(torch.equal(w, weights[name]) for name, w in model.state_dict().items())
    assert torch.equal(again(batch).logits, model(batch).logits)


def test_a_tied_model_stays_tied(vocabs):
    model = build_model(CONFIGS["vanilla tied"], *vocabs)
    again = load_model(export_model(model))
    assert again.decoder.head.output.weight is again.decoder.embedding.weight
    header, _ = read_file(export_model(model))
    names = [entry["name"] for entry in header["tensors"]]
    assert len(names) == len(set(names)) == sum(1 for _ in model.parameters())


def test_float16_rounds_each_weight(model):
    weights = load_model(export_model(model)).state_dict()
    for name, w in model.state_dict().items():
        assert bool(((weights[name] - w).abs() <= 2.0**-11 * w.abs() + 2.0**-25).all()), name


def test_int8_rounds_by_row_and_leaves_biases_alone(model):
    with torch.no_grad():
        model.encoder.embedding.weight[3] = 0.0  # a row without a scale
        model.encoder.embedding.weight[4] *= 1e-3  # a row much smaller than its neighbours
    weights = load_model(export_model(model, "int8")).state_dict()
    for name, w in model.state_dict().items():
        if w.ndim == 1:
            assert torch.equal(weights[name], w)
        else:
            half_a_step = w.abs().amax(dim=1, keepdim=True) / 254
            assert bool(((weights[name] - w).abs() <= half_a_step * 1.0001).all()), name


def test_sizes(vocabs):
    """A weight costs 4, 2 or about 1 byte, the header a few hundred bytes and the words."""
    model = build_model(CONFIGS["Bahdanau additive"], *vocabs)
    floats, halves, bytes_ = (len(export_model(model, d)) for d in ("float32", "float16", "int8"))
    count = sum(p.numel() for p in model.parameters())
    rows = sum(p.shape[0] for p in model.parameters() if p.ndim == 2)
    vectors = sum(p.numel() for p in model.parameters() if p.ndim == 1)
    assert floats - halves == pytest.approx(2 * count, abs=40)
    assert floats - bytes_ == pytest.approx(3 * (count - vectors) - 4 * rows, abs=100)


def test_tiny_and_huge_rows_survive_int8():
    w = torch.tensor([[3e38, -1.0], [2e-45, 1e-45], [0.0, 0.0]])
    data = write_file({}, {"w": w}, "int8")
    header, payload = read_file(data)
    assert header["tensors"][0]["dtype"] == "int8"
    scales = np.frombuffer(payload, "<f4", 3)
    assert np.isfinite(scales).all() and scales[0] > 0


SCRIPT = """
import hashlib
from seq2seq_attention.export import export_model
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.train import seed_everything
from seq2seq_attention.vocab import Vocab
seed_everything(5)
config = ModelConfig("general", "current", 6, 8, True)
model = build_model(config, Vocab([*"abc"]), Vocab([*"xyzäß"]))
"""


def test_the_same_bytes_every_time():
    scope: dict = {}
    exec(
        SCRIPT.replace('Vocab("abc"), Vocab("xyzäß")', 'Vocab([*"abc"]), Vocab([*"xyzäß"])'), scope
    )
    first = export_model(scope["model"])
    assert export_model(scope["model"]) == first
    assert export_model(load_model(first)) == first  # rounding a second time changes nothing
    code = SCRIPT + "print(hashlib.sha256(export_model(model)).hexdigest())"
    env = {**os.environ, "PYTHONHASHSEED": "77"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert run.stdout.strip() == hashlib.sha256(first).hexdigest(), run.stderr


def test_nothing_else_is_changed(model):
    """Neither the model, nor its mode, nor the stream of random numbers."""
    model.train()
    before, stream = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    load_model(export_model(model, "int8"))
    assert model.training and torch.equal(torch.get_rng_state(), stream)
    assert all(torch.equal(w, before[name]) for name, w in model.state_dict().items())


@pytest.mark.parametrize("kind", CONFIGS)
def test_the_config_is_read_off_the_model(kind, vocabs):
    asked = dataclasses.replace(CONFIGS[kind], dropout=0.25)
    found = config_of(build_model(asked, *vocabs))
    size = asked.encoder_size or asked.hidden_size
    assert found == dataclasses.replace(asked, encoder_size=size)


def test_header(vocabs):
    src, _ = vocabs
    known = build_vocab([["ä", "b"]] * 2, min_count=2)
    model = build_model(CONFIGS["vanilla"], src, known)
    data = export_model(model, task="dates", note="made “here”")
    header, payload = read_file(data)
    assert (header["task"], header["note"], header["dtype"]) == ("dates", "made “here”", "float16")
    assert header["tgt_tokens"] == ["<pad>", "<sos>", "<eos>", "<unk>", "b", "ä"]
    assert load_model(data).tgt_vocab.unk_id == 3
    assert all(entry["offset"] % 4 == 0 for entry in header["tensors"])
    assert (len(data) - len(payload)) % 4 == 0


@pytest.fixture
def plain(vocabs):
    seed_everything(0)
    return build_model(CONFIGS["Bahdanau additive"], *vocabs).eval()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_that_are_not_numbers(plain, value, dtype):
    with torch.no_grad():
        plain.decoder.combine.weight[2, 3] = value
    with pytest.raises(ValueError, match=f"decoder.combine.weight holds {value}; only finite"):
        export_model(plain, dtype)


def test_weights_too_large_for_half_precision(plain):
    with torch.no_grad():
        plain.decoder.head.output.bias[1] = -65519.0
        assert bool(load_model(export_model(plain)).decoder.head.output.bias[1] == -65504)
        plain.decoder.head.output.bias[1] = -65520.0
    with pytest.raises(ValueError, match="decoder.head.output.bias holds 65520, too large"):
        export_model(plain)
    assert bool(load_model(export_model(plain, "float32")).decoder.head.output.bias[1] == -65520)


def test_unknown_dtype(plain):
    with pytest.raises(ValueError, match="dtype must be one of .*'bfloat16'"):
        export_model(plain, "bfloat16")


def test_models_of_another_kind(plain, vocabs):
    class Mine(DotScore):
        pass

    other = copy.deepcopy(plain)
    other.decoder = BahdanauDecoder(len(vocabs[1]), 6, 8, Mine(8, 8))
    with pytest.raises(ValueError, match="expected a score of this package, got Mine"):
        export_model(other)
    other.decoder = BahdanauDecoder(len(vocabs[1]), 6, 8, AdditiveScore(8, 16, attention_size=5))
    with pytest.raises(ValueError, match=r"energy.weight has shape \(1, 5\), expected \(1, 8\)"):
        export_model(other)
    other.decoder = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="expected a decoder of this package, got Linear"):
        export_model(other)
    deep = copy.deepcopy(plain)
    deep.encoder.gru = nn.GRU(6, 8, num_layers=2, batch_first=True, bidirectional=True)
    with pytest.raises(ValueError, match="encoder.gru.bias_hh_l1 has shape .*expected None"):
        export_model(deep)
    tied = build_model(CONFIGS["vanilla tied"], *vocabs)
    tied.decoder.head.output.weight = nn.Parameter(tied.decoder.embedding.weight.clone())
    with pytest.raises(ValueError, match="must share the target embeddings"):
        export_model(tied)


def test_files_that_are_not_whole(plain):
    data = export_model(plain)
    for size in (0, 3, 8, 23):
        with pytest.raises(ValueError, match=f"cut off: it has {size} bytes"):
            load_model(data[:size])
    for size in (24, 500, len(data) - 1):
        with pytest.raises(ValueError, match=f"cut off: it has {size} bytes, expected {len(data)}"):
            load_model(data[:size])
    with pytest.raises(ValueError, match="goes on too long"):
        load_model(data + b"\0")


def test_foreign_files_and_other_versions(plain):
    data = export_model(plain)
    for foreign in (b"PK\3\4" + data, b"\x89PNG", b"<!doctype html>", b"S2S-ATTM"):
        with pytest.raises(ValueError, match="not a model file"):
            load_model(foreign)
    with pytest.raises(ValueError, match="version 2, made by a newer program; expected 1"):
        load_model(data[:8] + b"\2" + data[9:])
    with pytest.raises(ValueError, match="version 0, which never was"):
        load_model(data[:8] + b"\0" + data[9:])


def test_no_single_bit_can_change_unnoticed(plain):
    data, rng = export_model(plain, "int8"), random.Random(0)
    places = [*range(64), *(rng.randrange(len(data)) for _ in range(400))]
    for at in places:
        wrong = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        with pytest.raises(ValueError):
            load_model(wrong)
    with pytest.raises(ValueError, match="damaged: its checksum is .*, expected"):
        load_model(data[:-1] + bytes([data[-1] ^ 1]))


def change(header, path, value):
    *way, last = path
    for key in way:
        header = header[key]
    if value is None:
        del header[last]
    else:
        header[last] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["config", "attention"], "cosine", "attention must be one of"),
        (["config", "hidden_size"], 10**6, "has shape"),
        (["config", "hidden_size"], 10**9, "overflow"),
        (["config", "depth"], 2, "depth"),
        (["config"], None, "config"),
        (["src_tokens"], ["a", "b", "c", "d"], "a vocabulary begins with"),
        (["tgt_tokens"], None, "tgt_tokens"),
        (["tensors", 0], None, "encoder.embedding.weight has shape None"),
        (["tensors", 0, "offset"], 10**6, "ends at"),
        (["tensors", 0, "offset"], -4, "can't be"),
        (["tensors", 0, "dtype"], "float64", "can't be"),
        (["tensors", 0, "shape"], [7], "has shape"),
        (["tensors", 1, "shape"], 7, ""),
    ],
)
def test_headers_that_contradict_themselves(plain, path, value, message):
    header, payload = read_file(export_model(plain))
    assert load_model(refilled(header, payload))
    change(header, path, value)
    with pytest.raises(ValueError, match=f"the file's header is wrong: .*{message}"):
        load_model(refilled(header, payload))


def test_headers_that_ask_for_too_much(plain):
    header, payload = read_file(export_model(plain))
    for again, why in ((header["tensors"][0], "there twice"), (header["tensors"][-1], "twice")):
        more = {**header, "tensors": [*header["tensors"], again]}
        with pytest.raises(ValueError, match=why):
            load_model(refilled(more, payload))
    shared = [dict(entry, name=str(i)) for i, entry in enumerate([header["tensors"][0]] * 100)]
    with pytest.raises(ValueError, match="bytes that others have taken"):
        load_model(refilled({**header, "tensors": shared}, payload))
    text = b"[" * 100_000
    with pytest.raises(ValueError, match="the file's header is wrong"):
        load_model(PROLOGUE.pack(b"S2S-ATTN", 1, len(text), 0, zlib.crc32(text)) + text)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_file_with_weights_that_are_not_numbers(plain, value, dtype):
    header, payload = read_file(export_model(plain, dtype))
    kind = "<f2" if dtype == "float16" else "<f4"  # int8: the scale of the first row
    number = np.array([value], kind).tobytes()
    with pytest.raises(ValueError, match="encoder.embedding.weight holds .*; only finite"):
        load_model(refilled(header, number + payload[len(number) :]))


@pytest.mark.parametrize("header", [[1], "text", None])
def test_headers_that_are_no_object(header):
    with pytest.raises(ValueError, match="expected an object"):
        load_model(refilled(header, b""))


def test_saving(plain, tmp_path):
    path = tmp_path / "numbers.bin"
    size = save_model(plain, path, dtype="int8", note="first")
    assert path.read_bytes() == export_model(plain, "int8", note="first")
    assert size == path.stat().st_size
    (tmp_path / "ordinary").write_bytes(b"")
    assert path.stat().st_mode == (tmp_path / "ordinary").stat().st_mode  # others may read it


def test_an_interrupted_save_leaves_the_old_file(plain, tmp_path, monkeypatch):
    path = tmp_path / "numbers.bin"
    save_model(plain, path)
    old = path.read_bytes()

    def full(_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        save_model(plain, path, dtype="float32")
    monkeypatch.undo()
    with torch.no_grad():
        plain.decoder.gru.weight_hh_l0[0, 0] = float("nan")
    with pytest.raises(ValueError, match="only finite"):
        save_model(plain, path)
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["numbers.bin"]


def test_words_of_every_script():
    words = Vocab(["é", "e\u0301", "🙂", '"', "\\", "\u2028", "</script>"])
    model = build_model(CONFIGS["vanilla"], words, words)
    assert load_model(export_model(model)).src_vocab == words


def test_examples_travel_along(plain, pairs):
    assert "examples" not in read_file(export_model(plain))[0]
    data = export_model(plain, task="own", examples=pairs[:2])
    assert read_file(data)[0]["examples"] == [[list(p.src), list(p.tgt)] for p in pairs[:2]]
    assert read_file(data)[1] == read_file(export_model(plain))[1]
    assert config_of(load_model(data)) == config_of(plain)


def test_examples_must_be_readable_and_few(plain, pairs):
    strange = Pair(("seven", "zebras"), ("sieben",))
    with pytest.raises(ValueError, match=r"can't read the example .*zebras"):
        export_model(plain, examples=[pairs[0], strange])
    with pytest.raises(ValueError, match="at most 50 examples, got 51"):
        export_model(plain, examples=pairs[:1] * 51)
    assert len(read_file(export_model(plain, examples=pairs[:1] * 50))[0]["examples"]) == 50
