"""Sphinx extension: the page of all claims, `claims.json`, and a stamp on each chapter.

Claims are recorded while a chapter runs (`seq2seq_attention.claims`, `book_claims`); what is shown
here is what the run behind the page has measured. A claim that fails ends the build long before.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FIELDS = ("chapter", "statement", "value", "threshold", "seeds", "holds")
COLUMNS = (("statement", 62), ("measured", 14), ("compared with", 14), ("seeds", 10))


class Ledger(nodes.General, nodes.Element):  # type: ignore[misc]
    """Stands where the tables come, until all chapters have been read."""


class LedgerDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [Ledger()]


def records(folder: Path, page: str) -> list[dict[str, Any]]:
    """The claims of the run that a page shows: of this build, or else of the one in the cache."""
    for suffix in (".jsonl.new", ".jsonl"):
        path = folder / (Path(page).name + suffix)
        if path.exists():
            return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return []


def number(value: float | None) -> str:
    """Three digits are enough to read; `claims.json` has them all."""
    if value is None:
        return ""
    if abs(value) >= 1e5 or 0 < abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def stamp_text(found: list[dict[str, Any]], seconds: float | None) -> str:
    """When, with what and on what a chapter was run, in one line."""
    last = found[-1]
    day = datetime.fromisoformat(last["time"])
    took = "" if seconds is None else f" in {seconds:.0f} s"
    cores = last["cores"]
    held = f"{len(found)} claims held" if len(found) != 1 else "1 claim held"
    return (
        f"Executed on {day.day} {day:%B %Y}{took} with Python {last['python']} and "
        f"PyTorch {last['torch']} on {cores} core{'s' * (cores != 1)} ({last['machine']}); {held}."
    )


def table(found: list[dict[str, Any]]) -> nodes.Node:
    group = nodes.tgroup(cols=len(COLUMNS))
    group += [nodes.colspec(colwidth=width) for _, width in COLUMNS]
    head, body = nodes.thead(), nodes.tbody()
    head += row([name for name, _ in COLUMNS])
    for one in found:
        cells = [one["statement"], number(one["value"]), number(one["threshold"])]
        body += row([*cells, str(one["seeds"])])
    group += [head, body]
    result = nodes.table(classes=["claims"])
    result += group
    return result


def row(texts: list[str]) -> nodes.row:
    result = nodes.row()
    for text in texts:
        entry = nodes.entry()
        entry += nodes.paragraph(text=text)
        result += entry
    return result


def chapters(env: Any) -> list[str]:
    """Pages that are chapters, in the order of their numbers."""
    return sorted(page for page in env.found_docs if page.startswith("chapters/"))


def folder_of(app: Any) -> Path:
    return Path(app.outdir).parent / "claims"


def fill(app: Any, doctree: nodes.document, docname: str) -> None:
    """Put tables in place of `Ledger`, and the stamp below a chapter's title."""
    for place in list(doctree.findall(Ledger)):
        parts: list[nodes.Node] = []
        for page in chapters(app.env):
            found = records(folder_of(app), page)
            if found:
                section = nodes.section(ids=[Path(page).name.replace("_", "-")])
                section += nodes.title(text=app.env.titles[page].astext())
                section += stamp(app, page, found, link=True)
                section += table(found)
                parts.append(section)
        place.replace_self(parts)
    found = records(folder_of(app), docname) if docname.startswith("chapters/") else []
    title = next(iter(doctree.findall(nodes.title)), None)
    if found and title is not None:
        title.parent.insert(title.parent.index(title) + 1, stamp(app, docname, found))


def stamp(app: Any, page: str, found: list[dict[str, Any]], link: bool = False) -> nodes.Node:
    ran = app.env.metadata.get(page, {}).get("exec_data") or exec_data(app.env, page)
    text = stamp_text(found, ran.get("runtime"))
    paragraph = nodes.paragraph(classes=["verified"])
    target = page if link else "book/claims"
    uri = app.builder.get_relative_uri("book/claims" if link else page, target)
    name = "Read the chapter." if link else "All claims."
    paragraph += [nodes.Text(f"{text} "), nodes.reference("", name, refuri=uri, internal=True)]
    return paragraph


def exec_data(env: Any, page: str) -> dict[str, Any]:
    """What MyST-NB noted of a notebook's run, or nothing."""
    stored = getattr(env, "nb_metadata", {}).get(page, {})
    return stored.get("exec_data") or {}


def write_json(app: Any, exception: Exception | None) -> None:
    """All claims as `claims.json` in the site's root, for machines."""
    if exception is not None or app.builder.name != "html":
        return
    every = [one for page in chapters(app.env) for one in records(folder_of(app), page)]
    kept = [{key: one[key] for key in FIELDS} for one in every]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in kept)
    Path(app.outdir, "claims.json").write_text(f"[\n{lines}\n]\n", "utf-8")


def setup(app: Any) -> dict[str, Any]:
    app.add_node(Ledger)
    app.add_directive("claims-ledger", LedgerDirective)
    app.connect("doctree-resolved", fill)
    app.connect("build-finished", write_json)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
