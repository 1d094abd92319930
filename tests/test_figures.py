"""figures: each draws what it is given, and refuses what doesn't fit."""

import matplotlib
import pytest
import torch
from matplotlib import pyplot as plt

from seq2seq_attention import figures
from seq2seq_attention.batch import collate
from seq2seq_attention.data import Pair, number_pair
from seq2seq_attention.evaluate import LengthBin
from seq2seq_attention.vocab import Vocab

matplotlib.use("Agg")
PAIR = number_pair(27)
WEIGHTS = torch.tensor([[0.1, 0.9], [0.5, 0.5], [1.0, 0.0]])
BINS = [LengthBin(1, 5, 10, 1.0), LengthBin(6, 10, 10, 0.5)]


@pytest.fixture(autouse=True)
def closed():
    figures.use_style()
    yield
    plt.close("all")


def texts(fig):
    return [t.get_text() for ax in fig.axes for t in (*ax.get_xticklabels(), *ax.get_yticklabels())]


def test_alignment_heatmap_has_a_square_a_cell_and_a_ring_a_link():
    fig = figures.alignment_heatmap(WEIGHTS, PAIR.src, PAIR.tgt, PAIR.alignment)
    (ax,) = fig.axes
    assert len(ax.patches) == WEIGHTS.numel() and len(ax.lines) == len(PAIR.alignment)
    drawn = torch.full_like(WEIGHTS, -1)  # row = height on the page, column = place across
    for p in ax.patches:
        t, s = p.get_y() + p.get_height() / 2, p.get_x() + p.get_width() / 2
        drawn[round(t), round(s)] = p.get_width() * p.get_height() / 0.94**2
    torch.testing.assert_close(drawn, WEIGHTS)
    rings = {(*line.get_ydata(), *line.get_xdata()) for line in ax.lines}
    assert rings == PAIR.alignment, "links are (t, s): target down, source across"
    assert ax.yaxis_inverted() and not ax.xaxis_inverted(), "the first target token is on top"
    assert texts(fig) == [*PAIR.src, *PAIR.tgt]


def test_states_heatmap_keeps_the_order_of_tokens_and_units():
    states = torch.arange(6).reshape(2, 3) / 6
    ax = figures.states_heatmap(states, PAIR.src).axes[0]
    assert ax.collections[0].get_array().tolist() == states.T.tolist()
    assert [t.get_text() for t in ax.get_xticklabels()] == [*PAIR.src]
    assert not ax.xaxis_inverted()


def test_position_maps_share_one_scale_round_zero():
    small, large = torch.arange(6).reshape(2, 3) / 6, -torch.ones(4, 2)
    first, second = figures.position_maps({"a": small, "b": large}).axes[:2]
    assert first.collections[0].get_array().tolist() == small.tolist()
    assert second.collections[0].get_array().tolist() == large.tolist()
    assert [ax.collections[0].get_clim() for ax in (first, second)] == [(-1, 1), (-1, 1)]
    assert [ax.get_title() for ax in (first, second)] == ["a", "b"]
    assert first.yaxis_inverted() and not first.xaxis_inverted(), "place 0 is on top"


def test_batch_grid_writes_every_token(batch, vocabs):
    src, tgt = vocabs
    fig = figures.batch_grid(batch, src, tgt)
    parts = [(batch.src_ids, src), (batch.tgt_in, tgt), (batch.tgt_out, tgt)]
    for ax, (ids, vocab) in zip(fig.axes, parts, strict=True):
        written = [t.get_text() for t in ax.texts]
        assert written == [vocab.tokens[i] for i in ids.flatten().tolist()]


def test_a_token_with_dollars_is_not_mathematics():
    word = r"$\word$"  # as mathematics it could not be drawn
    pair, vocab = Pair((word,), (word,)), Vocab([word])
    figures.alignment_heatmap(torch.ones(1, 1), pair.src, pair.tgt).canvas.draw()
    figures.states_heatmap(torch.ones(1, 2), pair.src).canvas.draw()
    figures.batch_grid(collate([pair], vocab, vocab), vocab, vocab).canvas.draw()
    figures.encoder_decoder(pair.src, pair.tgt).canvas.draw()


def test_length_curves_show_mean_band_and_live_run():
    other = [b._replace(accuracy=b.accuracy / 2) for b in BINS]
    fig = figures.length_curves({"vanilla": [BINS, other]}, live={"vanilla": BINS})
    mean, live = fig.axes[0].lines
    assert mean.get_ydata().tolist() == [75.0, 37.5] and list(live.get_ydata()) == [100, 50]
    (band,) = fig.axes[0].collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert corners == {(0, 50), (0, 100), (1, 25), (1, 50)}, "lowest to highest"


