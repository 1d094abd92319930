"""Joins a figure's own JavaScript and style with what all figures share (base.js, base.css).

A notebook loads one module and one style sheet a figure, so the two must be one text.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r'^import \{[^}]*\} from "\./base\.js";\n', re.MULTILINE)


def module(name: str) -> str:
    """The text of `name`.js, the shared code in place of its import.

    Raises:
        ValueError: the file doesn't import base.js exactly once.
    """
    own = (HERE / f"{name}.js").read_text("utf-8")
    base = (HERE / "base.js").read_text("utf-8")
    joined, count = IMPORT.subn(lambda _: base, own)
    if count != 1:
        raise ValueError(f"{name}.js imports base.js {count} times, not once")
    return joined


def style(*names: str) -> str:
    """base.css and the style of each name, in this order."""
    return "".join((HERE / f"{name}.css").read_text("utf-8") for name in ("base", *names))
