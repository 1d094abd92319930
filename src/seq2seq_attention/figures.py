"""Every drawn figure. Each function returns the Matplotlib figure and draws nothing else.

Colours come from palette.json, which the live figures read too: source blue, target
vermilion, encoder teal, decoder ochre, attention violet, gold green, vanilla grey.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
import torch
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from torch import Tensor

from . import darkness
from .batch import Batch
from .evaluate import LengthBin
from .vocab import Vocab

PALETTE: dict[str, str] = darkness.LIGHT
WEIGHTS_MAP = darkness.ramp(PALETTE)
STYLES: dict[str, dict[str, Any]] = {  # the first key found in a curve's name decides
    key: {"color": PALETTE[look["color"]], "linestyle": look["line"], "marker": look["marker"]}
    for key, look in darkness.CURVES.items()
}


def use_style() -> None:
    """Set the book's look for all following figures."""
    darkness.offer()
    sns.set_theme(
        context="notebook",
        style="whitegrid",
        rc={
            "figure.figsize": (7.2, 3.6),
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.edgecolor": PALETTE["muted"],
            "axes.labelcolor": PALETTE["ink"],
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": 12,
            "font.family": "DejaVu Sans",
            "grid.color": "#e4e6ea",
            "text.color": PALETTE["ink"],
            "xtick.color": PALETTE["ink"],
            "ytick.color": PALETTE["ink"],
        },
    )


def _array(values: Tensor | np.ndarray | Sequence[Any]) -> np.ndarray:
    return values.detach().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)


def _plain(token: str) -> str:
    """A token so that it is drawn as it is: Matplotlib takes `$...$` for mathematics."""
    return token.replace("$", r"\$")


def alignment_heatmap(
    weights: Tensor | np.ndarray,
    src: Sequence[str],
    tgt: Sequence[str],
    gold: frozenset[tuple[int, int]] | None = None,
    title: str = "",
) -> Figure:
    """Attention weights as squares, darker and larger with the weight; gold links as rings.

    Args:
        weights: (T, S), each from 0 to 1.
        src: S source tokens, left to right.
        tgt: T target tokens, top to bottom.
        gold: links (t, s) to mark, or None.

    Raises:
        ValueError: the weights don't fit the tokens, one is not from 0 to 1 (NaN included),
            or a link points outside the sentences.
        TypeError: `src` or `tgt` is one string; split it into tokens first.
    """
    for name, tokens in (("src", src), ("tgt", tgt)):
        if isinstance(tokens, str):
            raise TypeError(f"{name} must be a sequence of tokens, got the one string {tokens!r}")
    alpha = _array(weights)
    if alpha.shape != (len(tgt), len(src)):
        raise ValueError(f"weights must be ({len(tgt)}, {len(src)}), got {alpha.shape}")
    wrong = alpha[~((alpha >= -1e-4) & (alpha <= 1 + 1e-4))]  # sums of floats are inexact
    if wrong.size:
        raise ValueError(f"weights must be from 0 to 1, got {wrong[0]}")
    for t, s in gold or ():
        if not (0 <= t < len(tgt) and 0 <= s < len(src)):
            raise ValueError(
                f"link (t={t}, s={s}) is outside {len(tgt)} target and {len(src)} source tokens"
            )
    fig, ax = plt.subplots(figsize=(1.8 + 0.36 * len(src), 1.5 + 0.3 * len(tgt)))
    for t, row in enumerate(alpha):
        for s, weight in enumerate(row):
            side = 0.94 * max(float(weight), 0.0) ** 0.5
            ax.add_patch(
                Rectangle(
                    (s - side / 2, t - side / 2), side, side, color=WEIGHTS_MAP(float(weight))
                )
            )
    for t, s in sorted(gold or ()):
        halo = [patheffects.withStroke(linewidth=3.6, foreground="white")]
        ax.plot(s, t, "o", ms=13, mfc="none", mec=PALETTE["gold"], mew=1.6, path_effects=halo)
    ax.set(xlim=(-0.5, len(src) - 0.5), ylim=(len(tgt) - 0.5, -0.5), aspect="equal", title=title)
    ax.set_xticks(
        range(len(src)), [*map(_plain, src)], rotation=60, ha="left", rotation_mode="anchor"
    )
    ax.set_yticks(range(len(tgt)), [*map(_plain, tgt)])
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    for label in ax.get_xticklabels():
        label.set_color(PALETTE["source"])
    for label in ax.get_yticklabels():
        label.set_color(PALETTE["target"])
    ax.grid(False)
    sns.despine(ax=ax, left=True, bottom=True)
    return fig


