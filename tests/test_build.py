"""The build's own steps, on small made-up books."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
from io import BytesIO
from pathlib import Path

import book_claims
import book_scripts
import browser
import build
import environment
import nbformat
import nbval_twice
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
        (root / "_build/claims").mkdir(exist_ok=True)
        (root / f"_build/claims/{path.stem}.jsonl").touch()


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
    assert ledgers(root) == ["01_one"]


def ledgers(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / "_build/claims").glob("*.jsonl"))


def test_a_chapter_executed_again_leaves_no_old_claims(root):
    build.forget_outdated({})
    execute_all(root)
    write_chapter(root / "chapters/01_one.ipynb", "2 + 2")
    build.forget_outdated(build.read_state())
    assert ledgers(root) == ["02_two"]


def test_a_lost_ledger_executes_its_chapter_again(root):
    build.forget_outdated({})
    execute_all(root)
    (root / "_build/claims/02_two.jsonl").unlink()
    build.forget_outdated(build.read_state())
    assert cached(root) == ["01_one"]


def test_claims_of_a_build_that_was_stopped_are_kept(root, monkeypatch):
    """Chapter 1 was finished, 2 was not; then the build goes on."""
    build.forget_outdated({})
    execute_all(root)
    store = build.cache()
    store.remove_cache(next(r.pk for r in store.list_cache_records() if "02_two" in r.uri))
    for name in ("01_one", "02_two"):
        (root / f"_build/claims/{name}.jsonl.new").write_text(name)
    seen = {}

    def sphinx() -> int:
        for path in (root / "_build/claims").iterdir():
            seen[path.name] = path.read_text()
        execute_all(root)
        return 1

    monkeypatch.setattr(build, "run_sphinx", sphinx)
    monkeypatch.setattr(build.vendor, "fetch", lambda: None)
    assert build.build() == 1  # there are no pages
    assert seen == {"01_one.jsonl": "01_one"}
    assert ledgers(root) == ["01_one", "02_two"]


def test_no_network_is_said_in_words(root, monkeypatch, capsys):
    def fetch() -> None:
        raise subprocess.CalledProcessError(1, ["npm", "pack"])

    monkeypatch.setattr(build.vendor, "fetch", fetch)
    assert build.build() == 1
    assert "needs the network" in capsys.readouterr().out


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
    (root / "_build/claims").mkdir()
    (root / "_build/claims/02_two.jsonl").touch()
    assert build.problems() == [
        "no page for chapters/01_one",
        "chapters/01_one was not executed",
        "chapters/02_two: cell 0 ends in an error",
    ]
    notebook = json.loads((executed / "02_two.ipynb").read_text())
    notebook["cells"][0]["metadata"]["tags"] = ["raises-exception"]
    (executed / "02_two.ipynb").write_text(json.dumps(notebook))
    assert len(build.problems()) == 2
    (root / "_build/claims/02_two.jsonl").unlink()
    assert build.problems()[2:] == ["chapters/02_two has no ledger of claims"]


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


def test_vendor_names_an_npm_that_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(vendor, "find_npm", lambda scratch: "/usr/bin/npm")
    monkeypatch.setattr(vendor.subprocess, "run", lambda *a, **k: None)
    with pytest.raises(RuntimeError, match="/usr/bin/npm pack left 0 archives"):
        vendor.fetch(tmp_path / "vendor/mathjax")


def test_vendor_repairs_a_folder_that_is_not_whole(tmp_path, monkeypatch):
    packed = tmp_path / "packed.tgz"
    monkeypatch.setattr(vendor, "SHA256", archive(packed, *NEEDED))
    monkeypatch.setattr(vendor, "find_npm", lambda scratch: "npm")
    monkeypatch.setattr(
        vendor.subprocess, "run", lambda command, cwd, **more: shutil.copy(packed, cwd)
    )
    target = tmp_path / "vendor/mathjax"
    target.mkdir(parents=True)
    vendor.fetch(target)
    (target / "tex-mml-chtml.js").unlink()
    vendor.fetch(target)
    assert (target / "tex-mml-chtml.js").exists()
    monkeypatch.setattr(vendor, "find_npm", None)  # not asked again
    vendor.fetch(target)


def test_environment_takes_over_one_that_the_reader_made(tmp_path, monkeypatch):
    base = getattr(sys, "_base_executable", sys.executable)
    subprocess.run([base, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    monkeypatch.setattr(environment, "FOLDER", tmp_path / ".venv")
    done = subprocess.CompletedProcess([], 0, b"", b"")
    monkeypatch.setattr(environment.subprocess, "run", lambda *a, **k: done)
    environment.make()
    assert (tmp_path / ".venv/book-stamp").exists()


def test_chromium_that_apt_cannot_install_says_what_to_do(monkeypatch):
    monkeypatch.setattr(browser, "find_chromium", lambda: None)
    monkeypatch.setattr(browser.shutil, "which", lambda name: name)
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    failed = subprocess.CompletedProcess([], 100)
    monkeypatch.setattr(browser.subprocess, "run", lambda *a, **k: failed)
    with pytest.raises(RuntimeError, match="apt-get update failed.*set CHROMIUM"):
        browser.install()


def test_the_busy_process_ends_with_its_parent():
    start = "import subprocess, sys, time; print(subprocess.Popen(sys.argv[1:]).pid, flush=True)"
    command = [sys.executable, "-c", f"{start}; time.sleep(60)", *nbval_twice.BUSY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        busy = int(parent.stdout.readline())
        time.sleep(0.5)  # it has started by then
        parent.kill()
    for _ in range(50):
        if not running(busy):
            return
        time.sleep(0.1)
    os.kill(busy, 9)
    pytest.fail("still running")


def running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(state.stdout.strip()) and not state.stdout.startswith("Z")


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


def test_the_package_names_every_library_that_it_imports():
    """Else it fails where it is installed alone, on Colab or in an empty folder."""
    named = tomllib.loads((build.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = {re.split(r"[<>=!~]", item)[0].lower() for item in named["dependencies"]}
    known |= {"traitlets", "ipython"}  # ipywidgets brings them
    used = set()
    for path in (build.ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                used |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                used.add(node.module.split(".")[0])
    used -= {*sys.stdlib_module_names, "seq2seq_attention"}
    assert {name.lower() for name in used} <= known
