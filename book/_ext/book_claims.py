"""Sphinx extension: each chapter's claims go to a file of its own while it is executed.

A kernel inherits the environment, so setting it before a chapter is read is enough. A chapter
taken from the cache runs nothing and so keeps the claims of the run that is shown.
`book/build.py` puts the new files in place.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def name_ledger(app: Any, docname: str, source: list[str]) -> None:
    folder = Path(app.outdir).parent / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["BOOK_CHAPTER"] = docname
    os.environ["BOOK_CLAIMS"] = str(folder / f"{Path(docname).name}.jsonl.new")


def setup(app: Any) -> dict[str, Any]:
    app.connect("source-read", name_ledger)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
