"""Executes chapters in place, as they are committed: with outputs, without widget state.

python book/execute.py [chapters/NN_name.ipynb ...]        (all of them if none is named)
"""

from __future__ import annotations

import os
import sys
import time
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import build
import nbformat
from nbclient import NotebookClient
from PIL import Image

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def tidy(notebook: Any) -> None:
    """Leave out what differs between machines and runs: timings, widget state, versions."""
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        for key in ("execution", "collapsed", "scrolled", "ExecuteTime"):
            cell.metadata.pop(key, None)
        if "outputs" in cell:  # progress bars are for those who watch
            cell.outputs = [
                o
                for o in cell.outputs
                if "it/s]" not in o.get("text", "") and "step/s]" not in o.get("text", "")
            ]


def lighten(notebook: Any) -> None:
    """Store each picture with at most 256 colours: a third of the bytes, no visible difference."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                picture = Image.open(BytesIO(b64decode(output.data["image/png"])))
                small = BytesIO()
                few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
                few.save(small, "PNG", optimize=True)
                output.data["image/png"] = b64encode(small.getvalue()).decode()


def execute(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=40"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    tidy(notebook)
    lighten(notebook)
    text = nbformat.writes(notebook)
    new = path.with_suffix(".ipynb.new")
    new.write_text(text.rstrip("\n") + "\n", "utf-8")
    new.replace(path)


def main() -> None:
    os.environ.update(build.ENVIRON)
    paths = [Path(name).resolve() for name in sys.argv[1:]] or list(build.chapters().values())
    for path in paths:
        start = time.monotonic()
        print(f"executing {path.name} …", end=" ", flush=True)
        execute(path)
        size = path.stat().st_size / 1000
        print(f"{time.monotonic() - start:.1f} s, {size:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
