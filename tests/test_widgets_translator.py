"""TranslatorView's Python side: the models travel whole, and what is none is refused by name."""

from __future__ import annotations

import re

import pytest
from conftest import CONFIGS, small_model

from seq2seq_attention.export import export_model
from seq2seq_attention.widgets import TranslatorView, bundle

ATTENTION = export_model(small_model("Bahdanau additive", seed=1), task="toy")
VANILLA = export_model(small_model("vanilla", seed=1), task="toy")
BOTH = {"vanilla": VANILLA, "attention": ATTENTION}


def test_models_and_settings_travel():
    figure = TranslatorView({"toy": BOTH, "other": {"attention": ATTENTION}}, "one two", title="T")
    assert figure.models == {
        "toy": {"attention": ATTENTION, "vanilla": VANILLA},
        "other": {"attention": ATTENTION},
    }
    assert (figure.task, figure.text, figure.model, figure.decoder) == (
        "toy",
        "one two",
        "attention",
        "greedy",
    )
    assert (figure.step, figure.output, figure.title) == (-1, [], "T")
    assert repr(figure) == "TranslatorView(toy, other; toy, attention)"
    assert {"text", "task", "model", "decoder", "step", "output", "models"} <= set(figure.keys)
    assert TranslatorView({"toy": {"vanilla": VANILLA}}, model="vanilla").text is None


@pytest.mark.parametrize("kind", CONFIGS)
def test_every_kind_of_model_can_be_shown(kind):
    name = "vanilla" if "vanilla" in kind else "attention"
    data = export_model(small_model(kind, seed=1))
    assert TranslatorView({"toy": {name: data}}, model=name).models == {"toy": {name: data}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[:-1], "was cut off"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "damaged"),
        (lambda data: b"<!doctype html>" + data, "not a model file"),
        (lambda data: data[:8] + b"\x02" + data[9:], "format version 2"),
        (lambda data: b"", "cut off|not a model file"),
        (lambda data: "text", "must be a file's bytes, got str"),
        (lambda data: VANILLA, "has attention 'none', which is not attention"),
    ],
)
def test_what_is_no_model_is_refused_by_name(change, says):
    with pytest.raises(ValueError, match=says) as caught:
        TranslatorView({"toy": {"attention": change(ATTENTION)}})
    assert "models['toy']['attention']" in str(caught.value)


@pytest.mark.parametrize(
    ("models", "more", "says"),
    [
        ({}, {}, "models is empty"),
        ({"toy": {}}, {}, re.escape("models['toy'] must map one of attention, vanilla")),
        ({"toy": {"big": ATTENTION}}, {}, "models['toy']['big']: the kind must be"),
        ({"toy": BOTH}, {"task": "dates"}, "task is 'dates', but there are models for toy"),
        ({"toy": BOTH}, {"model": "own"}, "model is 'own', but toy has attention, vanilla"),
        ({"toy": {"vanilla": VANILLA}}, {}, "model is 'attention', but toy has vanilla"),
        ({"toy": BOTH}, {"decoder": "magic"}, "decoder is 'magic', but must be one of greedy"),
    ],
)
def test_settings_are_checked(models, more, says):
    with pytest.raises(ValueError) as caught:
        TranslatorView(models, **more)
    assert re.search(says, str(caught.value)) or says in str(caught.value)


def test_what_comes_from_the_page_is_checked():
    figure = TranslatorView({"toy": BOTH})
    for step in (-2, 101):
        with pytest.raises(ValueError, match=f"step is {step}, but must be from -1 to 100"):
            figure.step = step
    figure.text = "x" * 10**6
    assert len(figure.text) == 2001  # still too long, and the page says so


def test_shared_files_are_joined_once_each():
    text = bundle.module("translator")
    assert bundle.SHARED.search(text) is None
    for name in ("parseModel", "prepare", "registerOracle", "framed"):
        pattern = rf"^export (?:const|function) {name}\b"
        assert len(re.findall(pattern, text, re.MULTILINE)) == 1, name
    assert "parseModel" not in bundle.module("alignment")  # others don't pay for it


def test_a_name_in_two_files_is_refused(tmp_path, monkeypatch):
    (tmp_path / "base.js").write_text("export const one = 1;\nconst mine = 2;\n")
    (tmp_path / "forward.js").write_text("function mine() {}\n")
    both = 'import {\n  one,\n} from "./base.js";\nimport { x } from "./forward.js";\n'
    (tmp_path / "figure.js").write_text(both)
    monkeypatch.setattr(bundle, "HERE", tmp_path)
    with pytest.raises(ValueError, match=r"both base\.js and forward\.js have a mine"):
        bundle.module("figure")
    (tmp_path / "forward.js").write_text("export const x = 2;\n")
    assert (
        bundle.module("figure") == "export const one = 1;\nconst mine = 2;\nexport const x = 2;\n"
    )
    (tmp_path / "figure.js").write_text(both + 'import { y } from "./forward.js";\n')
    with pytest.raises(ValueError, match=r"imports a file twice: base, forward, forward"):
        bundle.module("figure")
