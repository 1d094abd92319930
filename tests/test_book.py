"""What every chapter and every built page must be; see CONTRIBUTING.md for the rules in words.

Needs a built book (`make book-test` builds it first). Everything is driven by _toc.yml.
"""

from __future__ import annotations

import ast
import json
import re
import statistics
import subprocess
from collections import Counter
from pathlib import Path

import book_bootstrap
import build
import depends
import nbformat
import pytest
import solved
from bs4 import BeautifulSoup

pytestmark = pytest.mark.book
ROOT = build.ROOT
PAGES = build.toc_pages()
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
EXTRA_PAGES = ["genindex", "search"]

FORBIDDEN_PHRASES = {
    r"teacher[- ]enforc": "it is called teacher forcing",
    r"(?<!not )Bayes[’']?s? (rule|theorem)": "P(y|x) = ∏ P(y_t | y_<t, x) is the chain rule",
}
# in pieces, so that this file doesn't name them
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
        ("download", "pytorch", "org"),
        ("conda", "anaconda", "org"),
    )
]


def notebook(page: str) -> dict:
    return json.loads((ROOT / f"{page}.ipynb").read_text("utf-8"))


def sources(page: str, kind: str) -> list[str]:
    cells = [cell for cell in notebook(page)["cells"] if cell["cell_type"] == kind]
    return [text for cell in cells if (text := "".join(cell["source"])).strip()]


def code_cells(page: str) -> list[dict]:
    return [c for c in notebook(page)["cells"] if c["cell_type"] == "code" and "".join(c["source"])]


def parsed(page: str) -> list[ast.Module]:
    return [ast.parse(cell) for cell in depends.code_of(ROOT / f"{page}.ipynb")]


def html(page: str) -> BeautifulSoup:
    return BeautifulSoup((build.HTML / f"{page}.html").read_text("utf-8"), "html.parser")


