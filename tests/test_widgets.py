"""The Python side of the live figures: what is refused, and what travels to the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from traitlets import TraitError

from seq2seq_attention.widgets import AlignmentPair, AlignmentView, bundle

ROOT = Path(__file__).parents[1]
SRC, TGT = ["twenty", "seven"], ["sieben", "und", "zwanzig"]
WEIGHTS = np.array([[0.1, 0.9], [0.5, 0.5], [0.97, 0.03]])  # (T=3, S=2)


def view(weights=WEIGHTS, src=SRC, tgt=TGT, **more) -> AlignmentView:
    return AlignmentView(weights, src, tgt, **more)


def unpacked(figure: AlignmentView) -> np.ndarray:
    """Read back what `_packed` wrote, one number at a time."""
    count, rows, columns = figure.shape
    data = iter(figure.weights)
    mode, numbers = next(data), []
    for byte in data:
        if 192 <= byte < 255:
            numbers += [0] * 2 ** (byte - 192)
        else:
            numbers.append(byte if byte < 192 else next(data) + 256 * next(data))
    cells = np.array(numbers, int).reshape(rows, columns, count)
    if mode:
        cells = np.where(cells % 2, -(cells + 1) // 2, cells // 2).cumsum(axis=2)
    return cells.transpose(2, 0, 1) / 1000


def changed(t: int, s: int, value: float) -> np.ndarray:
    weights = WEIGHTS.copy()
    weights[t, s] = value
    return weights


def training(peaked: bool) -> np.ndarray:
    """Weights (N=100, T=60, S=60): random, or forming along the diagonal as training goes on."""
    if not peaked:
        return np.random.default_rng(0).dirichlet(np.ones(60), size=(100, 60))
    distance = np.abs(np.arange(60)[:, None] - np.arange(60))  # (T, S)
    noise = np.random.default_rng(1).normal(size=(60, 60))
    sharp = np.linspace(0, 1, 100)[:, None, None]  # (N, 1, 1)
    scores = -sharp * distance * 3 + (1 - sharp) * noise
    weights = np.exp(scores)
    return weights / weights.sum(axis=2, keepdims=True)


@pytest.mark.parametrize(("peaked", "most"), [(False, 362_000), (True, 115_000)])
def test_weights_survive_the_trip_to_three_decimals_in_few_bytes(peaked, most):
    weights = training(peaked)
    tokens = [str(i) for i in range(60)]
    figure = view(weights, tokens, tokens)
    assert (unpacked(figure) == np.rint(weights * 1000) / 1000).all()
    assert len(figure.weights) <= most  # as uint16 it would be 720000


@pytest.mark.parametrize(
    "weights",
    [
        WEIGHTS.tolist(),
        WEIGHTS.astype(np.float32),
        torch.tensor(WEIGHTS, dtype=torch.float32),
        torch.tensor(WEIGHTS, requires_grad=True),
        WEIGHTS[None],
    ],
)
def test_lists_arrays_and_tensors_are_taken(weights):
    figure = view(weights)
    assert figure.shape == [1, 3, 2]
    assert unpacked(figure)[0] == pytest.approx(WEIGHTS, abs=1e-5)


def test_traits_as_the_page_sees_them():
    figure = view(np.stack([WEIGHTS] * 4), gold={(2, 0), (0, 1)}, title="t", snapshots=list("abcd"))
    state = figure.get_state()
    assert state["gold"] == [[0, 1], [2, 0]]
    assert (state["step"], state["snapshot"], state["focus"]) == (2, 3, None)
    assert (state["show_gold"], state["view"], state["threshold"]) == (False, "matrix", 0.0)
    figure.set_state({"focus": [1, -1], "step": 1})  # what the page sends
    assert (figure.focus, figure.step) == ((1, -1), 1)


def test_smallest_figures():
    assert unpacked(view([[1.0]], ["a"], ["b"])).tolist() == [[[1.0]]]
    assert view([], ["a", "b"], []).shape == [1, 0, 2]
    assert view(torch.zeros(0, 2), ["a", "b"], []).shape == [1, 0, 2]


def test_rounding_in_softmax_is_no_error():
    assert unpacked(view([[1.0000002, -1e-9]], tgt=["x"])).tolist() == [[[1.0, 0.0]]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": WEIGHTS.T}, r"shape \(2, 3\), but 3 target and 2 source .* \(3, 2\)"),
        ({"weights": WEIGHTS[0]}, r"shape \(2,\)"),
        ({"weights": np.zeros((0, 3, 2))}, r"N at least 1"),
        ({"weights": [[0.1, 0.9], [1.0]]}, r"full \(T, S\)"),
        ({"weights": changed(1, 0, np.nan)}, r"t=1, s=0 \(snapshot 0\) is nan, .* finite"),
        ({"weights": changed(1, 0, np.inf)}, r"is inf"),
        ({"weights": changed(2, 1, -0.1)}, r"t=2, s=1 .* is -0.1, but must be from 0 to 1"),
        ({"weights": changed(2, 1, 1.5)}, r"is 1.5"),
        ({"weights": changed(0, 0, 0.2)}, r"row 0 .* sums to 1.1, but each must sum to 1"),
        ({"gold": [(0, 2)]}, r"gold link \(t=0, s=2\) is outside 3 target and 2 source"),
        ({"gold": [(-1, 0)]}, r"gold link \(t=-1"),
        ({"step": 3}, r"step is 3, but must be from 0 to 2"),
        ({"step": -1}, r"step is -1"),
        ({"threshold": 1.5}, r"threshold is 1.5"),
        ({"snapshots": ["a", "b"]}, r"2 labels, but weights holds 1 snapshots"),
        ({"src": "ab"}, r"src must be a list of strings, got the single string 'ab'"),
        ({"tgt": ["a", 1, "b"]}, r"tgt must be a list of strings, but item 1 is 1"),
    ],
)
def test_wrong_input_is_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        view(**arguments)


@pytest.mark.parametrize(
    ("name", "value"),
    [("step", 3), ("snapshot", 1), ("focus", (3, 0)), ("focus", (-1, -1)), ("threshold", -0.1)],
)
def test_wrong_values_set_later_are_refused_and_change_nothing(name, value):
    figure = view()
    before = getattr(figure, name)
    with pytest.raises(ValueError, match=f"{name} is"):
        setattr(figure, name, value)
    assert getattr(figure, name) == before


def test_repr_is_the_same_every_time():
    assert repr(view()) == repr(view()) == "AlignmentView(3 target x 2 source words, step 2)"
    assert "4 snapshots of 3 target" in repr(view([WEIGHTS] * 4))


def test_a_pair_refers_to_its_figures():
    left, right = view(), view()
    pair = AlignmentPair(left, right)
    state = pair.get_state()
    assert state["left"] == f"IPY_MODEL_{left.model_id}"
    assert repr(pair) == f"AlignmentPair({left!r}, {right!r})"
    with pytest.raises(ValueError, match="same figure"):
        AlignmentPair(left, left)
    with pytest.raises(TraitError, match="AlignmentView"):
        AlignmentPair(left, WEIGHTS)


# --- the palette ---------------------------------------------------------------------------

PALETTE = json.loads((ROOT / "src/seq2seq_attention/palette.json").read_text())
CSS = (ROOT / "src/seq2seq_attention/widgets/base.css").read_text()


def linear(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def contrast(a: str, b: str) -> float:
    """WCAG contrast ratio of two colours."""
    low, high = sorted(np.dot([0.2126, 0.7152, 0.0722], linear(c)) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_palette_is_readable_as_text(theme):
    colours = PALETTE[theme]
    for name in set(colours) - {"background", "surface", "ramp_low", "ramp_high", "ramp_text"}:
        for ground in ("background", "surface"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    assert contrast(colours["ramp_text"], colours["ramp_high"]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figure_uses_the_palette(theme):
    start = CSS.index(".att {" if theme == "light" else '.att[data-att-theme="dark"]')
    block = CSS[start : CSS.index("}", start)]
    used = dict(re.findall(r"--att-([\w-]+): (#\w{6});", block))
    used["ramp_text"] = used.pop("on-high")
    for name, colour in used.items():
        assert colour == PALETTE[theme][name.replace("-", "_")], name
    assert {"source", "target", "encoder", "decoder", "vanilla", "attention", "gold"} <= set(used)
    assert {"ramp-low", "ramp-high"} <= set(used)


@pytest.mark.parametrize("path", sorted(bundle.HERE.glob("*.js")), ids=lambda path: path.stem)
def test_a_module_imports_just_what_it_uses_of_the_shared_code(path):
    names = re.findall(
        r"^export (?:const|function) (\w+)", (bundle.HERE / "base.js").read_text(), re.M
    )
    own = path.read_text("utf-8")
    found = bundle.IMPORT.search(own)
    if found:
        listed = re.findall(r"\w+", found[0].split("{")[1].split("}")[0])
        code = re.sub(r"//.*|/\*[\s\S]*?\*/", "", bundle.IMPORT.sub("", own))
        code = re.sub(r'"[^"\n]*"', '""', code).replace("...", " ")
        used = [name for name in names if re.search(rf"(?<![\w.$]){name}\b(?!:)", code)]
        assert sorted(listed) == sorted(used)


def test_the_translator_imports_just_what_it_uses_of_the_other_files():
    own = (bundle.HERE / "translator.js").read_text("utf-8")
    code = re.sub(r"//.*|/\*[\s\S]*?\*/", "", bundle.SHARED.sub("", own))
    for found in bundle.SHARED.finditer(own):
        if found[1] in ("forward", "oracle"):
            listed = re.findall(r"\w+", found[0].split("{")[1].split("}")[0])
            text = (bundle.HERE / f"{found[1]}.js").read_text("utf-8")
            names = re.findall(r"^export (?:const|function\*?) (\w+)", text, re.M)
            assert listed and set(listed) <= set(names)
            used = [name for name in names if re.search(rf"(?<![\w.$]){name}\(", code)]
            assert sorted(listed) == sorted(used)


def test_modules_are_joined_with_what_they_share():
    text = bundle.module("alignment")
    assert "import " not in re.sub(r"//.*|/\*.*?\*/", "", text) and "export default" in text
    with pytest.raises(ValueError, match=r"pair\.js imports base\.js 0 times, not once"):
        bundle.module("pair")
