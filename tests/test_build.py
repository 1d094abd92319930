"""The build's own steps, on small made-up books."""

from __future__ import annotations

import hashlib
import json
import tarfile
from io import BytesIO
from pathlib import Path

import book_claims
import book_scripts
import build
import nbformat
import pytest
import vendor
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn


@pytest.fixture
def root(tmp_path: Path, monkeypatch) -> Path:
    """A book of two chapters, only the second of which uses the package's module a."""
    toc = "format: jb-book\nroot: book/intro\nparts:\n- caption: One\n  chapters:\n"
    toc += "  - file: chapters/01_one\n    sections:\n    - file: chapters/02_two\n"
    (tmp_path / "_toc.yml").write_text(toc)
    (tmp_path / "requirements.lock").write_text("")
    (tmp_path / "pyproject.toml").write_text('[tool.book]\nrepository = ""\nbranch = "main"\n')
    package = tmp_path / "src/seq2seq_attention"
    package.mkdir(parents=True)
    for name in ("__init__", "a"):
        (package / f"{name}.py").write_text("")
    (tmp_path / "chapters").mkdir()
    write_chapter(tmp_path / "chapters/01_one.ipynb", "1 + 1")
    write_chapter(tmp_path / "chapters/02_two.ipynb", "import seq2seq_attention.a")
    for name, path in {"ROOT": ".", "BUILD": "_build", "HTML": "_build/html"}.items():
        monkeypatch.setattr(build, name, tmp_path / path)
    monkeypatch.setattr(build.toc_pages, "__defaults__", (tmp_path,))
    monkeypatch.setattr(build.chapters, "__defaults__", (tmp_path,))
    monkeypatch.setattr(build.depends.chapter_key, "__defaults__", (tmp_path,))
    (tmp_path / "_build").mkdir()
    return tmp_path


def write_chapter(path: Path, code: str, **output) -> None:
    cell = nbformat.v4.new_code_cell(code)
    if output:
        cell.outputs = [nbformat.v4.new_output(**output)]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)


def execute_all(root: Path) -> None:
    """Put both chapters into the cache as though they had just been executed."""
    store = get_cache(str(root / "_build/.jupyter_cache"))
    for path in sorted((root / "chapters").glob("*.ipynb")):
        bundle = CacheBundleIn(nbformat.read(path, 4), str(path), data={"execution_seconds": 2.5})
        store.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def cached(root: Path) -> list[str]:
    return sorted(Path(record.uri).stem for record in build.cache().list_cache_records())


def test_pages_of_the_toc_in_order(root):
    assert build.toc_pages() == ["book/intro", "chapters/01_one", "chapters/02_two"]
    assert list(build.chapters()) == ["chapters/01_one", "chapters/02_two"]


def test_only_what_uses_a_changed_module_is_executed_again(root):
    build.forget_outdated({})
    execute_all(root)
    build.forget_outdated(build.read_state())
    assert cached(root) == ["01_one", "02_two"]
    assert build.seconds() == {"chapters/01_one": 2.5, "chapters/02_two": 2.5}
    (root / "src/seq2seq_attention/a.py").write_text("x = 1")
    build.forget_outdated(build.read_state())
    assert cached(root) == ["01_one"]


def test_a_build_cut_short_leaves_what_was_executed(root):
    build.forget_outdated({})  # drops nothing, stores the keys, then the build is stopped
    execute_all(root)
    build.forget_outdated(build.read_state())
    assert cached(root) == ["01_one", "02_two"]


def test_a_lost_or_broken_state_executes_everything_again(root):
    build.forget_outdated({})
    execute_all(root)
    (root / "_build/book.json").write_text("{ not")
    build.forget_outdated(build.read_state())
    assert cached(root) == []


def test_a_chapter_that_is_gone_leaves_the_cache(root):
    build.forget_outdated({})
    execute_all(root)
    (root / "chapters/02_two.ipynb").unlink()
    build.forget_outdated(build.read_state())
    assert cached(root) == ["01_one"]


def test_fingerprint_sees_each_input_and_the_address(root, monkeypatch):
    monkeypatch.delenv("BOOK_REPOSITORY_URL", raising=False)
    monkeypatch.setattr(build, "repository_address", lambda environ: environ.get("X", ""))
    seen = {build.fingerprint()}
    for name in ("_toc.yml", "chapters/01_one.ipynb", "src/seq2seq_attention/a.py"):
        with open(root / name, "a") as file:
            file.write(" ")
        seen.add(build.fingerprint())
    monkeypatch.setenv("X", "https://github.com/a/b")
    seen.add(build.fingerprint())
    assert len(seen) == 5
    (root / "_build/made.txt").write_text("not an input")
    assert build.fingerprint() in seen