def matrix(
    values: Tensor | np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    fmt: str = ".2f",
    diverging: bool = False,
) -> Figure:
    """A small table of numbers, coloured and written out.

    Raises:
        ValueError: the values don't fit the labels.
    """
    table = _array(values)
    if table.shape != (len(rows), len(columns)):
        raise ValueError(f"values must be ({len(rows)}, {len(columns)}), got {table.shape}")
    size = (2.0 + 0.62 * len(columns), 1.3 + 0.36 * len(rows))
    fig, ax = plt.subplots(figsize=size)
    limit = float(np.abs(table).max()) or 1.0
    scale = {"cmap": "PuOr", "vmin": -limit, "vmax": limit} if diverging else {"cmap": WEIGHTS_MAP}
    sns.heatmap(
        table, annot=True, fmt=fmt, cbar=False, xticklabels=columns, yticklabels=rows, ax=ax,
        linewidths=1, annot_kws={"size": 9}, **scale,
    )  # fmt: skip
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.tick_params(axis="y", rotation=0)
    return fig


def states_heatmap(
    states: Tensor | np.ndarray, tokens: Sequence[str], title: str = "", ylabel: str = "unit"
) -> Figure:
    """Recurrent states over time: one column a token, one row a unit, −1 to 1.

    Raises:
        ValueError: there are not as many states as tokens.
    """
    table = _array(states)
    if table.shape[0] != len(tokens):
        raise ValueError(f"{table.shape[0]} states cannot go with {len(tokens)} tokens")
    fig, ax = plt.subplots(figsize=(1.8 + 0.62 * len(tokens), 3.4))
    sns.heatmap(
        table.T, cmap="PuOr", vmin=-1, vmax=1, xticklabels=[*map(_plain, tokens)],
        yticklabels=False, ax=ax, cbar_kws={"label": "activation"},
    )  # fmt: skip
    ax.set(ylabel=ylabel, title=title)
    ax.tick_params(axis="x", rotation=45)
    return fig


def position_maps(tables: Mapping[str, Tensor | np.ndarray]) -> Figure:
    """Position vectors side by side: one row a place, from the top, one column a number.

    All share one scale, as far below 0 as above, up to the largest number of all.

    Args:
        tables: for each title one (places, D).

    Raises:
        ValueError: there is no table, or one isn't a matrix.
    """
    arrays = {title: _array(table) for title, table in tables.items()}
    if not arrays:
        raise ValueError("there must be at least one table of positions, got none")
    for title, array in arrays.items():
        if array.ndim != 2:
            raise ValueError(f"{title}: expected (places, D), got {array.shape}")
    limit = max(float(np.abs(array).max()) for array in arrays.values())
    fig, axes = plt.subplots(1, len(arrays), figsize=(0.4 + 4.2 * len(arrays), 3.4), squeeze=False)
    for ax, (title, array) in zip(axes[0], arrays.items(), strict=True):
        sns.heatmap(
            array, cmap="PuOr", vmin=-limit, vmax=limit, ax=ax, cbar=ax is axes[0, -1],
            xticklabels=8, yticklabels=4,
        )  # fmt: skip
        ax.set(title=title, xlabel="number in the vector")
        ax.tick_params(axis="both", rotation=0)
    axes[0, 0].set_ylabel("place")
    return fig


def bars(
    labels: Sequence[str],
    values: Tensor | Sequence[float],
    ylabel: str,
    title: str = "",
    color: str = "target",
    reference: float | None = None,
    reference_label: str = "",
) -> Figure:
    """One bar a label, and a dashed line at `reference`.

    Raises:
        ValueError: there are not as many values as labels.
    """
    heights = _array(values)
    if heights.shape != (len(labels),):
        raise ValueError(f"values must be ({len(labels)},), one a label, got {heights.shape}")
    fig, ax = plt.subplots(figsize=(max(4.5, 1.6 + 0.42 * len(labels)), 3.2))
    ax.bar(range(len(labels)), heights, color=PALETTE[color], width=0.7)
    ax.set_xticks(range(len(labels)), labels, rotation=45 if len(labels) > 8 else 0)
    if reference is not None:
        ax.axhline(reference, color=PALETTE["ink"], ls="--", lw=1, label=reference_label)
        ax.legend(frameon=False)
    ax.set(ylabel=ylabel, title=title)
    ax.grid(axis="x", visible=False)
    return fig


