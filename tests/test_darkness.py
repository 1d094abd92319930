"""The renderings for dark pages: every colour exchanged, nothing else changed."""

from __future__ import annotations

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from PIL import Image

from seq2seq_attention import darkness, figures


def luminance(color: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@pytest.mark.parametrize("key", [key for key in darkness.LIGHT if key != "ramp_text"])
def test_the_palettes_own_colours_have_their_own_counterparts(key):
    assert to_hex(darkness.recolor(darkness.LIGHT[key])) == darkness.DARK[key]


def test_the_ramp_keeps_its_order_and_alpha_stays():
    light = darkness.ramp(darkness.LIGHT)
    values = [luminance(darkness.recolor(light(w))) for w in np.linspace(0, 1, 21)]
    assert values == sorted(values)
    assert darkness.recolor((0, 0, 0, 0.25))[3] == 0.25


@pytest.mark.parametrize("color", ["black", "#333333", "tab:blue", "tab:red", "purple"])
def test_what_reads_on_white_reads_on_the_dark_page(color):
    dark = to_hex(darkness.recolor(color))
    wanted = min(3.0, contrast(color, "white"))
    assert contrast(dark, darkness.DARK["background"]) >= wanted


def test_oklab_goes_there_and_back():
    colors = np.random.default_rng(0).random((100, 3))
    assert np.allclose(darkness.srgb(darkness.oklab(colors)), colors, atol=1e-5)


def test_a_figure_of_every_kind_of_artist(monkeypatch):
    figures.use_style()
    fig, axes = plt.subplots(2, 3, layout="none")  # the usual one moves with every drawing
    axes[0, 0].plot([1, 2], [1, 2], "o-", mfc="none", color=darkness.LIGHT["source"], label="a")
    axes[0, 0].fill_between([1, 2], [0, 1], [1, 2], color="black", alpha=0.2)
    axes[0, 0].legend()
    axes[0, 1].bar([1, 2], [1, 2], color=darkness.LIGHT["target"])
    axes[0, 2].imshow(np.eye(3), cmap="PuOr")
    axes[1, 0].pcolormesh(np.eye(3), cmap=figures.WEIGHTS_MAP)
    axes[1, 1].scatter([1, 2], [1, 2], c=[0.1, 0.9], edgecolors="black")
    axes[1, 2].text(0, 0, "x", bbox={"facecolor": "white"})
    for _ in range(3):  # the first drawings still move things
        fig.savefig(io.BytesIO(), format="png")
    before = io.BytesIO()
    fig.savefig(before, format="png")
    numbers, manager = plt.get_fignums(), fig.canvas.manager
    dark = pixels(base64.b64decode(darkness.dark_png(fig)))
    assert plt.get_fignums() == numbers and fig.canvas.manager is manager
    after = io.BytesIO()
    fig.savefig(after, format="png")
    assert before.getvalue() == after.getvalue(), "the figure itself has changed"
    axes[0, 1].annotate("x", (1, 1), (2, 2), arrowprops={"color": "black"})  # moves by itself
    dark = pixels(base64.b64decode(darkness.dark_png(fig)))
    page = np.array([int(darkness.DARK["background"][i : i + 2], 16) for i in (1, 3, 5)])
    assert (dark[0, 0] == page).all()
    white = (dark.astype(int).min(-1) > 250).mean()
    assert white < 0.001, "something stayed white"


def test_only_the_build_gets_a_second_picture(monkeypatch):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        monkeypatch.delenv("BOOK_BUILD", raising=False)
        darkness.offer()
        fig, _ = plt.subplots()
        assert darkness.MIME not in shell.display_formatter.format(fig)[1]
        monkeypatch.setenv("BOOK_BUILD", "1")
        darkness.offer()
        data, metadata = shell.display_formatter.format(fig)
        assert base64.b64decode(metadata[darkness.MIME]).startswith(b"\x89PNG")
        assert darkness.MIME not in data
        assert darkness.MIME not in shell.display_formatter.format("text")[1]
    finally:
        InteractiveShell.clear_instance()
