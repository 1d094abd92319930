"""What a chapter depends on beside its own cells: modules of the package and data files.

The cache of executed notebooks compares cells only, so it would show yesterday's results after a
change in src/. `chapter_key` changes whenever a chapter has to be executed again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "seq2seq_attention"
# files of data in the package, with the part of their path by which code names them
DATA = {"*.json": "stem", "results/*/*.json": "parent.name"}


def imported_names(source: str, package: str = "") -> Iterator[str]:
    """Dotted names of our package that Python source may import; relative ones need `package`.

    The last part of a name may be a function or class as well as a module. A bare
    `import seq2seq_attention` and a star stand for everything: "seq2seq_attention.*".
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            names = [f"{PACKAGE}.*" if name == PACKAGE else name for name in names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")
            start = above[: len(above) + 1 - node.level] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == PACKAGE)


def closure(names: set[str], src: Path) -> set[Path]:
    """The package's files that importing `names` runs or reads, whatever the order.

    Other files beside a module (a widget's JavaScript and style) count as part of it.
    """
    files: set[Path] = set()
    todo, seen = set(names), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        path = src / name.replace(".", "/")
        todo.update({name.rpartition(".")[0]} - {""})
        if name.endswith(".*"):
            found = sorted(path.parent.rglob("*.py")) if path.parent.name == PACKAGE else []
            todo.update(".".join(f.relative_to(src).with_suffix("").parts) for f in found)
            continue
        package = name if path.is_dir() else name.rpartition(".")[0]
        module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if module.is_file():
            files.add(module)
            beside = [p for p in module.parent.iterdir() if p.is_file() and p.suffix != ".py"]
            files.update(beside if module.parent.name != PACKAGE else [])
            todo.update(imported_names(module.read_text("utf-8"), package))
    return files


def code_of(notebook: Path) -> list[str]:
    """The code cells of a notebook, without lines that aren't Python (`%magic`, `!command`)."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [re.sub(r"^\s*[%!].*$", "", cell, flags=re.MULTILINE) for cell in code]


def dependencies(chapter: Path, root: Path = ROOT) -> list[Path]:
    """The files of the repository on which the results of a chapter depend, sorted.

    A data file counts when its name without ".json" or, below results/, the name of its folder
    stands as a word in the chapter or in a module that the chapter uses. A cell that can't be
    parsed counts as using everything.
    """
    names: set[str] = set()
    cells = code_of(chapter)
    for cell in cells:
        try:
            names.update(imported_names(cell))
        except SyntaxError:
            names.add(f"{PACKAGE}.*")
    files = closure(names, root / "src")
    text = "\n".join([*cells, *(f.read_text("utf-8") for f in files if f.suffix == ".py")])
    for pattern, part in DATA.items():
        for path in (root / "src" / PACKAGE).glob(pattern):
            name = attrgetter(part)(path)
            if re.search(rf"\b{re.escape(name)}\b", text):
                files.add(path)
    return sorted(files)


def digest(paths: list[Path], root: Path = ROOT, more: str = "") -> str:
    """A hash of the names and contents of files, and of a string."""
    total = hashlib.sha256(more.encode())
    for path in paths:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return total.hexdigest()


def chapter_key(chapter: Path, root: Path = ROOT) -> str:
    """Changes with the chapter's code and with all that its results depend on."""
    code = "\n".join(["{}.{}".format(*sys.version_info), *code_of(chapter)])
    return digest([*dependencies(chapter, root), root / "requirements.lock"], root, code)