def test_problems_are_missing_pages_and_errors_that_are_not_meant(root):
    executed = root / "_build/jupyter_execute/chapters"
    executed.mkdir(parents=True)
    for page in ("book/intro", "chapters/02_two"):
        (root / f"_build/html/{page}.html").parent.mkdir(parents=True, exist_ok=True)
        (root / f"_build/html/{page}.html").write_text("")
    error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
    write_chapter(executed / "02_two.ipynb", "1 / 0", **error)
    assert build.problems() == [
        "no page for chapters/01_one",
        "chapters/01_one was not executed",
        "chapters/02_two: cell 0 ends in an error",
    ]
    notebook = json.loads((executed / "02_two.ipynb").read_text())
    notebook["cells"][0]["metadata"]["tags"] = ["raises-exception"]
    (executed / "02_two.ipynb").write_text(json.dumps(notebook))
    assert len(build.problems()) == 2


def test_claims_replace_those_of_an_earlier_run_of_the_chapter(root, monkeypatch):
    monkeypatch.setenv("BOOK_CLAIMS", "")
    monkeypatch.setenv("BOOK_CHAPTER", "")
    app = type("App", (), {"outdir": str(root / "_build/html")})
    book_claims.name_ledger(app, "chapters/01_one", [""])
    new = Path(build.os.environ["BOOK_CLAIMS"])
    assert build.os.environ["BOOK_CHAPTER"] == "chapters/01_one"
    (root / "_build/claims/01_one.jsonl").write_text("old")
    (root / "_build/claims/02_two.jsonl").write_text("kept")
    new.write_text("new")
    (root / "_build/claims/03_three.jsonl.new").write_text("failed")
    (root / "_build/html/reports/chapters").mkdir(parents=True)
    (root / "_build/html/reports/chapters/03_three.err.log").write_text("Traceback")
    build.keep_claims()
    files = {path.name: path.read_text() for path in (root / "_build/claims").iterdir()}
    assert files == {"01_one.jsonl": "new", "02_two.jsonl": "kept"}


def archive(path: Path, *names: str) -> str:
    """An npm archive with these files; its SHA-256."""
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(f"package/es5/{name}")
            member.size = 1
            tar.addfile(member, BytesIO(b"x"))
    return hashlib.sha256(path.read_bytes()).hexdigest()


NEEDED = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2/a.woff", "input/tex/extensions/b.js")


def test_vendor_takes_what_is_wanted_from_the_pinned_archive_alone(tmp_path):
    sha = archive(tmp_path / "a.tgz", *NEEDED, "tex-svg.js", "input/tex/extensions/../../x")
    vendor.unpack(tmp_path / "a.tgz", sha, tmp_path / "out")
    found = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert found == sorted(NEEDED)
    with pytest.raises(RuntimeError, match="is pinned"):
        vendor.unpack(tmp_path / "a.tgz", "0" * 64, tmp_path / "other")
    sha = archive(tmp_path / "b.tgz", *NEEDED[:2])
    with pytest.raises(RuntimeError, match="lacks input/tex/extensions/"):
        vendor.unpack(tmp_path / "b.tgz", sha, tmp_path / "other")


def test_vendor_leaves_nothing_half_written(tmp_path, monkeypatch):
    def pack(command, cwd, **more):
        archive(cwd / "mathjax.tgz", *NEEDED)

    monkeypatch.setattr(vendor, "find_npm", lambda scratch: "npm")
    monkeypatch.setattr(vendor.subprocess, "run", pack)
    target = tmp_path / "vendor/mathjax"
    with pytest.raises(RuntimeError, match="is pinned"):
        vendor.fetch(target)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


class Script:
    def __init__(self, body: str | None) -> None:
        self.attributes = {"body": body} if body else {}


@pytest.mark.parametrize(("thebe", "kept"), [(False, ["x", None, None]), (True, ["x", None, "t"])])
def test_scripts_that_come_twice_or_for_nothing_are_dropped(thebe, kept):
    scripts = [Script("x"), Script(None), Script("x"), Script("THEBE_JS_URL"), Script(None)]
    if thebe:
        kept = ["x", None, "THEBE_JS_URL", None]
    config = type("C", (), {"html_theme_options": {"launch_buttons": {"thebe": thebe}}})
    context = {"script_files": scripts}
    book_scripts.tidy(type("A", (), {"config": config}), "p", "t", context, None)
    assert [script.attributes.get("body") for script in context["script_files"]] == kept
