"""How long a decoder step of the home page's translator takes.

    python benchmarks/translator_steps.py [COUNT]

Types COUNT (200) unseen numbers into the built home page, on one core of this machine. Both models
translate each of them, greedily, within the event that types it; so its time, divided by the steps
of both, is what a step costs with encoding and everything that is written to the page. Prints the
median and the 95th percentile, by the length of the source.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import sync_playwright

from seq2seq_attention.evaluate import LENGTHS
from seq2seq_attention.recipes import number_splits

sys.path.insert(0, str(Path(__file__).parents[1] / "book"))
import browser as chromium
import build

TYPE = """(texts) => {
  const field = (name) => document.querySelector(`[data-testid=translator-${name}]`);
  return texts.map((text) => {
    const start = performance.now();
    field("input").value = text;
    field("input").dispatchEvent(new Event("input", { bubbles: true }));
    const took = performance.now() - start;
    const words = ["output", "other"].map((name) => field(name).textContent.split(" ").length);
    return [took, words[0] + words[1] + 2]; // each model says the end, too
  });
}"""


def main(count: int) -> None:
    pairs = random.Random(0).sample(number_splits().test, count)
    with sync_playwright() as playwright, chromium.serve(build.HTML) as address:
        running = playwright.chromium.launch(
            executable_path=chromium.chromium(), args=chromium.FLAGS
        )
        page = running.new_page()
        page.goto(f"{address}/book/intro.html")
        page.locator("html[data-figures=ready]").wait_for(state="attached")
        times = page.evaluate(TYPE, [" ".join(pair.src) for pair in pairs])
        running.close()
    for low, high in LENGTHS:
        each = [
            took / steps
            for pair, (took, steps) in zip(pairs, times, strict=True)
            if low <= len(pair.src) <= high
        ]
        if len(each) > 1:
            print(
                f"{low:2}–{high:2} words, {len(each):3} sentences: a step {median(each):.2f} ms, "
                f"95th percentile {quantiles(each, n=20)[-1]:.2f} ms"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
