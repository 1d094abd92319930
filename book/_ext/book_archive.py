"""Sphinx extension: the whole site as one archive, to be read with the network off.

The same site gives the same bytes: names sorted, one date, no owners.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

NAME = "attention-measured.zip"
DATE = (1980, 1, 1, 0, 0, 0)


def pack(html: Path) -> Path:
    """Write the archive into the site, with everything in it but itself and hidden files."""
    target = html / NAME
    names = sorted(
        path.relative_to(html).as_posix()
        for path in html.rglob("*")
        if path.is_file() and path != target and not path.name.startswith(".")
    )
    new = target.with_suffix(".new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            entry = zipfile.ZipInfo(f"attention-measured/{name}", DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (html / name).read_bytes())
    new.replace(target)
    return target


def finish(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.name == "html":
        pack(Path(app.outdir))


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", finish, priority=900)  # after all that changes a page
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
