"""Serves the built book on this machine, with the headers that the site should have anywhere.

python book/serve.py [PORT]
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

HTML = Path(__file__).resolve().parents[1] / "_build" / "html"


def headers(path: Path) -> list[tuple[str, str]]:
    """The headers that a file `_headers` gives for all pages.

    Raises:
        ValueError: it has rules for single pages, which this server doesn't know.
    """
    found: list[tuple[str, str]] = []
    for line in path.read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            name, value = line.strip().split(": ", 1)
            found.append((name, value))
        elif line.strip() != "/*":
            raise ValueError(f"{path}: only rules for /* are understood, not {line!r}")
    return found


class Handler(http.server.SimpleHTTPRequestHandler):
    more: tuple[tuple[str, str], ...] = ()

    def __init__(self, *args: object, more: list[tuple[str, str]], **named: object) -> None:
        self.more = tuple(more)
        super().__init__(*args, **named)  # type: ignore[arg-type]

    def end_headers(self) -> None:
        for name, value in self.more:
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a test prints what goes wrong."""


def server(folder: Path, port: int = 0, site: Path | None = None) -> http.server.HTTPServer:
    """A server for a folder; `site` is the one with the file `_headers`, if another."""
    path = (site or folder) / "_headers"
    more = headers(path) if path.exists() else []
    handler = functools.partial(Handler, directory=str(folder), more=more)
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


@contextlib.contextmanager
def serve(folder: Path, site: Path | None = None) -> Iterator[str]:
    """Serve a folder on this machine alone; gives the address without a closing slash."""
    instance = server(folder, site=site)
    thread = threading.Thread(target=instance.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{instance.server_port}"
    finally:
        instance.shutdown()
        instance.server_close()


def main() -> None:
    instance = server(HTML, int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
    print(f"http://127.0.0.1:{instance.server_port}/  (Ctrl-C stops)", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        instance.serve_forever()


if __name__ == "__main__":
    main()