def test_the_other_figures_draw():
    figures.matrix(WEIGHTS, PAIR.tgt, PAIR.src, diverging=True)
    figures.bars(["a", "b"], [0.5, 0.1], "p", reference=0.3, reference_label="chance")
    figures.curves({"x": ([1, 2], [3, 4]), "y": ([1, 2], [1, 2])}, "steps", "nats", log_y=True)
    for attention in (False, True):
        figures.encoder_decoder(PAIR.src, PAIR.tgt, attention).canvas.draw()


def heatmap(weights=WEIGHTS, src=PAIR.src, tgt=PAIR.tgt, gold=None):
    return figures.alignment_heatmap(weights, src, tgt, gold)


OTHER_BINS = [LengthBin(1, 5, 10, 1.0), LengthBin(6, 11, 10, 0.5)]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: heatmap(WEIGHTS.T), r"\(2, 3\)"),
        (lambda: heatmap(torch.full((3, 3), 0.3)), r"\(3, 2\), got \(3, 3\)"),
        (lambda: heatmap(torch.full((2, 2), 0.5)), r"\(3, 2\), got \(2, 2\)"),
        (lambda: heatmap(WEIGHTS.log().sqrt()), "0 to 1.*nan"),
        (lambda: heatmap(WEIGHTS - 0.1), "0 to 1.*-0.1"),
        (lambda: heatmap(WEIGHTS + 0.1), "0 to 1.*1.1"),
        (lambda: heatmap(gold={(3, 0)}), "t=3, s=0"),
        (lambda: heatmap(gold={(0, 2)}), "t=0, s=2"),
        (lambda: heatmap(gold={(-1, 0)}), "t=-1, s=0"),
        (lambda: figures.bars(["a", "b"], [1.0], "p"), r"\(2,\).*\(1,\)"),
        (lambda: figures.bars(["a"], [1.0, 2.0], "p"), r"\(1,\).*\(2,\)"),
        (lambda: figures.length_curves({"x": [BINS, OTHER_BINS]}), "same ranges"),
        (lambda: figures.length_curves({"x": [BINS], "y": [OTHER_BINS]}), "same ranges"),
        (lambda: figures.length_curves({"x": [BINS]}, live={"x": OTHER_BINS}), "same ranges"),
        (lambda: figures.length_curves({"x": [BINS]}, live={"x": BINS[:1]}), "same ranges"),
        (lambda: figures.matrix(WEIGHTS, ["a"], ["b"]), r"\(3, 2\)"),
        (lambda: figures.states_heatmap(WEIGHTS, ["a"]), "3 states.*1 tokens"),
        (lambda: figures.position_maps({}), "at least one"),
        (lambda: figures.position_maps({"a": WEIGHTS[0]}), r"a: .*\(2,\)"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_sentence_is_not_one_string(side):
    with pytest.raises(TypeError, match=f"{side}.*one string 'abc'"):
        heatmap(torch.full((3, 3), 0.3), **{"src": tuple("abc"), "tgt": tuple("abc"), side: "abc"})


def test_bands_draw_mean_and_extremes():
    rows = [[1.0, 2.0, 4.0], [3.0, 2.0, 8.0]]
    fig = figures.bands({"a": ([1, 2, 4], rows)}, "x", "y", live=([1, 2, 4], [2, 2, 2]), log_x=True)
    (ax,) = fig.axes
    assert list(ax.lines[0].get_ydata()) == [2, 2, 6]
    area = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert area.min() == 1 and area.max() == 8
    assert ax.get_title() == "mean of 2 seeds; band: lowest to highest"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "your run"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "2", "4"]
    for rows in ([], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="a: 3 places"):
            figures.bands({"a": ([1, 2, 4], rows)}, "x", "y")


