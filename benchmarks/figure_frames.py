"""How long AlignmentView takes to draw a change at 60 x 60 words with 100 snapshots.

    python benchmarks/figure_frames.py [COUNT]

Prints, for both views and for peaked and random weights, the median and the worst of COUNT
(100) steps, snapshots and hovers, and the bytes of the packed weights.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from test_widgets_browser import CHROMIUM, FLAGS, frame_times, large, write_page


def main(count: int) -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for peaked in (True, False):
            for view in ("matrix", "flow"):
                figure = large(peaked, view)
                page = browser.new_page(viewport={"width": 1200, "height": 900})
                page.goto(write_page(Path(folder), figure))
                page.locator("html[data-figures=ready]").wait_for(state="attached")
                name = "peaked" if peaked else "random"
                for kind, times in frame_times(page, count).items():
                    print(
                        f"{name} {view:6} {kind:8} median {median(times):5.1f} ms, "
                        f"worst {max(times):5.1f} ms",
                        flush=True,
                    )
                page.close()
            print(f"{name}: {len(figure.weights)} bytes of weights")
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
