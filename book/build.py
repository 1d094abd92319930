"""Builds the book: executes the chapters that need it, makes the pages, checks them.

    python book/build.py        (make book sets up the environment first)

A second run with nothing changed does nothing. A change in a chapter, or in what it imports and
reads, executes that chapter again; the others come from the cache. Warnings are errors.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import depends
import vendor
import yaml
from book_bootstrap import repository_address

ROOT = depends.ROOT
BUILD = ROOT / "_build"
HTML = BUILD / "html"
INPUTS = (
    "_config.yml _toc.yml requirements.lock pyproject.toml book/**/* chapters/*.ipynb src/**/*.py "
    "src/**/*.js src/**/*.css src/**/*.json src/**/*.s2s"
).split()
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NOISE = "[IPKernelApp] WARNING | Kernel is running over TCP"  # to this machine alone
HEARTBEAT = 15  # seconds of silence after which the build says that it lives
ENVIRON = {
    "OMP_NUM_THREADS": "1",  # more only spin-wait on networks this small
    "JUPYTER_PREFER_ENV_PATH": "1",  # this environment's kernel, not one in the home folder
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PYTHONUNBUFFERED": "1",
}


def toc_pages(root: Path = ROOT) -> list[str]:
    """The pages that _toc.yml lists, in reading order: "book/intro", "chapters/02_…" and so on."""

    def walk(node: Any) -> Iterator[str]:
        if isinstance(node, list):
            for item in node:
                yield from walk(item)
        elif isinstance(node, dict):
            yield from (node[key] for key in ("root", "file") if key in node)
            for key in ("parts", "chapters", "sections", "subtrees", "entries"):
                yield from walk(node.get(key))

    return list(walk(yaml.safe_load((root / "_toc.yml").read_text("utf-8"))))


def chapters(root: Path = ROOT) -> dict[str, Path]:
    """The pages that are notebooks, with their files."""
    paths = {page: root / f"{page}.ipynb" for page in toc_pages(root)}
    return {page: path for page, path in paths.items() if path.exists()}


def fingerprint() -> str:
    """Changes with anything that goes into the book."""
    paths = {path for pattern in INPUTS for path in ROOT.glob(pattern) if path.is_file()}
    kept = sorted(path for path in paths if path.suffix != ".pyc")
    where = f"{repository_address(os.environ)} {os.environ.get('BOOK_BRANCH')} {sys.version}"
    return depends.digest(kept, ROOT, where)


def read_state() -> dict[str, Any]:
    try:
        state: dict[str, Any] = json.loads((BUILD / "book.json").read_text("utf-8"))
        return state
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def write_state(state: dict[str, Any]) -> None:
    new = BUILD / "book.json.new"
    new.write_text(json.dumps(state, indent=1), "utf-8")
    new.replace(BUILD / "book.json")


def cache() -> Any:
    from jupyter_cache import get_cache  # slow to import, and not needed when nothing changed

    return get_cache(str(BUILD / ".jupyter_cache"))


def ledger(page: str) -> Path:
    """The claims of a chapter's last whole run; an empty file if it made none."""
    return BUILD / "claims" / f"{Path(page).name}.jsonl"


def forget_outdated(state: dict[str, Any]) -> None:
    """Drop from the cache each chapter whose code, modules or data have changed.

    So too one without a ledger. Ledgers that belong to no run in the cache go. The new keys are
    stored at once: what is in the cache later was executed after this. So the cache holds at
    most one run of a chapter, and the times and claims kept are of the run shown.
    """
    keys = {page: depends.chapter_key(path) for page, path in chapters().items()}
    old = state.get("keys", {})
    outdated = {
        str(path)
        for page, path in chapters().items()
        if old.get(page) != keys[page] or not ledger(page).exists()
    }
    store = cache()
    for record in store.list_cache_records():
        if record.uri in outdated or not Path(record.uri).exists():
            print(f"to be executed again, since it or what it uses changed: {record.uri}")
            store.remove_cache(record.pk)
    kept = {ledger(page) for page in seconds()}
    for path in (BUILD / "claims").glob("*.jsonl"):
        if path not in kept:
            path.unlink()
    write_state({"keys": keys})


