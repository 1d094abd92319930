"""What a chapter depends on: found in its imports, and only there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from depends import chapter_key, closure, dependencies, imported_names

FILES = {
    "src/seq2seq_attention/__init__.py": "",
    "src/seq2seq_attention/vocab.py": "PAD = 0\n",
    "src/seq2seq_attention/batch.py": "from .vocab import PAD\n",
    "src/seq2seq_attention/model.py": "from seq2seq_attention import batch\n",
    "src/seq2seq_attention/search.py": "def late():\n    import seq2seq_attention.model\n",
    "src/seq2seq_attention/data/__init__.py": "from .pairs import Pair\n",
    "src/seq2seq_attention/data/pairs.py": "class Pair: ...\n",
    "src/seq2seq_attention/data/numbers.py": "from ..vocab import PAD\nfrom .pairs import Pair\n",
    "src/seq2seq_attention/widgets/__init__.py": "from .view import View\n",
    "src/seq2seq_attention/widgets/view.py": "class View: ...\n",
    "src/seq2seq_attention/widgets/view.js": "export default {}\n",
    "src/seq2seq_attention/palette.json": "{}",
    "src/seq2seq_attention/results/lengths/0.json": "[]",
    "src/seq2seq_attention/results/sizes/0.json": "[]",
    "requirements.lock": "torch==1\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def chapter(root: Path, *cells: str) -> Path:
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    prose = {"cell_type": "markdown", "source": ["from seq2seq_attention import model"]}
    path = root / "chapter.ipynb"
    path.write_text(json.dumps({"cells": [prose, *code]}))
    return path


def found(root: Path, *cells: str) -> set[str]:
    short = [str(p.relative_to(root)) for p in dependencies(chapter(root, *cells), root)]
    return {name.removeprefix("src/seq2seq_attention/") for name in short}


@pytest.mark.parametrize(
    ("source", "package", "names"),
    [
        ("import numpy, os.path", "", set()),
        ("import seq2seq_attention_extra", "", set()),
        ("import seq2seq_attention.vocab as v", "", {"seq2seq_attention.vocab"}),
        ("import seq2seq_attention", "", {"seq2seq_attention.*"}),
        (
            "from . import a",
            "seq2seq_attention.data",
            {"seq2seq_attention.data", "seq2seq_attention.data.a"},
        ),
        (
            "from ..vocab import PAD",
            "seq2seq_attention.data",
            {"seq2seq_attention.vocab", "seq2seq_attention.vocab.PAD"},
        ),
    ],
)
def test_imported_names(source, package, names):
    assert set(imported_names(source, package)) == names


def test_closure_follows_imports_even_late_ones(root):
    assert found(root, "from seq2seq_attention.search import late") == {
        "__init__.py",
        "search.py",
        "model.py",
        "batch.py",
        "vocab.py",
    }


def test_a_submodule_brings_its_package(root):
    assert found(root, "from seq2seq_attention.data.numbers import x") == {
        "__init__.py",
        "data/__init__.py",
        "data/pairs.py",
        "data/numbers.py",
        "vocab.py",
    }


def test_a_widget_brings_its_script_and_prose_brings_nothing(root):
    assert found(root, "from seq2seq_attention.widgets import View") == {
        "__init__.py",
        "widgets/__init__.py",
        "widgets/view.py",
        "widgets/view.js",
    }


@pytest.mark.parametrize(
    "cell", ["import seq2seq_attention", "from seq2seq_attention import *", "this isn't Python"]
)
def test_everything_when_it_cannot_be_told(root, cell):
    modules = {name for name in FILES if name.endswith((".py", ".js"))}
    assert len(found(root, cell)) == len(modules)


def test_magics_are_not_in_the_way(root):
    assert found(root, "%matplotlib inline\n!ls\nfrom seq2seq_attention.vocab import PAD") == {
        "__init__.py",
        "vocab.py",
    }


def test_data_files_by_name_in_chapter_or_module(root):
    assert found(root, "load_results('lengths')") == {"results/lengths/0.json"}
    assert found(root, "by_lengths = 0") == set()
    (root / "src/seq2seq_attention/vocab.py").write_text("open('palette.json')")
    assert "palette.json" in found(root, "import seq2seq_attention.vocab")


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("src/seq2seq_attention/vocab.py", True),
        ("src/seq2seq_attention/batch.py", True),
        ("src/seq2seq_attention/model.py", False),
        ("requirements.lock", True),
        ("src/seq2seq_attention/results/sizes/0.json", True),
        ("src/seq2seq_attention/results/lengths/0.json", False),
    ],
)
def test_key_changes_with_what_is_used_alone(root, name, changes):
    path = chapter(root, "from seq2seq_attention.batch import x", "load_results('sizes')")
    before = chapter_key(path, root)
    assert chapter_key(path, root) == before
    with open(root / name, "a") as file:
        file.write("\n")
    assert (chapter_key(path, root) != before) == changes


def test_key_changes_with_code_but_not_with_prose(root):
    before = chapter_key(chapter(root, "x = 1"), root)
    path = chapter(root, "x = 1")
    path.write_text(path.read_text().replace("import model", "import batch"))
    assert chapter_key(path, root) == before
    assert chapter_key(chapter(root, "x = 2"), root) != before


def test_closure_of_a_name_that_is_nothing(root):
    assert closure({"seq2seq_attention.missing"}, root / "src") == {
        root / "src/seq2seq_attention/__init__.py"
    }
