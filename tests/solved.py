"""A chapter with its exercises solved, each by the solution that is folded below it.

    python tests/solved.py chapters/NN_name.ipynb ... (writes them to _build/solved/)

In front of each solved exercise stands a cell that gives it wrong answers, which it must refuse.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
OPEN = re.compile(r"^answer = \.\.\..*$", re.MULTILINE)
WRONG = ("None", "-1", "lambda *given: None", "[]")

REFUSES = """\
import contextlib
import io

exercise = {exercise!r}
for wrong in {wrong!r}:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(exercise.replace("ANSWER", wrong))
    assert out.getvalue().startswith("✗"), (wrong, out.getvalue())
"""


def is_exercise(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and OPEN.search(cell.source) is not None


def solution_of(text: str) -> str:
    """The code that a folded solution gives: its block, or else its inline `answer = ...`.

    Raises:
        ValueError: there is none.
    """
    folded = text.partition("} Solution")[2].partition("\n:::\n")[0]
    for pattern in (r"```python\n(.*?)```", r"`(answer = .*?)`"):
        found = re.search(pattern, folded, re.DOTALL)
        if found:
            return found[1].rstrip()
    raise ValueError(f"no code in the solution: {text[:200]!r}")


def solve(notebook: NotebookNode) -> NotebookNode:
    """The notebook with every exercise answered, and the outputs that it then must have."""
    cells = []
    for cell, after in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if not is_exercise(cell):
            cells.append(cell)
            continue
        if after is None or after.cell_type != "markdown":
            raise ValueError(f"the exercise {cell.id!r} has no solution below it")
        wrong = REFUSES.format(exercise=OPEN.sub("answer = ANSWER", cell.source), wrong=WRONG)
        cells.append(nbformat.v4.new_code_cell(wrong, id=f"{cell.id}-wrong", execution_count=1))
        before, after_line = OPEN.split(cell.source)
        cell.source = before + solution_of(after.source) + after_line
        for output in cell.outputs:
            if output.output_type == "stream":
                output.text = "✓ right\n"
        cells.append(cell)
    notebook.cells = cells
    return notebook


def write(paths: list[Path]) -> Path:
    """Solved copies of chapters, in a folder of the build; the folder."""
    folder = ROOT / "_build" / "solved"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ipynb"):
        old.unlink()
    for path in paths:
        nbformat.write(solve(nbformat.read(path, as_version=4)), folder / path.name)
    return folder


if __name__ == "__main__":
    print(write([Path(name) for name in sys.argv[1:]]))
