"""Chromium for the tests and the screenshots; `serve` is that of book/serve.py.

python book/browser.py          installs Chromium where there is none, and prints its path
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from serve import serve as serve

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
HOW = (
    "The browser tests need Chromium. Install it (on Debian: apt-get install chromium), or set "
    "CHROMIUM to the path of a Chromium or Chrome."
)


def find_chromium() -> str | None:
    """Where Chromium is: CHROMIUM, else one on the PATH, else None.

    Raises:
        RuntimeError: CHROMIUM is set, but is not the path of a program.
    """
    named = os.environ.get("CHROMIUM")
    if named and not shutil.which(named):
        raise RuntimeError(f"CHROMIUM is {named}, but there is no such program. {HOW}")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def chromium() -> str:
    """As `find_chromium`, but RuntimeError if there is none."""
    found = find_chromium()
    if found is None:
        raise RuntimeError(HOW)
    return found


def install() -> str:
    """The path of Chromium, installed with apt where that is possible.

    Raises:
        RuntimeError: there is none, or apt can't install it; the message says what to do.
    """
    if find_chromium() is None and shutil.which("apt-get") and os.geteuid() == 0:
        print("no Chromium on this machine: installing it with apt-get", file=sys.stderr)
        environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            if subprocess.run(["apt-get", "-q", *command], env=environ, stdout=2).returncode:
                raise RuntimeError(f"apt-get {' '.join(command)} failed. {HOW}")
    return chromium()


if __name__ == "__main__":
    try:
        print(install())
    except RuntimeError as error:
        sys.exit(str(error))