def curves(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
    title: str = "",
    reference: float | None = None,
    reference_label: str = "",
    log_y: bool = False,
) -> Figure:
    """Named lines (x, y), told apart by colour, dash and marker."""
    fig, ax = plt.subplots()
    colors = ["attention", "target", "source", "encoder", "decoder", "vanilla"]
    marks, dashes = "osv^DP", ["-", "--", "-.", ":"]
    for i, (name, (x, y)) in enumerate(lines.items()):
        marker = marks[i % 6] if len(x) <= 40 else None
        ax.plot(
            x, y, label=name, color=PALETTE[colors[i % 6]], ls=dashes[i % 4], marker=marker, ms=5
        )
    if reference is not None:
        ax.axhline(reference, color=PALETTE["muted"], ls=":", lw=1.2, label=reference_label)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if log_y:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    if len(lines) > 1 or reference is not None:
        ax.legend(frameon=False)
    return fig


def bands(
    lines: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]]]],
    xlabel: str,
    ylabel: str,
    live: tuple[Sequence[float], Sequence[float]] | None = None,
    log_x: bool = False,
    log_y: bool = False,
    reference: float | None = None,
    reference_label: str = "",
) -> Figure:
    """Runs from several seeds: for each name the mean line and a band from lowest to highest.

    Args:
        lines: for each name the places x, and for each seed its values there.
        live: the run that the reader has just made, drawn as hollow marks.

    Raises:
        ValueError: a seed has not one value a place.
    """
    for name, (x, rows) in lines.items():
        if not rows or any(len(row) != len(x) for row in rows):
            sizes = [len(row) for row in rows]
            raise ValueError(f"{name}: {len(x)} places cannot go with rows of {sizes} values")
    means = {name: (x, np.mean(rows, axis=0)) for name, (x, rows) in lines.items()}
    fig = curves(means, xlabel, ylabel, "", reference, reference_label, log_y)
    (ax,) = fig.axes
    for line, (x, rows) in zip(ax.lines, lines.values(), strict=False):  # the reference is last
        color = line.get_color()
        ax.fill_between(x, np.min(rows, axis=0), np.max(rows, axis=0), color=color, alpha=0.2, lw=0)
    seeds = {len(rows) for _, rows in lines.values()}
    title = f"mean of {seeds.pop()} seeds; band: lowest to highest" if len(seeds) == 1 else ""
    ax.set_title(title, fontsize=10)
    if live is not None:
        ax.plot(*live, "o", ms=9, mfc="none", mew=1.6, color=PALETTE["target"], label="your run")
    if log_x:
        ax.set_xscale("log", base=2)
        ticks: list[float] = []
        for place in sorted({place for x, _ in lines.values() for place in x}):
            if not ticks or place >= 1.5 * ticks[-1]:  # else the labels touch
                ticks.append(place)
        ax.set_xticks(ticks, [f"{place:g}" for place in ticks])
        ax.minorticks_off()
    ax.autoscale(axis="y")
    if not log_y:
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    if len(lines) > 1 or live is not None or reference is not None:
        ax.legend(frameon=False)
    return fig


