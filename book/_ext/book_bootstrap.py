"""The address of the book's repository, and the first cell of every chapter.

The cell makes the package importable wherever a chapter is opened alone (Colab, Binder, an
empty folder). It is defined here and nowhere else; `make stamp` writes it into the chapters.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MARK = 'find_spec("seq2seq_attention")'
CELL = """\
# In Colab or an empty folder this fetches the book's package; once it is there, nothing happens.
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("seq2seq_attention") is None:
    repository = os.environ.get("BOOK_REPOSITORY_URL") or "@ADDRESS@"
    if not repository:
        raise RuntimeError("set BOOK_REPOSITORY_URL to the address of the book's git repository")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", f"git+{repository}"], check=True)
    importlib.invalidate_caches()"""


def settings(root: Path = ROOT) -> dict[str, str]:
    """The table [tool.book] of pyproject.toml."""
    with open(root / "pyproject.toml", "rb") as file:
        table: dict[str, str] = tomllib.load(file)["tool"]["book"]
    return table


def repository_address(environ: Mapping[str, str], root: Path = ROOT) -> str:
    """The repository's address, or "" where none is known.

    BOOK_REPOSITORY_URL wins over pyproject.toml, which wins over GITHUB_REPOSITORY (set where
    GitHub runs the build).
    """
    github = environ.get("GITHUB_REPOSITORY", "")
    address = (
        environ.get("BOOK_REPOSITORY_URL")
        or settings(root)["repository"]
        or (f"https://github.com/{github}" if github else "")
    )
    if any(sign in address for sign in "\"'\\\n"):
        raise ValueError(f"not a repository address: {address!r}")
    return address.strip().rstrip("/")


def first_cell(address: str) -> str:
    """The source of a chapter's first code cell."""
    return CELL.replace("@ADDRESS@", address)


def stamp(notebook: dict[str, Any], address: str) -> bool:
    """Put the first cell into a notebook (as JSON), in place of an older one; True if changed.

    Its output and execution count go when its source changes.
    """
    source = first_cell(address).splitlines(keepends=True)
    cells = notebook["cells"]
    at = next((i for i, cell in enumerate(cells) if cell["cell_type"] == "code"), len(cells))
    old = cells[at] if at < len(cells) else None
    if old and MARK in "".join(old["source"]):
        if "".join(old["source"]) == "".join(source):
            return False
        old |= {"source": source, "outputs": [], "execution_count": None}
        return True
    cell = {"cell_type": "code", "id": "bootstrap", "source": source, "outputs": []}
    cells.insert(at, cell | {"execution_count": None, "metadata": {"tags": ["hide-input"]}})
    return True


def stamp_file(path: Path, address: str) -> bool:
    """`stamp` for a file; it is written only when something changes."""
    import json

    notebook = json.loads(path.read_text("utf-8"))
    changed = stamp(notebook, address)
    if changed:
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", "utf-8")
    return changed


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "chapters").glob("*.ipynb"))
    address = settings()["repository"]
    for path in paths:
        print(f"{path}: {'stamped' if stamp_file(path, address) else 'as it should be'}")
    if "BOOK_REPOSITORY_URL" in os.environ:
        print("note: chapters carry the address of pyproject.toml; the environment counts at build")


if __name__ == "__main__":
    main()
