"""Opening a chapter alone: the first cell, the buttons and the address they come from."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import book_bootstrap
import book_launch
import nbformat
import pytest

ROOT = book_bootstrap.ROOT
ADDRESS = "https://github.com/somebody/attention"


def without(environ: dict[str, str], **more: str) -> dict[str, str]:
    """The environment less what names a repository, with `more`."""
    names = ("BOOK_REPOSITORY_URL", "BOOK_BRANCH", "GITHUB_REPOSITORY", "PYTHONPATH")
    return {k: v for k, v in environ.items() if k not in names} | more


def pyproject(folder: Path, repository: str = "") -> Path:
    table = f'[tool.book]\nrepository = "{repository}"\nbranch = "main"\n'
    (folder / "pyproject.toml").write_text(table)
    return folder


# --- the address


def test_environment_wins_over_pyproject_over_github(tmp_path):
    github = {"GITHUB_REPOSITORY": "c/d"}
    own = {"BOOK_REPOSITORY_URL": "https://github.com/a/b/"}
    address = book_bootstrap.repository_address
    assert address({}, pyproject(tmp_path)) == ""
    assert address(github, tmp_path) == "https://github.com/c/d"
    pyproject(tmp_path, ADDRESS)
    assert address(github, tmp_path) == ADDRESS
    assert address(github | own, tmp_path) == "https://github.com/a/b"
    with pytest.raises(ValueError, match="not a repository address"):
        address({"BOOK_REPOSITORY_URL": 'https://x"; import os'}, tmp_path)


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("https://github.com/a/b", "https://github.com/a/b"),
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("git@github.com:a/b.git", "https://github.com/a/b"),
        ("ssh://git@gitlab.com/a/b", "https://gitlab.com/a/b"),
        ("file:///tmp/b.git", ""),
        ("", ""),
    ],
)
def test_web_address(address, page):
    assert book_launch.web_address(address) == page


def test_colab_is_for_github_alone():
    assert "colab_url" in book_launch.theme_options(ADDRESS, "main")["launch_buttons"]
    gitlab = book_launch.theme_options("https://gitlab.com/a/b", "main")["launch_buttons"]
    assert "binderhub_url" in gitlab and "colab_url" not in gitlab


# --- the first cell


def test_stamp_puts_the_cell_first_once_and_renews_it():
    code = {"cell_type": "code", "source": ["1"], "outputs": [], "metadata": {}}
    notebook = {"cells": [{"cell_type": "markdown", "source": ["# Title"]}, code]}
    assert book_bootstrap.stamp(notebook, "")
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["markdown", "code", "code"]
    assert not book_bootstrap.stamp(notebook, "")
    notebook["cells"][1]["execution_count"] = 1
    assert book_bootstrap.stamp(notebook, ADDRESS)
    assert len(notebook["cells"]) == 3
    assert "".join(notebook["cells"][1]["source"]) == book_bootstrap.first_cell(ADDRESS)
    assert notebook["cells"][1]["execution_count"] is None


def test_first_cell_is_short_and_says_nothing_where_the_package_is():
    cell = book_bootstrap.first_cell("")
    assert len(cell.splitlines()) <= 14
    done = subprocess.run([sys.executable, "-c", cell], capture_output=True, check=True)
    assert done.stdout == done.stderr == b""


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> str:
    """The address of a bare repository that holds the working tree as its only commit."""
    if shutil.which("git") is None:
        pytest.fail("this test needs git, and there is none: install it (apt-get install git)")
    folder = tmp_path_factory.mktemp("repository")
    # an empty repository beside the tree tells what isn't ignored, in an unpacked ZIP as well
    subprocess.run(["git", "init", "-q", "--bare", "empty.git"], cwd=folder, check=True)
    command = ["git", f"--git-dir={folder / 'empty.git'}", f"--work-tree={ROOT}"]
    command += ["ls-files", "-o", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("chapters/", "tests/")):
            (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / "tree" / name)
    who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for arguments in (
        ["init", "-q", "tree"],
        ["-C", "tree", "add", "-A"],
        ["-C", "tree", *who, "commit", "-q", "-m", "the working tree"],
        ["clone", "-q", "--bare", "tree", "bare.git"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return (folder / "bare.git").as_uri()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Path:
    """The Python of a new environment that has the dependencies, as Colab does, but not us."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "venv", with_pip=True)
    links = folder / "dependencies"
    links.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not re.search("seq2seq_attention|^pip|^setuptools", entry.name):
            (links / entry.name).symlink_to(entry)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{links}\n")
    return folder / "venv/bin/python"


