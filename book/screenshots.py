"""Pictures of every page, wide and narrow, light and dark, in _build/screenshots."""

from __future__ import annotations

from pathlib import Path

import browser
import build
from playwright.sync_api import sync_playwright

FOLDER = build.BUILD / "screenshots"
WIDTHS = (1280, 390)
# Pictures load when they come into sight, and nothing scrolls here.
LOADED = """Promise.all([...document.images].filter((image) => image.offsetParent).map((image) => {
  image.loading = "eager";
  return image.decode();
}))"""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright, browser.serve(build.HTML) as address:
        chromium = playwright.chromium.launch(
            executable_path=browser.chromium(), args=browser.FLAGS
        )
        for theme in ("light", "dark"):
            for width in WIDTHS:
                page = chromium.new_page(
                    viewport={"width": width, "height": 900}, color_scheme=theme
                )
                for name in [*build.toc_pages(), "search"]:
                    page.goto(f"{address}/{name}.html", wait_until="load")
                    page.evaluate("window.MathJax && MathJax.startup && MathJax.startup.promise")
                    page.evaluate(LOADED)
                    page.wait_for_timeout(300)
                    path = FOLDER / f"{Path(name).name}-{width}-{theme}.png"
                    page.screenshot(path=path, full_page=True)
                    print(path.relative_to(build.ROOT), flush=True)
                page.close()
        chromium.close()


if __name__ == "__main__":
    main()