def run_sphinx() -> int:
    """Run jupyter-book, passing on what it says; its exit status."""
    book = str(Path(sys.executable).with_name("jupyter-book"))
    command = [book, "build", ".", "--all", "-W", "-n", "--keep-going"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | ENVIRON | {"BOOK_BUILD": "1"},  # figures come in two renderings
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    start, last = time.monotonic(), ""
    while True:
        try:
            line = lines.get(timeout=HEARTBEAT)
        except queue.Empty:
            print(f"  … {time.monotonic() - start:.0f} s, still at: {last}", flush=True)
            continue
        if line is None:
            return process.wait()
        plain = COLOUR.sub("", line)
        if NOISE not in line:
            print(line if sys.stdout.isatty() else plain, end="", flush=True)
        last = plain.strip() or last


def error_logs(lines: int = 40) -> str:
    """The ends of the reports of chapters that failed in this build."""
    reports = sorted(HTML.glob("reports/**/*.err.log"))
    tails = [(path, path.read_text("utf-8").splitlines()[-lines:]) for path in reports]
    return "".join(f"\n--- {p.relative_to(ROOT)}\n" + "\n".join(tail) + "\n" for p, tail in tails)


def problems() -> list[str]:
    """What is wrong with the pages just made: what is missing, and outputs that are errors."""
    found = [f"no page for {p}" for p in toc_pages() if not (HTML / f"{p}.html").exists()]
    for page in chapters():
        executed = BUILD / "jupyter_execute" / f"{page}.ipynb"
        if not executed.exists():
            found.append(f"{page} was not executed")
            continue
        if not ledger(page).exists():
            found.append(f"{page} has no ledger of claims")
        for i, cell in enumerate(json.loads(executed.read_text("utf-8"))["cells"]):
            meant = "raises-exception" in cell["metadata"].get("tags", [])
            if not meant and any(o["output_type"] == "error" for o in cell.get("outputs", [])):
                found.append(f"{page}: cell {i} ends in an error")
    return found


def seconds() -> dict[str, float]:
    """How long each chapter took when it was last executed."""
    records = sorted(cache().list_cache_records(), key=lambda record: record.created)
    took = {record.uri: record.data.get("execution_seconds", 0.0) for record in records}
    return {page: took[str(path)] for page, path in chapters().items() if str(path) in took}


def keep_claims() -> None:
    """Put the claims of the chapters just executed in place of those of earlier runs."""
    failed = {path.name.removesuffix(".err.log") for path in HTML.glob("reports/**/*.err.log")}
    for path in sorted((BUILD / "claims").glob("*.jsonl.new")):
        if path.name.removesuffix(".jsonl.new") in failed:
            path.unlink()
        else:
            path.replace(path.with_suffix(""))


def report(took: dict[str, float], total: float) -> None:
    if took:
        print("\nseconds to execute, when last executed:")
        for page, value in took.items():
            print(f"  {value:6.1f}  {page}")
        print(f"  {sum(took.values()):6.1f}  together; this build took {total:.1f}")
    first = HTML / f"{toc_pages()[0]}.html"
    print(f"\nThe book: {first.as_uri()}\nWith search: make serve")


def build() -> int:
    start = time.monotonic()
    try:
        vendor.fetch()
    except vendor.FAILURES as error:
        print(f"could not fetch {vendor.PACKAGE}, which the pages load: {error}")
        print("The first build needs the network. The book was NOT built.")
        return 1
    state, now = read_state(), fingerprint()
    if state.get("fingerprint") == now and not problems():
        print("nothing has changed since the last build")
        report({}, 0)
        return 0
    keep_claims()  # of a build that was stopped: the chapters it finished are in the cache
    forget_outdated(state)
    # whole folders, so that no page, report or script of a former build is left
    for folder in (HTML, BUILD / "jupyter_execute"):
        shutil.rmtree(folder, ignore_errors=True)
    status = run_sphinx()
    keep_claims()
    for page in seconds():  # executed without a claim
        ledger(page).touch()
    found = problems()
    if status or found:
        print(error_logs(), *found, f"\nThe book was NOT built (status {status}).", sep="\n")
        return 1
    write_state(read_state() | {"fingerprint": now})
    report(seconds(), time.monotonic() - start)
    return 0


def main() -> int:
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second build waits for the first
        return build()


if __name__ == "__main__":
    sys.exit(main())