def tracked_files() -> list[Path]:
    """Files in git or about to be, whatever their kind."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


# --- the book as a whole


def test_toc_chapters_and_pages_are_the_same():
    files = {f"chapters/{path.stem}" for path in (ROOT / "chapters").glob("*.ipynb")}
    assert files == set(CHAPTERS), "chapters/*.ipynb differs from _toc.yml"
    built = {path.relative_to(build.HTML).as_posix() for path in build.HTML.rglob("*.html")}
    wanted = {f"{page}.html" for page in [*PAGES, *EXTRA_PAGES, "index"]}
    built = {name for name in built if not name.startswith(("_static/", "reports/"))}
    assert built == wanted


def test_no_page_shows_an_error():
    assert build.problems() == []
    for page in CHAPTERS:
        meant = sum("raises-exception" in c["metadata"].get("tags", []) for c in code_cells(page))
        assert len(html(page).select(".output.traceback")) <= meant, page


def test_the_build_is_of_this_tree():
    assert build.read_state().get("fingerprint") == build.fingerprint(), "run `make book` first"


@pytest.mark.parametrize("page", [*PAGES, *EXTRA_PAGES])
def test_a_page_loads_nothing_from_others(page):
    loads = [
        *((tag, tag.get("src")) for tag in html(page).find_all(src=True)),
        *((tag, tag.get("href")) for tag in html(page).find_all("link")),
        *((tag, tag.get("data")) for tag in html(page).find_all("object")),
    ]
    inert = {"canonical", "search", "next", "prev", "index", "license"}
    foreign = [
        str(tag)[:200]
        for tag, url in loads
        if re.match(r"(https?:)?//", url or "") and not inert & set(tag.get("rel", []))
    ]
    assert foreign == []


def test_style_sheets_load_nothing_from_others():
    for path in build.HTML.rglob("*.css"):
        text = path.read_text("utf-8", errors="replace")
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", text), path


@pytest.mark.parametrize("page", PAGES)
def test_every_picture_says_what_it_shows(page):
    pictures = html(page).select("article img")
    bad = [
        str(picture)[:200]
        for picture in pictures
        if len(alt := picture.get("alt", "")) < 20 or re.search(r"_images/|\.(png|svg|jpe?g)$", alt)
    ]
    assert bad == [], "give the cell the metadata mystnb.image.alt"


def test_no_registry_is_named():
    for path in tracked_files():
        text = path.read_bytes().decode("utf-8", errors="ignore").lower()
        named = [host for host in REGISTRY_HOSTS if host in text]
        assert not named, f"{path.relative_to(ROOT)} names {named}"


def test_files_in_git_are_small():
    large = {str(p.relative_to(ROOT)): p.stat().st_size for p in tracked_files()}
    assert {name: size for name, size in large.items() if size > 1_000_000} == {}


def test_lock_holds_the_requirements_and_nothing_for_graphics_cards():
    lock = (ROOT / "requirements.lock").read_text().lower().replace("_", "-").splitlines()
    pins = (ROOT / "requirements.txt").read_text().lower().replace("_", "-").splitlines()
    missing = [pin for pin in pins if pin and not pin.startswith("#") and pin not in lock]
    assert missing == [], "run `make lock`"
    assert [line for line in lock if re.match(r"nvidia|triton|cuda", line) or "+cu" in line] == []


@pytest.mark.parametrize("page", PAGES)
def test_words_that_are_not_used(page):
    path = ROOT / f"{page}.md"
    text = path.read_text("utf-8") if path.exists() else "\n".join(sources(page, "markdown"))
    for pattern, why in FORBIDDEN_PHRASES.items():
        found = re.search(pattern, text)
        assert not found, f"{found[0]!r}: {why}"


# --- each chapter


@pytest.mark.parametrize("page", CHAPTERS)
def test_first_cell_is_the_one_that_finds_the_package(page):
    address = book_bootstrap.settings()["repository"]
    assert sources(page, "code")[0] == book_bootstrap.first_cell(address), "run `make stamp`"


@pytest.mark.parametrize("page", CHAPTERS)
def test_cells_are_short_and_many(page):
    cells = [cell.splitlines() for cell in sources(page, "code")]
    lines = [sum(bool(line.strip()) for line in cell) for cell in cells]
    long = {i: n for i, n in enumerate(lines) if n > 25}
    assert not long, f"code cells of more than 25 lines (number: lines): {long}"
    assert statistics.median(lines) <= 8
    assert 15 <= len(lines) <= 32


@pytest.mark.parametrize("page", CHAPTERS)
def test_committed_executed_without_errors_and_light(page):
    cells = code_cells(page)
    counts = [cell["execution_count"] for cell in cells]
    assert counts == list(range(1, len(cells) + 1)), "run `make execute`"
    for i, cell in enumerate(cells):
        meant = "raises-exception" in cell["metadata"].get("tags", [])
        kinds = [output["output_type"] for output in cell["outputs"]]
        assert meant or "error" not in kinds, f"code cell {i} ends in an error"
    assert any(cell["outputs"] for cell in cells)
    assert "widgets" not in notebook(page)["metadata"], "run `make execute`"
    assert len(json.dumps([cell["outputs"] for cell in cells])) <= 300_000


def definitions(tree: ast.Module) -> dict[str, list[str]]:
    """The lines of each function and class, as ast writes them and without docstrings."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = "\n".join(ast.unparse(part) for part in body).splitlines()
            found[node.name] = [line.strip() for line in lines]
    return found


def package_definitions() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for name, lines in definitions(ast.parse(path.read_text("utf-8"))).items():
            found.setdefault(name, []).append(lines)
    return found


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_code_of_the_package_is_pasted(page):
    package = package_definitions()
    for tree in parsed(page):
        for name, lines in definitions(tree).items():
            for other in package.get(name, []):
                same = (Counter(lines) & Counter(other)).total()
                assert same < 4, f"{name} has {same} lines of the package's {name}: import it"


@pytest.mark.parametrize("page", CHAPTERS)
def test_reader_predicts_and_practises(page):
    text = "\n".join(sources(page, "markdown"))
    assert text.count("**Predict") >= 3
    exercises = re.split(r"^## Exercises", text, flags=re.MULTILINE)
    assert len(exercises) == 2, 'one section "## Exercises"'
    assert len(re.findall(r"^### Exercise", exercises[1], flags=re.MULTILINE)) >= 3
    chapter = nbformat.read(ROOT / f"{page}.ipynb", as_version=4)
    assert sum(map(solved.is_exercise, chapter.cells)) >= 3
    before = len(chapter.cells)
    assert len(solved.solve(chapter).cells) >= before + 3  # each has its solution


@pytest.mark.parametrize("page", CHAPTERS)
def test_statements_are_measured(page):
    calls = [
        node
        for tree in parsed(page)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "claim"
    ]
    assert len(calls) >= 3
    ledger = build.BUILD / "claims" / f"{Path(page).name}.jsonl"
    records = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
    assert len(records) >= 3
    assert all(record["holds"] and record["chapter"] == page for record in records)