def first_cell_of_a_chapter() -> str:
    chapters = sorted((ROOT / "chapters").glob("*.ipynb"))
    if not chapters:
        return book_bootstrap.first_cell("")
    cells = nbformat.read(chapters[0], as_version=4).cells
    return next(cell.source for cell in cells if cell.cell_type == "code")


def run(python: Path, folder: Path, code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    environ = without(dict(os.environ), **environ)
    command = [str(python), "-c", code]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)


def test_a_chapter_in_an_empty_folder_fetches_the_package(bare, fresh, tmp_path):
    cell = book_bootstrap.first_cell("")
    before = run(fresh, tmp_path, cell)
    assert "RuntimeError" in before.stderr and "BOOK_REPOSITORY_URL" in before.stderr
    cell = first_cell_of_a_chapter()
    cell += "\nimport torch, seq2seq_attention.vocab as module; print(module.__file__)"
    done = run(fresh, tmp_path, cell, BOOK_REPOSITORY_URL=bare)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(fresh.parents[1])
    package = Path(done.stdout.strip()).parent
    assert sorted(p.name for p in package.rglob("*.js")) == sorted(
        p.name for p in (ROOT / "src").rglob("*.js")
    )
    again = run(fresh, tmp_path, cell)  # installed by now: no address is needed
    assert again.stdout == done.stdout, again.stderr


# --- the buttons and the copies to download


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_buttons_and_address_in_the_pages_if_and_only_if_it_is_known(address, tmp_path):
    pyproject(tmp_path)
    shutil.copytree(ROOT / "book", tmp_path / "book")
    (tmp_path / "_build/vendor").mkdir(parents=True)
    palette = tmp_path / "src/seq2seq_attention/palette.json"
    palette.parent.mkdir(parents=True)
    shutil.copy(ROOT / "src/seq2seq_attention/palette.json", palette)
    config = (ROOT / "_config.yml").read_text("utf-8")
    assert "execute_notebooks: cache" in config
    config = config.replace("execute_notebooks: cache", 'execute_notebooks: "off"')
    (tmp_path / "_config.yml").write_text(config)
    toc = "format: jb-book\nroot: book/notation\nchapters:\n- file: chapters/01_one\n"
    (tmp_path / "_toc.yml").write_text(toc)
    (tmp_path / "chapters").mkdir()
    cells = [
        nbformat.v4.new_markdown_cell("# One"),
        nbformat.v4.new_code_cell(book_bootstrap.first_cell("")),
    ]
    kernel = {"name": "python3", "display_name": "Python 3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.write(notebook, tmp_path / "chapters/01_one.ipynb")
    environ = without(dict(os.environ), BOOK_REPOSITORY_URL=address)
    book = Path(sys.executable).with_name("jupyter-book")
    command = [book, "build", ".", "-W", "-n", "--keep-going", "-q"]
    subprocess.run(command, cwd=tmp_path, env=environ, check=True, capture_output=True)
    html = tmp_path / "_build/html"
    page = (html / "chapters/01_one.html").read_text("utf-8")
    colab = "colab.research.google.com/github/somebody/attention/blob/main/chapters/01_one.ipynb"
    binder = "mybinder.org/v2/gh/somebody/attention/main?urlpath=lab/tree/chapters/01_one.ipynb"
    for link in (colab, binder, f'href="{ADDRESS}"'):
        assert (link in page) == bool(address)
    assert ("colab.research" in page or "mybinder.org/v2" in page) == bool(address)
    copy = json.loads((html / "_sources/chapters/01_one.ipynb").read_text("utf-8"))
    assert "".join(copy["cells"][1]["source"]) == book_bootstrap.first_cell(address)