def length_curves(
    runs: Mapping[str, Sequence[Sequence[LengthBin]]],
    live: Mapping[str, Sequence[LengthBin]] | None = None,
    title: str = "",
) -> Figure:
    """Accuracy against source length: mean line and min–max band over seeds, live run as marks.

    Args:
        runs: for each model one table of `evaluate.by_length` a seed.
        live: the run that the reader has just made, drawn as large hollow marks.

    Raises:
        ValueError: the tables don't all have the same ranges of lengths.
    """
    every = [*itertools.chain(*runs.values()), *(live or {}).values()]
    ranges = [[(b.low, b.high) for b in table] for table in every]
    for other in ranges[1:]:
        if other != ranges[0]:
            raise ValueError(f"all runs must have the same ranges, got {ranges[0]} and {other}")
    fig, ax = plt.subplots(figsize=(7.2, 4.0))
    everything = {**runs, **{name: [table] for name, table in (live or {}).items()}}
    styles = {name: _style(name, i) for i, name in enumerate(everything)}
    labels: list[str] = []
    counts = {len(tables) for tables in runs.values()}
    said = "mean of the seeds; band: lowest to highest"
    brief = len(runs) > 2 and not title  # said once, above
    if brief and len(counts) == 1:
        said = said.replace("the seeds", f"{counts.pop()} seeds")
    title = said if brief else title
    for name, tables in runs.items():
        values = 100 * np.array([[b.accuracy for b in table] for table in tables])
        labels = [b.label for b in tables[0]]
        x, style = np.arange(len(labels)), styles[name]
        note = f" ({len(values)} seed{'s' * (len(values) > 1)})" if brief and counts else ""
        if not brief and len(values) > 1:
            note = f" (mean of {len(values)} seeds; band: lowest to highest)"
        ax.plot(x, values.mean(0), label=name + note, ms=6, **style)
        ax.fill_between(x, values.min(0), values.max(0), color=style["color"], alpha=0.18, lw=0)
    for name, table in (live or {}).items():
        labels, style = [b.label for b in table], {**styles[name], "linestyle": "none"}
        heights = [100 * b.accuracy for b in table]
        ax.plot(range(len(table)), heights, label=f"{name}, your run", ms=12, mfc="none", mew=1.8,
                **style)  # fmt: skip
    ax.set_xticks(range(len(labels)), labels)
    ax.set(xlabel="source length (words)", ylabel="exact match (%)", ylim=(-3, 104))
    ax.set_title(title, fontsize=10 if title == said else None)
    ax.legend(frameon=False, loc="lower left", fontsize=9.5)
    return fig


def _style(name: str, i: int) -> dict[str, Any]:
    for key, style in STYLES.items():
        if key in name:
            return style
    colors = ["target", "encoder", "decoder", "source", "gold"]
    return {"color": PALETTE[colors[i % 5]], "linestyle": ["-", "--", "-.", ":"][i % 4],
            "marker": "DvP^X"[i % 5]}  # fmt: skip


def batch_grid(batch: Batch, src_vocab: Vocab, tgt_vocab: Vocab) -> Figure:
    """A batch as three grids of tokens: source, decoder input, decoder output; padding hatched."""
    parts = [
        ("src_ids", batch.src_ids, batch.src_valid, src_vocab, "source"),
        ("tgt_in", batch.tgt_in, batch.tgt_valid, tgt_vocab, "decoder"),
        ("tgt_out", batch.tgt_out, batch.tgt_valid, tgt_vocab, "target"),
    ]
    rows = len(batch.src_ids)
    width = max(part[1].shape[1] for part in parts)
    fig, axes = plt.subplots(3, 1, figsize=(1.2 + 0.92 * width, 3 * (0.55 + 0.36 * rows)))
    for ax, (name, ids, valid, vocab, color) in zip(axes, parts, strict=True):
        for r in range(rows):
            for c in range(ids.shape[1]):
                real = bool(valid[r, c])
                face = PALETTE[color] if real else "#ffffff"
                ax.add_patch(
                    Rectangle((c, r), 0.96, 0.9, facecolor=face, alpha=0.18 if real else 1,
                              edgecolor="#d5d8dd", hatch=None if real else "//", lw=0)
                )  # fmt: skip
                token = _plain(vocab.tokens[int(ids[r, c])])
                shade = PALETTE["ink"] if real else PALETTE["muted"]
                ax.text(c + 0.48, r + 0.46, token, ha="center", va="center", size=8.5, color=shade)
        ax.set(xlim=(0, width), ylim=(rows, 0), xticks=[], yticks=[])
        ax.set_title(f"{name}  {tuple(ids.shape)}", loc="left", color=PALETTE[color], size=11)
        ax.grid(False)
        sns.despine(ax=ax, left=True, bottom=True)
    return fig


