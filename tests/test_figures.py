"""figures: each draws what it is given, and refuses what doesn't fit."""

import matplotlib
import pytest
import torch
from matplotlib import pyplot as plt

from seq2seq_attention import figures
from seq2seq_attention.data import number_pair
from seq2seq_attention.evaluate import LengthBin

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
    assert len(ax.patches) == WEIGHTS.numel()
    assert len(ax.lines) == 2 * len(PAIR.alignment)  # each ring has a rim
    areas = [p.get_width() * p.get_height() for p in ax.patches]
    torch.testing.assert_close(torch.tensor(areas).reshape(3, 2) / 0.94**2, WEIGHTS)
    assert texts(fig) == [*PAIR.src, *PAIR.tgt]


def test_length_curves_show_mean_band_and_live_run():
    other = [b._replace(accuracy=b.accuracy / 2) for b in BINS]
    fig = figures.length_curves({"vanilla": [BINS, other]}, live={"vanilla": BINS})
    mean, live = fig.axes[0].lines
    assert mean.get_ydata().tolist() == [75.0, 37.5] and list(live.get_ydata()) == [100, 50]
    assert len(fig.axes[0].collections) == 1


def test_the_other_figures_draw(batch, vocabs):
    figures.matrix(WEIGHTS, PAIR.tgt, PAIR.src, diverging=True)
    figures.states_heatmap(torch.zeros(2, 5), PAIR.src)
    figures.bars(["a", "b"], [0.5, 0.1], "p", reference=0.3, reference_label="chance")
    figures.curves({"x": ([1, 2], [3, 4]), "y": ([1, 2], [1, 2])}, "steps", "nats", log_y=True)
    assert len(figures.batch_grid(batch, *vocabs).axes) == 3
    for attention in (False, True):
        figures.encoder_decoder(PAIR.src, PAIR.tgt, attention).canvas.draw()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: figures.alignment_heatmap(WEIGHTS.T, PAIR.src, PAIR.tgt), r"\(2, 3\)"),
        (lambda: figures.matrix(WEIGHTS, ["a"], ["b"]), r"\(3, 2\)"),
        (lambda: figures.states_heatmap(WEIGHTS, ["a"]), "3 states.*1 tokens"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