def test_step_graphs_put_each_result_at_the_height_of_its_step():
    needs = {"h_1": ["x_1"], "h_2": ["h_1", "x_2"]}
    steps = {"x_1": 0, "x_2": 0, "h_1": 1, "h_2": 2}
    fig = figures.step_graphs({"chain": (needs, steps), "flat": ({}, {"x_1": 0})})
    chain, flat = fig.axes
    assert (chain.get_title(), flat.get_title()) == ("chain", "flat")
    at = {text.get_text(): text.get_position() for text in chain.texts}
    labels = [tick.get_text() for tick in chain.get_yticklabels()]
    height = dict(zip(labels, chain.get_yticks(), strict=True))
    assert at == {
        "$x_{1}$": (1, height["0"]), "$x_{2}$": (2, height["0"]),
        "$h_{1}$": (1, height["1"]), "$h_{2}$": (2, height["2"]),
    }  # fmt: skip
    drawn = {tuple(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in chain.lines}
    assert drawn == {
        (at[f"${a}$"], at[f"${b}$"])
        for a, b in [("x_{1}", "h_{1}"), ("h_{1}", "h_{2}"), ("x_{2}", "h_{2}")]
    }
    widths = sorted(line.get_linewidth() for line in chain.lines)
    assert widths[-1] > widths[-2] == widths[0], "the arrow from h to h stands out"


def test_step_graphs_refuse_what_has_no_place():
    with pytest.raises(ValueError, match="no graph"):
        figures.step_graphs({})
    with pytest.raises(ValueError, match=r"chain: the nodes \['x_1'\] have no step"):
        figures.step_graphs({"chain": ({"h_1": ["x_1"]}, {"h_1": 1})})
    with pytest.raises(ValueError, match="named like h_3, .* got 'last'"):
        figures.step_graphs({"chain": ({}, {"last": 0})})


def test_spread_curves_show_medians_and_the_middle_half():
    rows = [[1.0, 2.0, 3.0, 4.0, 100.0], [10.0, 10.0, 10.0, 10.0, 10.0]]
    fig = figures.spread_curves({"a": ([8, 64], rows)}, "n", "ratio", 1.0, "equal")
    (ax,) = fig.axes
    median, reference = ax.lines
    assert list(median.get_xdata()) == [8, 64] and list(median.get_ydata()) == [3, 10]
    assert list(reference.get_ydata()) == [1, 1]
    (band,) = ax.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert corners == {(8, 2), (8, 4), (64, 10)}
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["8", "64"]


def test_spread_curves_refuse_readings_that_do_not_fit():
    with pytest.raises(ValueError, match="a: 2 places cannot go with 1 rows"):
        figures.spread_curves({"a": ([1, 2], [[1.0]])}, "", "")
    for row in ([], [0.0], [1.0, -1.0]):
        with pytest.raises(ValueError, match="a: each place needs readings above 0"):
            figures.spread_curves({"a": ([1], [row])}, "", "")


def test_many_length_curves_say_once_what_line_and_band_are():
    table = [LengthBin(1, 5, 10, 0.5), LengthBin(6, 10, 10, 0.25)]
    equal = {name: [table, table] for name in ("a", "b", "c")}
    (ax,) = figures.length_curves(equal).axes
    assert ax.get_title() == "mean of 2 seeds; band: lowest to highest"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b", "c"]
    (ax,) = figures.length_curves(equal | {"c": [table]}).axes
    assert ax.get_title() == "mean of the seeds; band: lowest to highest"
    assert [t.get_text() for t in ax.get_legend().get_texts()][1:] == ["b (2 seeds)", "c (1 seed)"]


def test_seed_points_have_a_mark_a_run_and_a_dash_a_mean():
    groups = {"first": {"a": [1.0, 3.0], "b": [4.0]}, "second": {"a": [5.0], "b": [6.0, 8.0]}}
    fig = figures.seed_points(groups, "y", live={"second": {"b": 9.0}})
    (ax,) = fig.axes
    marks = [line for line in ax.lines if line.get_linestyle() == "None"]
    seen = sorted(y for line in marks for y in line.get_ydata())
    assert seen == [1, 3, 4, 5, 6, 8, 9]
    dashes = [line.get_ydata()[0] for line in ax.lines if line not in marks]
    assert dashes == [2, 4, 5, 7]
    assert texts(fig)[:2] == ["a", "b"]
    first, second = (next(x for line in marks for x, y in zip(*line.get_data(), strict=True)
                          if y == value) for value in (4.0, 9.0))  # fmt: skip
    assert round(first) == round(second) == 1 and first < second, "side by side in column b"


@pytest.mark.parametrize(
    "groups", [{}, {"x": {"a": [1]}, "y": {"b": [1]}}, {"x": {"a": []}}, {"x": {}}]
)
def test_seed_points_refuse_what_does_not_fit(groups):
    with pytest.raises(ValueError, match="labels|no values"):
        figures.seed_points(groups, "y")
