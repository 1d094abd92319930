"""Runs every chapter twice and compares its outputs with the committed ones, in full.

The second time a process beside it keeps the machine busy: a result that depends on timing shows.
And the second time all exercises are solved by their own folded solutions, after wrong answers.
    python tests/nbval_twice.py [chapters/NN_name.ipynb ...]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import solved

ROOT = Path(__file__).resolve().parents[1]
# it ends with the process that started it, however that ends
LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(1000))"
BUSY = [sys.executable, "-c", LOOP]
ENVIRON = {
    "OMP_NUM_THREADS": "1",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


def nbval(chapters: list[str]) -> int:
    """One pass over the chapters; pytest's exit status."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--nbval"]
    command += ["--nbval-sanitize-with", "tests/nbval_sanitize.cfg", "--nbval-current-env"]
    command += ["--nbval-cell-timeout", "300"]
    # two chapters side by side, each on one thread
    command += ["-n", str(min(2, os.cpu_count() or 1)), "--dist", "loadscope"]
    return subprocess.run([*command, *chapters], cwd=ROOT, env=os.environ | ENVIRON).returncode


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    chapters = sys.argv[1:] or sorted(map(str, (ROOT / "chapters").glob("*.ipynb")))
    for loaded in (False, True):
        print(f"\nevery chapter, {'solved, machine busy' if loaded else 'as it is'}", flush=True)
        start = time.monotonic()
        busy = subprocess.Popen(BUSY) if loaded else None
        paths = [str(solved.write([ROOT / name for name in chapters]))] if loaded else chapters
        try:
            status = nbval(paths)
        finally:
            if busy:
                busy.kill()
        print(f"{time.monotonic() - start:.0f} s", flush=True)
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
