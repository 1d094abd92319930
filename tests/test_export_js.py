"""forward.js computes what PyTorch computes: the same file, both sides, compared number by number.

Against PyTorch in float64 the two differ by rounding alone (1e-9), so no term can be missing.
"""

import copy
import json
import random
import shutil
import subprocess
from functools import partial
from pathlib import Path

import playwright
import pytest
import torch
from conftest import CONFIGS

from seq2seq_attention.batch import Sources, pad
from seq2seq_attention.beam import beam
from seq2seq_attention.export import export_model, load_model
from seq2seq_attention.model import ModelConfig, build_model, evaluating
from seq2seq_attention.search import adjust, greedy, translate
from seq2seq_attention.train import TrainConfig, fit, seed_everything
from seq2seq_attention.vocab import build_vocab

DRIVER = Path(playwright.__file__).parent / "driver" / "node"
NODE = shutil.which("node") or str(DRIVER)
CLI = Path(__file__).parent / "js" / "forward_cli.mjs"


def javascript(jobs):
    """Results of the jobs, all of one start of node."""
    run = subprocess.run(
        [NODE, str(CLI)], input=json.dumps(jobs), capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def lively(kind, unk=False):
    """A model with weights like those after training, sure of itself in some steps."""
    seed_everything(3)
    words = [[f"w{i}" for i in range(12)] * 2]
    vocabs = build_vocab(words, min_count=1 + unk), build_vocab([["a", "b", "c", "é", "🙂"]])
    model = build_model(CONFIGS[kind], *vocabs).eval()
    with torch.no_grad():
        for p in model.parameters():
            p *= 2.5
        model.decoder.head.output.bias[model.tgt_vocab.eos_id] += 1.0
    return model


def write(tmp_path, model, dtype="float32"):
    path = tmp_path / f"{dtype}.bin"
    path.write_bytes(export_model(model, dtype))
    return str(path)


def random_ids(n, vocab, longest, seed):
    rng = random.Random(seed)
    return [
        [rng.randrange(3, len(vocab)) for _ in range(rng.randint(1, longest))] for _ in range(n)
    ]


def forced(model, src, tgt, valid=None):
    """Log-probabilities (T, V), states (T, H) and weights (T, S) of one sentence."""
    sources = Sources(*pad([src], 0))
    mask = sources.src_valid if valid is None else torch.tensor([valid])
    with evaluating(model):
        out = model.decoder(torch.tensor([tgt]), model.encode(sources), mask)
    weights = None if out.weights is None else out.weights[0]
    return out.logits[0].log_softmax(-1), out.states[0], weights


def assert_near(found, expected, within, relative=0.0):
    if expected is None:
        assert found is None
    else:
        found = torch.tensor(found, dtype=torch.float64)
        torch.testing.assert_close(found, expected.double(), atol=within, rtol=relative)


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_every_number_of_every_step(kind, dtype, tmp_path):
    model = lively(kind)
    file = write(tmp_path, model, dtype)
    double = copy.deepcopy(load_model(Path(file).read_bytes())).double()
    sources = random_ids(40, model.src_vocab, 9, seed=0)
    targets = [[1, *row] for row in random_ids(40, model.tgt_vocab, 8, seed=1)]
    jobs = [
        {"file": file, "do": "force", "src": s, "tgt": t}
        for s, t in zip(sources, targets, strict=True)
    ]
    for job, found in zip(jobs, javascript(jobs), strict=True):
        log_probs, states, weights = forced(double, job["src"], job["tgt"])
        assert_near(found["logProbs"], log_probs, 1e-9)
        assert_near(found["states"], states, 1e-9)
        assert_near(found["weights"], weights, 1e-9)


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_thousand_inputs_against_float32(kind, tmp_path):
    """Within 1e-5 of PyTorch as the book runs it, and greedy says the same.

    A log-probability of -15 may differ by a millionth more: so coarse are 32 bits there.
    Where float32 itself can't tell two tokens apart (a gap of 6e-7 occurs), float64 decides.
    """
    model = lively(kind)
    double = copy.deepcopy(model).double()
    file, sources = write(tmp_path, model), random_ids(1000, model.src_vocab, 9, seed=2)
    jobs = [{"file": file, "do": "greedy", "src": s, "options": {"maxLen": 9}} for s in sources]
    said, ties = [], 0
    expected = greedy(model, Sources(*pad(sources, 0)), max_len=9)
    for src, found, hyp in zip(sources, javascript(jobs), expected, strict=True):
        if found["ids"] != hyp.ids:
            ties += 1
            hyp = greedy(double, Sources(*pad([src], 0)), max_len=9)[0]
            top = forced(double, src, [1, *hyp.ids])[0].topk(2).values
            assert float((top[:, 0] - top[:, 1]).min()) < 2e-6
        assert (found["ids"], found["tokens"]) == (hyp.ids, hyp.tokens)
        assert found["complete"] == hyp.complete
        assert found["logProb"] == pytest.approx(hyp.log_prob, abs=1e-5)
        assert_near(found["weights"], hyp.weights, 1e-5)
        said.append([1, *hyp.ids])
    assert ties <= 1
    jobs = [
        {"file": file, "do": "force", "src": s, "tgt": t}
        for s, t in zip(sources, said, strict=True)
    ]
    batch = Sources(*pad(sources, 0))
    with evaluating(model):
        out = model.decoder(pad(said, 0)[0], model.encode(batch), batch.src_valid)
    for row, found in zip(out.logits.log_softmax(-1), javascript(jobs), strict=True):
        assert_near(found["logProbs"], row[: len(found["logProbs"])], 1e-5, 1e-6)


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_deleted_word_is_masked(kind, tmp_path):
    model = lively(kind)
    file, double = write(tmp_path, model), copy.deepcopy(model).double()
    src, tgt, valid = [4, 5, 6, 7], [1, 3, 4], [True, False, True, True]
    job = {"file": file, "do": "force", "src": src, "tgt": tgt, "valid": valid}
    [found, none] = javascript([job, {**job, "valid": [False] * 4}])
    log_probs, _, weights = forced(double, src, tgt, valid)
    assert_near(found["logProbs"], log_probs, 1e-9)
    assert_near(found["weights"], weights, 1e-9)
    if weights is None:
        assert_near(none["logProbs"], log_probs, 1e-9)  # the plain decoder sees no mask
    else:
        assert [row[1] for row in found["weights"]] == [0.0] * 3
        assert "no word to attend to" in none["error"]


@pytest.mark.parametrize("kind", CONFIGS)
def test_weights_of_the_reader(kind, tmp_path, monkeypatch):
    """α set by hand gives what PyTorch gives when `attend` gives those weights."""
    model = lively(kind)
    file, double = write(tmp_path, model), copy.deepcopy(model).double()
    own = [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]
    job = {"file": file, "do": "force", "src": [4, 5, 6], "tgt": [1, 3], "weights": own}
    [found] = javascript([job])
    if CONFIGS[kind].attention == "none":
        assert "no attention" in found["error"]
        return
    left = iter(own)

    def dictated(scores, values, valid):
        rows = [next(left) for _ in range(scores.shape[1])]
        weights = torch.tensor([rows], dtype=values.dtype)
        return weights @ values, weights

    monkeypatch.setattr("seq2seq_attention.decoder.attend", dictated)
    log_probs, states, _ = forced(double, [4, 5, 6], [1, 3])
    assert_near(found["logProbs"], log_probs, 1e-9)
    assert_near(found["states"], states, 1e-9)
    assert found["weights"] == own


@pytest.mark.parametrize("kind", CONFIGS)
def test_beam(kind, tmp_path):
    """All hypotheses, in their order, with and without a length penalty, cut or not."""
    model = lively(kind)
    file, double = write(tmp_path, model), copy.deepcopy(model).double()
    settings = [(1, 0.0, 6), (3, 0.0, 6), (4, 1.0, 6), (5, 0.6, 3), (20, 1.5, 2)]
    cases = [(s, *c) for s in random_ids(10, model.src_vocab, 7, seed=4) for c in settings]
    names = ("width", "lengthPenalty", "maxLen")
    jobs = [
        {"file": file, "do": "beam", "src": s, "options": dict(zip(names, rest, strict=True))}
        for s, *rest in cases
    ]
    for (src, width, penalty, max_len), found in zip(cases, javascript(jobs), strict=True):
        expected = beam(double, Sources(*pad([src], 0)), width, penalty, max_len)[0]
        assert [hyp["ids"] for hyp in found] == [hyp.ids for hyp in expected]
        for a, b in zip(found, expected, strict=True):
            assert a["complete"] == b.complete
            assert a["logProb"] == pytest.approx(b.log_prob, abs=1e-5)
            length = len(b.ids) + b.complete
            assert a["score"] == pytest.approx(b.log_prob / length**penalty, abs=1e-5)
            assert_near(a["weights"], b.weights, 1e-5)


def test_beam_without_an_end(tmp_path):
    model = lively("Luong general")
    with torch.no_grad():
        model.decoder.head.output.bias[model.tgt_vocab.eos_id] = -1e4
    options = {"width": 3, "lengthPenalty": 1, "maxLen": 4}
    job = {"file": write(tmp_path, model), "do": "beam", "src": [4, 5], "options": options}
    expected = beam(model, Sources(*pad([[4, 5]], 0)), 3, 1.0, 4)[0]
    [found] = javascript([job])
    assert [hyp["ids"] for hyp in found] == [hyp.ids for hyp in expected]
    assert [hyp["complete"] for hyp in found] == [hyp.complete for hyp in expected] == [False] * 3
    assert all(len(hyp["ids"]) == len(hyp["weights"]) == 4 for hyp in found)


SETTINGS = [(1.0, None, 1.0), (0.5, None, 1.0), (3.0, 2, 1.0), (1.0, 50, 0.7), (1.5, 4, 0.5)]


def test_what_sampling_draws_from(tmp_path):
    model = lively("vanilla")
    file, rows = write(tmp_path, model), torch.randn(20, 8).double() * 3
    rows[0, 1:4] = rows[0, 0]  # equal ones: the lower ids stay
    cases = [(row.log_softmax(-1), *setting) for row in rows for setting in SETTINGS]
    names = ("temperature", "topK", "topP")
    jobs = [
        {
            "file": file,
            "do": "shape",
            "logProbs": row.tolist(),
            "options": dict(zip(names, rest, strict=True)),
        }
        for row, *rest in cases
    ]
    for (row, *rest), found in zip(cases, javascript(jobs), strict=True):
        assert_near(found, adjust(row, *rest).softmax(-1), 1e-12)


def test_samples_are_as_probable_as_the_model_says(tmp_path):
    """Of 4,000 first tokens, each comes about as often as its probability; a seed repeats."""
    model = lively("Bahdanau additive")
    file = write(tmp_path, model)
    job = {"file": file, "do": "sample", "src": [4, 5, 6]}
    draw = partial(dict, temperature=1.5, maxLen=1)
    jobs = [{**job, "options": draw(seed=i)} for i in range(4000)]
    found = javascript([*jobs, jobs[7]])
    assert found[-1] == found[7]
    log_probs = forced(model, [4, 5, 6], [1])[0][0]
    expected = adjust(log_probs, 1.5).softmax(-1)
    firsts = [hyp["ids"][0] if hyp["ids"] else model.tgt_vocab.eos_id for hyp in found[:-1]]
    share = torch.bincount(torch.tensor(firsts), minlength=len(expected)) / 4000
    error = (expected * (1 - expected) / 4000).sqrt()
    assert bool(((share - expected).abs() <= 4 * error + 1e-9).all())
    assert len(set(firsts)) > 3


def test_the_header_and_words(tmp_path):
    known, open_ = lively("Bahdanau general tied"), lively("vanilla", unk=True)
    (tmp_path / "open").mkdir()
    files = write(tmp_path, known, "int8"), write(tmp_path / "open", open_)
    words = ["w3", "w11", "strange"]
    [header, refused, found, special] = javascript(
        [
            {"file": files[0], "do": "describe"},
            {"file": files[0], "do": "ids", "words": words},
            {"file": files[1], "do": "ids", "words": words},
            {"file": files[1], "do": "ids", "words": ["<eos>"]},
        ]
    )
    assert header["tgtTokens"] == known.tgt_vocab.tokens
    assert header["srcTokens"] == known.src_vocab.tokens
    assert (header["task"], header["dtype"]) == ("own", "int8")
    assert header["config"]["tied"] is True and header["config"]["attention"] == "general"
    assert '"strange" is not among' in refused["error"]
    assert found == open_.src_vocab.encode(words)
    assert "special token" in special["error"]


def test_the_same_message_for_the_same_damage(tmp_path):
    good = export_model(lively("vanilla"))
    rng = random.Random(0)
    files = [b"", b"S2S", good[:20], good[:-1], good + b"\0", b"PK\3\4" + good]
    files += [good[:8] + bytes([version]) + good[9:] for version in (0, 2)]
    for _ in range(40):
        at = rng.randrange(len(good))
        files.append(good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1 :])
    jobs = []
    for i, data in enumerate(files):
        (tmp_path / f"{i}").write_bytes(data)
        jobs.append({"file": str(tmp_path / f"{i}"), "do": "describe"})
    for data, found in zip(files, javascript(jobs), strict=True):
        with pytest.raises(ValueError) as caught:
            load_model(data)
        assert found == {"error": str(caught.value)}


def test_half_precision_against_the_trained_model(pairs, vocabs, tmp_path):
    """float16 in the browser, the original in PyTorch: the same words, within 1e-3 nats."""
    seed_everything(0)
    pairs = pairs[:-1]  # the last one says the same three times: it would take much longer
    config = ModelConfig("additive", "previous", 16, 24, bidirectional=True, encoder_size=12)
    model = build_model(config, *vocabs)
    fit(model, pairs, TrainConfig(steps=250, lr=1e-2, warmup=20))
    file, outputs = write(tmp_path, model, "float16"), translate(model, [p.src for p in pairs])
    assert [tuple(o.tokens) for o in outputs] == [tuple(p.tgt) for p in pairs]
    jobs = [
        {"file": file, "do": "greedy", "src": model.src_vocab.encode(pair.src)} for pair in pairs
    ]
    for hyp, found in zip(outputs, javascript(jobs), strict=True):
        assert found["ids"] == hyp.ids
        assert found["logProb"] == pytest.approx(hyp.log_prob, abs=1e-3)
        assert_near(found["weights"], hyp.weights, 1e-3)