def encoder_decoder(src: Sequence[str], tgt: Sequence[str], attention: bool = False) -> Figure:
    """The network unrolled: encoder states, then decoder states, joined by c or by attention.

    Args:
        src: a few source tokens.
        tgt: target tokens without special tokens.
        attention: draw an arrow from every h_i to the decoder instead of the one from the last.
    """
    said, read = [*tgt, "<eos>"], ["<sos>", *tgt]
    gap = 0.9
    fig, ax = plt.subplots(figsize=(1.0 + 1.02 * (len(src) + len(said) + gap), 3.3))
    start = len(src) + gap
    for i, token in enumerate(src):
        _box(ax, i, f"$h_{{{i + 1}}}$", "encoder")
        _word(ax, i, -1.05, token, "source", up=True)
        if i:
            _arrow(ax, (i - 0.66, 0), (i - 0.34, 0), "encoder")
    for t, (token, previous) in enumerate(zip(said, read, strict=True)):
        _box(ax, start + t, f"$s_{{{t + 1}}}$", "decoder")
        _word(ax, start + t, -1.05, previous, "target", up=True)
        _word(ax, start + t, 1.05, token, "target", up=False)
        if t:
            _arrow(ax, (start + t - 0.66, 0), (start + t - 0.34, 0), "decoder")
    if attention:
        for i in range(len(src)):
            _arrow(ax, (i, 0.34), (start, 0.36), "attention", bend=-0.28)
        ax.text(start / 2 - 0.5, 1.75, "$c_t$: a mixture of all $h_i$, anew at every step",
                color=PALETTE["attention"], ha="center", size=11)  # fmt: skip
    _arrow(
        ax, (len(src) - 0.66, 0), (start - 0.34, 0), "decoder" if attention else "vanilla", lw=2.4
    )
    if not attention:
        ax.text((len(src) - 1 + start) / 2, 0.42, f"$c = h_{{{len(src)}}}$", ha="center", size=12)
    ax.set(xlim=(-0.6, start + len(said) - 0.4), ylim=(-1.5, 2.05 if attention else 1.5))
    ax.axis("off")
    return fig


def _box(ax: Axes, x: float, text: str, color: str) -> None:
    ax.add_patch(
        FancyBboxPatch((x - 0.3, -0.3), 0.6, 0.6, boxstyle="round,pad=0.02,rounding_size=0.08",
                       fc=PALETTE[color], ec="none", alpha=0.9)
    )  # fmt: skip
    ax.text(x, 0, text, color="white", ha="center", va="center", size=12)


def _word(ax: Axes, x: float, y: float, text: str, color: str, up: bool) -> None:
    ax.text(x, y, _plain(text), color=PALETTE[color], ha="center", va="center", size=10)
    ends = ((x, y + 0.2), (x, -0.36)) if up else ((x, 0.36), (x, y - 0.2))
    _arrow(ax, *ends, color)


def _arrow(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    color: str,
    bend: float = 0.0,
    lw: float = 1.3,
) -> None:
    ax.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=10, color=PALETTE[color],
                        lw=lw, connectionstyle=f"arc3,rad={bend}", shrinkA=0, shrinkB=0)
    )  # fmt: skip


def prototypes(src: Sequence[str], tgt: Sequence[str], weights: Tensor | np.ndarray) -> Figure:
    """One vector, attention and Transformer, each as it makes the last word of `tgt`.

    Args:
        src: a few source tokens.
        tgt: the target tokens said so far, without special tokens.
        weights: (S,), how much the model with attention looks at each source token now.

    Raises:
        ValueError: there are not as many weights as source tokens.
    """
    alpha = _array(weights)
    if alpha.shape != (len(src),):
        raise ValueError(f"weights must be ({len(src)},), one a source token, got {alpha.shape}")
    kinds = {"One vector (2014)": "vector", "Attention (2015)": "attention",
             "Transformer (2017)": "transformer"}  # fmt: skip
    fig, axes = plt.subplots(1, 3, figsize=(9.3, 3.7))
    for ax, (title, kind) in zip(axes, kinds.items(), strict=True):
        _encoder_side(ax, kind, src)
        _decoder_side(ax, kind, src, tgt, alpha)
        ax.set(xlim=(-0.6, max(len(src) - 0.4, len(tgt) + 0.5)), ylim=(-0.3, 4.3), title=title)
        ax.axis("off")
    return fig


