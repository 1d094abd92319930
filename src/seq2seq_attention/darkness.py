"""A second rendering of every figure, for dark pages, made while the book is built.

A figure is drawn with the light palette. `offer` lets IPython add a second picture to the metadata
of each output: the same figure with every colour exchanged, drawn anew. The palette's own colours
become those of its dark half; of any other colour the lightness is turned round and the hue kept.
Nothing happens outside the build.
"""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.cm import ScalarMappable
from matplotlib.collections import Collection
from matplotlib.colors import Colormap, LinearSegmentedColormap, ListedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

MIME = "image/vnd.seq2seq-attention.dark+png"
_PALETTE = json.loads(files(__package__).joinpath("palette.json").read_text(encoding="utf-8"))
CURVES: dict[str, dict[str, str]] = _PALETTE["curves"]  # how curves are drawn, by part of name
LIGHT, DARK = _PALETTE["light"], _PALETTE["dark"]
Color = tuple[float, float, float, float]

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(rgb: Any) -> np.ndarray:
    """sRGB in 0 to 1, (..., 3), in the even space OKLab: lightness, green–red, blue–yellow."""
    c = np.asarray(rgb, float)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T


def srgb(lab: Any) -> np.ndarray:
    """The way back; what no screen can show is cut off."""
    linear = (np.asarray(lab) @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T
    linear = np.clip(linear, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def ramp(palette: dict[str, str]) -> Colormap:
    """The colours of attention weights, from nothing to one."""
    stops = [palette[key] for key in ("background", "ramp_low", "attention", "ramp_high")]
    return LinearSegmentedColormap.from_list("attention", stops)


@cache
def _table() -> tuple[np.ndarray, np.ndarray]:
    """Light colours with a dark counterpart of their own, in OKLab, and those."""
    keys = [key for key in LIGHT if key != "ramp_text"]  # white, which is the background too
    steps = np.linspace(0, 1, 256)
    light = [*(to_rgba(LIGHT[key])[:3] for key in keys), *ramp(LIGHT)(steps)[:, :3]]
    dark = [*(to_rgba(DARK[key])[:3] for key in keys), *ramp(DARK)(steps)[:, :3]]
    return oklab(np.array(light)), np.array(dark)


def recolor(color: Any) -> Color:
    """The dark counterpart of a colour; alpha stays."""
    *rgb, alpha = to_rgba(color)
    own = oklab(rgb)
    light, dark = _table()
    distance = np.linalg.norm(light - own, axis=1)
    if distance.min() < 0.01:
        red, green, blue = dark[distance.argmin()]
    else:
        paper, ink = oklab([to_rgba(LIGHT[k])[:3] for k in ("background", "ink")])[:, 0]
        night, chalk = oklab([to_rgba(DARK[k])[:3] for k in ("background", "ink")])[:, 0]
        lightness = night + (paper - own[0]) / (paper - ink) * (chalk - night)
        red, green, blue = srgb([min(lightness, chalk), own[1], own[2]])
    return float(red), float(green), float(blue), alpha


def _all(colors: Any) -> list[Color]:
    return [recolor(color) for color in colors]


def _map(colormap: Colormap) -> Colormap:
    return ListedColormap(_all(colormap(np.linspace(0, 1, 256))), f"{colormap.name}-dark")


def _artists(figure: Figure) -> Iterator[Artist]:
    """Every artist of a figure, also boxes and arrows of its texts, each once."""
    seen: set[int] = set()
    found: Iterable[Artist] = figure.findobj()
    for artist in found:
        more = [getattr(artist, "arrow_patch", None)]
        more += [artist.get_bbox_patch()] if isinstance(artist, Text) else []
        for one in (artist, *more):
            if one is not None and id(one) not in seen:
                seen.add(id(one))
                yield one


def darken(figure: Figure) -> None:
    """Exchange every colour of a figure."""
    for artist in _artists(figure):
        if isinstance(artist, ScalarMappable) and artist.get_array() is not None:
            artist.set_cmap(_map(artist.get_cmap()))
            if isinstance(artist, Collection) and len(artist.get_edgecolor()):
                artist.set_edgecolor(_all(artist.get_edgecolor()))
        elif isinstance(artist, Collection):
            face, edge = artist.get_facecolor(), artist.get_edgecolor()
            artist.set_facecolor(_all(face))
            artist.set_edgecolor(_all(edge))
        elif isinstance(artist, Patch):
            face, edge = artist.get_facecolor(), artist.get_edgecolor()
            artist.set_facecolor(recolor(face))
            artist.set_edgecolor(recolor(edge))
        elif isinstance(artist, Line2D):
            parts = ("color", "markerfacecolor", "markeredgecolor")
            for part, color in [(part, getattr(artist, f"get_{part}")()) for part in parts]:
                if not (isinstance(color, str) and color in {"none", "auto"}):
                    getattr(artist, f"set_{part}")(recolor(color))
        elif isinstance(artist, Text):
            artist.set_color(recolor(artist.get_color()))


def dark_png(figure: Figure) -> str:
    """The figure with the dark palette, as base64 of a PNG; the figure itself stays as it is."""
    manager, figure.canvas.manager = figure.canvas.manager, None  # the copy is nobody's to show
    try:
        figure.canvas.draw()  # ticks exist once a figure is drawn
        copy: Figure = pickle.loads(pickle.dumps(figure))
    finally:
        figure.canvas.manager = manager
    darken(copy)
    file = io.BytesIO()
    copy.savefig(file, format="png", dpi="figure", bbox_inches="tight", facecolor="auto")
    return base64.b64encode(file.getvalue()).decode()


def offer() -> None:
    """Add the dark rendering to what IPython shows of a figure, while the book is built."""
    if not os.environ.get("BOOK_BUILD"):
        return
    from IPython.core.formatters import BaseFormatter
    from IPython.core.getipython import get_ipython
    from traitlets import Unicode

    class DarkFormatter(BaseFormatter):
        format_type = Unicode(MIME)

        # not through for_type: Matplotlib's own set-up takes figures out of every formatter
        # nothing as data, since readers of notebooks warn of kinds that they don't know
        def __call__(self, obj: object) -> tuple[None, str] | None:
            return (None, dark_png(obj)) if isinstance(obj, Figure) else None

    shell = get_ipython()
    if shell is not None and shell.display_formatter is not None:
        shell.display_formatter.register_formatter(DarkFormatter())
