"""The Python side of BatchView and LengthView: what travels to the page, and what is refused."""

from __future__ import annotations

import json

import pytest
from traitlets import TraitError

from seq2seq_attention import figures
from seq2seq_attention.batch import collate
from seq2seq_attention.recipes import RECIPES
from seq2seq_attention.results import load_results
from seq2seq_attention.widgets import BatchView, LengthView


def test_a_batch_shows_the_ids_of_the_batch(pairs, vocabs):
    figure, batch = BatchView(pairs, *vocabs), collate(pairs, *vocabs)
    for name, ids, valid in [
        ("src", batch.src_ids, batch.src_valid),
        ("tgt_in", batch.tgt_in, batch.tgt_valid),
        ("tgt_out", batch.tgt_out, batch.tgt_valid),
    ]:
        for row, numbers, real in zip(getattr(figure, name), ids, valid, strict=True):
            assert [i for _, i in row] == numbers[real].tolist()
    assert [token for token, _ in figure.tgt_in[0]] == ["<sos>", *pairs[0].tgt]
    assert [token for token, _ in figure.tgt_out[0]] == [*pairs[0].tgt, "<eos>"]
    assert figure.pad == ["<pad>", 0]
    assert repr(figure) == f"BatchView({len(pairs)} sentences, source)"


def test_a_batch_of_wrong_size_is_refused(pairs, vocabs):
    for wrong in ([], pairs * 4):
        with pytest.raises(ValueError, match=f"from 1 to 32 sentences, got {len(wrong)}"):
            BatchView(wrong, *vocabs)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("groups", 0, "groups is 0, but must be from 1 to 11"),
        ("groups", 12, "groups is 12"),
        ("focus", (11, 0), "a sentence from 0 to 10"),
        ("focus", (0, -1), r"focus is \(0, -1\)"),
    ],
)
def test_a_place_outside_the_batch_is_refused(pairs, vocabs, name, value, message):
    figure = BatchView(pairs, *vocabs)
    with pytest.raises(ValueError, match=message):
        setattr(figure, name, value)
    figure.focus = (10, 3)
    figure.focus = None
    with pytest.raises(TraitError):
        figure.show = "words"


ROWS = [[low, high, n, 0.5] for low, high, n, _ in load_results("length")[0]["by_length"]]


def run(model="vanilla", seed=0, hidden=128, rows=((1, 5, 10, 1.0), (6, 10, 20, 0.25)), **more):
    config = {"model": {"hidden_size": hidden}}
    made = {"model": model, "seed": seed, "parameters": 7, "by_length": rows, "config": config}
    return made | more


def test_runs_become_a_curve_a_model_and_hidden_size():
    wide = run("vanilla, 64 wide", hidden=64), run("vanilla, 16 wide", hidden=16)
    figure = LengthView([run(), run(seed=1), *wide, run("attention")])
    assert figure.bins == [[1, 5, 10], [6, 10, 20]]
    assert [(one["model"], one["hidden"], one["seeds"]) for one in figure.series] == [
        ("vanilla", 128, [0, 1]),
        ("vanilla", 16, [0]),
        ("vanilla", 64, [0]),
        ("attention", 128, [0]),
    ]
    assert figure.series[0]["right"] == [[10, 5], [10, 5]]
    assert figure.shown == ["vanilla", "attention"] and figure.widths["vanilla"] == 128
    assert figure.position == 1 and "4 curves" in repr(figure)


def test_stored_results_fit_and_are_small():
    figure = LengthView(load_results("length"))
    assert len(figure.series) == len(RECIPES)
    assert all(len(one["seeds"]) >= 5 for one in figure.series)
    assert len(json.dumps([figure.series, figure.bins])) < 3000


def test_a_curve_looks_as_in_the_drawn_figures_and_like_no_other():
    figure = LengthView([*load_results("length"), run("GRU of mine", rows=ROWS)])
    for name, (colour, line) in figure.look.items():
        style = next((style for key, style in figures.STYLES.items() if key in name), None)
        if style:
            assert [figures.PALETTE[colour], line] == [style["color"], style["linestyle"]]
    assert len({tuple(look) for look in figure.look.values()}) == len(RECIPES) + 1


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "runs is empty"),
        ([run(), run()], "'vanilla', 128 wide, has the seed 0 twice"),
        ([run(), run(seed=1, rows=[(1, 5, 9, 1.0)])], r"has the groups \[\[1, 5, 9\]\]"),
        ([run(rows=[(1, 5, 9, 1.5)])], "accuracy 1.5 at 1 to 5 words"),
        ([{"model": "vanilla", "seed": 0}], "'vanilla' lacks parameters, by_length, config"),
    ],
)
def test_runs_that_make_no_curve_are_refused(runs, message):
    with pytest.raises(ValueError, match=message):
        LengthView(runs)


def test_unknown_models_sizes_and_positions_are_refused():
    with pytest.raises(ValueError, match="no model 'gpt', only vanilla"):
        LengthView([run()], models=["gpt"])
    figure = LengthView([run()])
    with pytest.raises(ValueError, match=r"no hidden size 5, only \[128\]"):
        figure.widths = {"vanilla": 5}
    with pytest.raises(ValueError, match="position is 2, but must be from 0 to 1"):
        figure.position = 2
    figure.widths = {"vanilla": 0}