def _encoder_side(ax: Axes, kind: str, src: Sequence[str]) -> None:
    last = len(src) - 1
    for i, token in enumerate(src):
        ax.text(i, 0, _plain(token), color=PALETTE["source"], ha="center", va="center", size=9)
        lost = kind == "vector" and i < last
        _node(ax, i, 0.95, f"$h_{{{i + 1}}}$", "encoder", ghost=lost)
        if kind == "transformer":
            for j in range(len(src)):
                ax.plot([j, i], [0.17, 0.72], color=PALETTE["encoder"], lw=0.8, alpha=0.45)
        else:
            _arrow(ax, (i, 0.17), (i, 0.7), "source")
            if i:
                _arrow(ax, (i - 0.68, 0.95), (i - 0.3, 0.95), "encoder")
    if kind == "vector":
        _node(ax, last / 2, 2.15, "$c$", "vanilla")
        _arrow(ax, (last, 1.18), (last / 2 + 0.1, 1.92), "vanilla", lw=2.6)
        _arrow(ax, (last / 2, 2.38), (1, 2.87), "vanilla", lw=2.6)


def _decoder_side(
    ax: Axes, kind: str, src: Sequence[str], tgt: Sequence[str], alpha: np.ndarray
) -> None:
    now = len(tgt)
    for t, token in enumerate(["<sos>", *tgt]):
        ax.text(t, 4.1, _plain(token), color=PALETTE["target"], ha="center", va="center", size=9,
                weight="bold" if t == now else "normal")  # fmt: skip
        if not t:
            continue
        _node(ax, t, 3.1, f"$s_{{{t}}}$", "decoder")
        _arrow(ax, (t + 0.1, 3.33), (t + 0.1, 3.95), "decoder")
        if kind != "transformer" and t > 1:
            _arrow(ax, (t - 0.68, 3.1), (t - 0.3, 3.1), "decoder")
        if kind != "vector":
            _node(ax, t, 2.15, f"$c_{{{t}}}$", "attention")
            _arrow(ax, (t, 2.38), (t, 2.87), "attention")
    for k in range(now) if kind == "transformer" else [now - 1]:
        _arrow(ax, (k, 3.95), (now - 0.12, 3.34), "target", lw=1.0)
    if kind == "attention" and now > 1:  # the state before asks
        _arrow(ax, (now - 0.8, 2.87), (now - 0.22, 2.4), "decoder", lw=0.8)
    if kind != "vector":
        for i in range(len(src)):
            width = 9 * alpha[i] + 0.5 if kind == "attention" else 1.0
            ax.plot([i, now], [1.18, 1.93], color=PALETTE["attention"], lw=width, alpha=0.65,
                    solid_capstyle="butt")  # fmt: skip


def _node(ax: Axes, x: float, y: float, text: str, color: str, ghost: bool = False) -> None:
    ax.add_patch(
        FancyBboxPatch((x - 0.25, y - 0.2), 0.5, 0.4, boxstyle="round,pad=0.02,rounding_size=0.08",
                       fc=PALETTE["background" if ghost else color], ec=PALETTE[color], lw=1,
                       ls=(0, (2, 2)) if ghost else "-", zorder=3)
    )  # fmt: skip
    shade = PALETTE[color] if ghost else "white"
    ax.text(x, y, text, color=shade, ha="center", va="center", size=10, zorder=4)


def step_graphs(
    graphs: Mapping[str, tuple[Mapping[str, Sequence[str]], Mapping[str, int]]],
) -> Figure:
    """What needs what, side by side: each result as high as the step in which it can be ready.

    Args:
        graphs: for each title what every result needs, and the step of every node, inputs
            (step 0) included. A node is named like `h_3` and stands in column 3.

    Raises:
        ValueError: there is no graph, or a node has no step, or a name no column.
    """
    if not graphs:
        raise ValueError("there is no graph to draw")
    top = max((step for _, steps in graphs.values() for step in steps.values()), default=0)
    fig, axes = plt.subplots(1, len(graphs), figsize=(3.2 * len(graphs), 1.2 + 0.52 * top),
                             squeeze=False, sharey=True)  # fmt: skip
    for ax, (title, (needs, steps)) in zip(axes[0], graphs.items(), strict=True):
        places = {node: (_column(node), 0.8 * step) for node, step in steps.items()}
        missing = sorted({*needs, *itertools.chain(*needs.values())} - {*places})
        if missing:
            raise ValueError(f"{title}: the nodes {missing} have no step")
        for node, before in needs.items():
            for other in before:
                (x0, y0), (x1, y1) = places[other], places[node]
                chain = _letter(other) == _letter(node)
                ax.plot([x0, x1], [y0, y1], color=PALETTE["target" if chain else "muted"],
                        lw=2.6 if chain else 0.8, zorder=1)  # fmt: skip
        for node, (x, y) in places.items():
            label = f"${_letter(node)}_{{{_column(node)}}}$"
            _node(ax, x, y, label, "encoder" if node in needs else "source")
        columns = [x for x, _ in places.values()]
        ax.set(xlim=(min(columns) - 0.5, max(columns) + 0.5), ylim=(-0.4, 0.8 * top + 0.4),
               title=title, xticks=[])  # fmt: skip
        ax.set_yticks([0.8 * step for step in range(top + 1)], range(top + 1))
        ax.grid(axis="x", visible=False)
        sns.despine(ax=ax, left=True, bottom=True)
    axes[0, 0].set_ylabel("step")
    return fig


