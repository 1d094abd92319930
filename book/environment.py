"""Makes the book's own environment, .venv, if it isn't there or isn't what it should be.

Runs with any Python from 3.11 and nothing installed:  python3 book/environment.py
"""

import fcntl
import hashlib
import importlib.util
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venv"
INPUTS = ("requirements.lock", "pyproject.toml")


def fingerprint() -> str:
    """Changes with anything that decides what is in the environment."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {ROOT}".encode())
    for name in INPUTS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def make() -> None:
    python = FOLDER / "bin" / "python"
    stamp = FOLDER / "book-stamp"
    wanted = fingerprint()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"installing what the book needs into {FOLDER} (once; minutes)", flush=True)
    stamp.unlink(missing_ok=True)
    same = FOLDER / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    # symlinks, as `python3 -m venv` makes them: one that is there already is left as it is
    venv.create(FOLDER, with_pip=True, symlinks=True, clear=not same.exists())
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", "requirements.lock"], cwd=ROOT, check=True)
    local = ["-q", "--no-deps", "--no-build-isolation", "-e", "."]
    subprocess.run([*pip, *local], cwd=ROOT, check=True)
    stamp.write_text(wanted)


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        sys.exit(
            f"this is Python {sys.version.split()[0]}, but the book needs 3.11 or later; "
            "name another one: make PYTHON=/path/to/python3"
        )
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit("this Python can't make environments; on Debian: apt-get install python3-venv")
    with open(ROOT / ".venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second make waits for the first
        try:
            make()
        except subprocess.CalledProcessError as error:
            sys.exit(f"installing failed: {' '.join(map(str, error.cmd))}")
