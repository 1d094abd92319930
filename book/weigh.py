"""What each page loads before its reader touches anything, gzipped, maths and fonts aside.

python book/weigh.py        a table: as the theme wrote the page, as it is, and of what

"now" is measured in Chromium: all that it asks for until the page is still, at 1280 × 900.
"before" is counted from the page as the theme wrote it, which the build keeps a note of.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

LIMIT = 400_000  # bytes, for a chapter
ASIDE = re.compile(r"/mathjax/|\.(woff2?|ttf|otf)$")
PACKED = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".woff", ".woff2", ".zip"}
LOADS = re.compile(r"<(script|link|img)\b[^>]*?\b(?:src|href)=\"([^\"#]+)\"[^>]*>")
NEEDED = re.compile(r'rel="(stylesheet|preload)"')


def packed(path: Path) -> int:
    """Bytes on the way: gzipped, or as they are if they are packed already."""
    data = path.read_bytes()
    return len(data) if path.suffix in PACKED else len(gzip.compress(data, 6))


def kind(path: Path) -> str:
    names = {".html": "page", ".js": "scripts", ".css": "styles"}
    return names.get(path.suffix, "pictures")


def weights(paths: Iterable[Path]) -> dict[str, int]:
    """Bytes by kind, maths and fonts aside."""
    total = dict.fromkeys(("page", "scripts", "styles", "pictures"), 0)
    for path in sorted(set(paths)):
        if not ASIDE.search(path.as_posix()):
            total[kind(path)] += packed(path)
    return total


def written(page: Path) -> Iterator[Path]:
    """The files that a page names: scripts, styles and those that styles import, pictures."""
    yield page
    for match in LOADS.finditer(page.read_text("utf-8")):
        tag, url = match[1], match[2]
        if tag == "link" and not NEEDED.search(match[0]):
            continue
        path = (page.parent / unquote(urlsplit(url).path)).resolve()
        if path.is_file():
            yield path
            if path.suffix == ".css":
                for name in re.findall(r"@import\s+(?:url\()?[\"']?([^\"')]+)", path.read_text()):
                    if (path.parent / name).is_file():
                        yield (path.parent / name).resolve()


def note(html: Path, pages: Iterable[Path]) -> None:
    """Keep what the pages weigh before the build finishes them."""
    before = {p.relative_to(html).as_posix(): weights(written(p)) for p in pages}
    (html.parent / "weight.json").write_text(json.dumps(before, indent=1), "utf-8")


def loaded(page: object, address: str, html: Path, name: str) -> dict[str, int]:
    """The weights of what a Playwright page asks for while it opens a page of the book."""
    paths: list[Path] = []

    def ask(request: object) -> None:
        url = urlsplit(request.url)  # type: ignore[attr-defined]
        path = html / unquote(url.path).lstrip("/")
        if url.scheme == "http" and path.is_file():
            paths.append(path)

    page.on("request", ask)  # type: ignore[attr-defined]
    page.goto(f"{address}/{name}", wait_until="networkidle")  # type: ignore[attr-defined]
    return weights(paths)


def main() -> None:
    import browser
    import build
    from playwright.sync_api import sync_playwright

    before = json.loads((build.BUILD / "weight.json").read_text("utf-8"))
    print("kB gzipped, maths and fonts aside:  before    now   (page scripts styles pictures)")
    with sync_playwright() as playwright, browser.serve(build.HTML) as address:
        chromium = playwright.chromium.launch(
            executable_path=browser.chromium(), args=browser.FLAGS
        )
        for name in [*(f"{page}.html" for page in build.toc_pages()), "search.html"]:
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            now = loaded(page, address, build.HTML, name)
            page.close()
            parts = " ".join(f"{value / 1000:8.1f}" for value in now.values())
            was = sum(before[name].values()) / 1000
            print(f"{name:<35} {was:8.1f} {sum(now.values()) / 1000:6.1f}  {parts}", flush=True)
        chromium.close()


if __name__ == "__main__":
    main()