def _letter(node: str) -> str:
    return node.split("_")[0]


def _column(node: str) -> int:
    number = node.partition("_")[2]
    if not number.isdecimal():
        raise ValueError(f"a node is named like h_3, for its column; got {node!r}")
    return int(number)


def seed_points(
    groups: Mapping[str, Mapping[str, Sequence[float]]],
    ylabel: str,
    live: Mapping[str, Mapping[str, float]] | None = None,
    title: str = "",
) -> Figure:
    """Every run as a mark, one column a label, groups side by side; a dash at each mean.

    Args:
        groups: for each group and label one value a seed; all groups have the same labels.
        live: the runs that the reader has just made, as large hollow marks.

    Raises:
        ValueError: there is no group, labels differ, a column is empty, or a live run has none.
    """
    labels = list(next(iter(groups.values()), {}))
    if not labels or any(list(columns) != labels for columns in groups.values()):
        raise ValueError(f"groups need the same labels, got {[list(c) for c in groups.values()]}")
    if empty := [(name, x) for name, columns in groups.items() for x in labels if not columns[x]]:
        raise ValueError(f"there are no values for {empty}")
    fig, ax = plt.subplots()
    colors, marks = ["attention", "encoder", "target", "source"], "soD^"
    for i, (name, columns) in enumerate(groups.items()):
        shift = 0.36 * (i / max(1, len(groups) - 1) - 0.5) if len(groups) > 1 else 0.0
        look: dict[str, Any] = {
            "color": PALETTE[colors[i % 4]],
            "marker": marks[i % 4],
            "ls": "none",
        }
        for x, label in enumerate(labels):
            values = columns[label]
            ax.plot([x + shift] * len(values), values, ms=5, alpha=0.75, **look,
                    label=name if x == 0 else None)  # fmt: skip
            mean = float(np.mean(values))
            ax.plot([x + shift - 0.13, x + shift + 0.13], [mean, mean], color=look["color"], lw=2)
        for label, value in (live or {}).get(name, {}).items():
            ax.plot(labels.index(label) + shift, value, ms=12, mfc="none", mew=1.6, **look)
    ax.set_xticks(range(len(labels)), labels)
    ax.set(ylabel=ylabel, title=title)
    ax.grid(axis="x", visible=False)
    ax.legend(frameon=False)
    return fig


def spread_curves(
    lines: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]]]],
    xlabel: str,
    ylabel: str,
    reference: float | None = None,
    reference_label: str = "",
) -> Figure:
    """Repeated readings on logarithmic axes: a line through the medians, a band over the quartiles.

    Args:
        lines: for each name the places x, and for each place its readings, all above 0.

    Raises:
        ValueError: places and readings don't fit, or a reading is not above 0.
    """
    for name, (x, rows) in lines.items():
        if len(x) != len(rows):
            raise ValueError(f"{name}: {len(x)} places cannot go with {len(rows)} rows of readings")
        if not all(len(row) and min(row) > 0 for row in rows):
            raise ValueError(f"{name}: each place needs readings above 0, got {rows}")
    medians = {
        name: (x, [float(np.median(row)) for row in rows]) for name, (x, rows) in lines.items()
    }
    fig = curves(medians, xlabel, ylabel, "", reference, reference_label, log_y=True)
    (ax,) = fig.axes
    for line, (x, rows) in zip(ax.lines, lines.values(), strict=False):  # the reference is last
        low, high = np.array([np.percentile(row, [25, 75]) for row in rows]).T
        ax.fill_between(x, low, high, color=line.get_color(), alpha=0.18, lw=0)
    ax.set_xscale("log", base=2)
    places = sorted({place for x, _ in lines.values() for place in x})
    ax.set_xticks(places, [f"{place:g}" for place in places])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("")
    return fig
