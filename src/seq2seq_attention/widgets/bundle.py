"""Joins a figure's own JavaScript and style with what figures share (base.js, base.css).

A notebook loads one module and one style sheet a figure, so all must be one text. A figure that
computes what a model says imports forward.js too, and one that knows right answers oracle.js.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
_LINE = r'^import (?:\{{[^}}]*\}} from )?"\./({})\.js";\n'
IMPORT = re.compile(_LINE.format("base"), re.MULTILINE)
SHARED = re.compile(_LINE.format("base|forward|oracle|oracle_grammar"), re.MULTILINE)
NAMES = re.compile(r"^(?:export )?(?:const|let|class|(?:async )?function\*?) (\w+)", re.MULTILINE)


def module(name: str) -> str:
    """The text of `name`.js, shared code in place of its imports, each file once.

    Raises:
        ValueError: the file doesn't import base.js exactly once, or another one twice, or two of
            the files give the same name to different things.
    """
    own = (HERE / f"{name}.js").read_text("utf-8")
    imported = SHARED.findall(own)
    if imported.count("base") != 1:
        raise ValueError(f"{name}.js imports base.js {imported.count('base')} times, not once")
    if len(set(imported)) < len(imported):
        raise ValueError(f"{name}.js imports a file twice: {', '.join(imported)}")
    texts: dict[str, str] = {}
    _gather(name, texts)
    _check_names(texts)
    return "".join(texts.values())


def _gather(name: str, texts: dict[str, str]) -> None:
    """A file after those that it imports, without its imports."""
    own = (HERE / f"{name}.js").read_text("utf-8")
    for part in SHARED.findall(own):
        if part not in texts:
            _gather(part, texts)
    texts[name] = SHARED.sub("", own)


def _check_names(texts: dict[str, str]) -> None:
    """ValueError if a name stands at the top level of two files: joined, it would be one."""
    of: dict[str, str] = {}
    for file, text in texts.items():
        for word in NAMES.findall(text):
            if of.setdefault(word, file) != file:
                raise ValueError(f"both {of[word]}.js and {file}.js have a {word}")


def style(*names: str) -> str:
    """base.css and the style of each name, in this order."""
    return "".join((HERE / f"{name}.css").read_text("utf-8") for name in ("base", *names))
