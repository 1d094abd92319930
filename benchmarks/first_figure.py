"""How soon after a page has loaded its first live figure can be used, and how long the page takes.

    python benchmarks/first_figure.py [COUNT]

Opens each chapter of the built book COUNT (5) times from this machine, nothing cached, and prints
the median and the worst: milliseconds from the start of the navigation to the load event, and from
the load event until every figure stands on the page and answers (0: it stood there before).
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "book"))
import browser as chromium
import build

VIEW = "script[type='application/vnd.jupyter.widget-view+json']"
WATCH = """new MutationObserver((_, self) => {
  if (document.documentElement?.dataset.figures !== "ready") return;
  self.disconnect();
  window.figuresReady = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true })"""
TIMES = """() => {
  const load = performance.getEntriesByType("navigation")[0].loadEventEnd;
  return [load, Math.max(0, window.figuresReady - load)];
}"""


def visit(running: Browser, url: str) -> tuple[float, float] | None:
    """Milliseconds to the load event and from there to the figures; None without figures."""
    context = running.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(url, wait_until="load")
    found = None
    if page.locator(VIEW).count():
        page.wait_for_function("window.figuresReady !== undefined")
        found = tuple(page.evaluate(TIMES))
    context.close()
    return found


def main(count: int) -> None:
    with sync_playwright() as playwright, chromium.serve(build.HTML) as address:
        running = playwright.chromium.launch(
            executable_path=chromium.chromium(), args=chromium.FLAGS
        )
        for name in build.toc_pages():
            times = [visit(running, f"{address}/{name}.html") for _ in range(count)]
            seen = [time for time in times if time is not None]
            if not seen:
                print(f"{name:40} no live figure")
                continue
            load, ready = (list(column) for column in zip(*seen, strict=True))
            print(
                f"{name:40} load {median(load):5.0f} ms (worst {max(load):5.0f}), "
                f"figures {median(ready):4.0f} ms after it (worst {max(ready):4.0f})",
                flush=True,
            )
        running.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
