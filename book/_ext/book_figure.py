"""Sphinx extension: the translator on a page that is no notebook, such as the home page.

    ```{translator} numbers dates
    :text: forty two
    :title: Type a number
    ```

names the tasks of `seq2seq_attention.shipped`, and puts the figure in as a chapter's output would:
a script of the figure's state and one of its view. `book_pages` finishes both.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

RUNTIME = "widgets/anywidget-lite.js"
SCRIPT = '<script type="application/vnd.jupyter.widget-{}+json">{}</script>'

WITHOUT = "<noscript><p>A live figure stands here; it needs JavaScript.</p></noscript>"


def markup(tasks: list[str], text: str | None, title: str, name: str) -> str:
    """The HTML of a translator; `name` takes the place of its random id, so builds are alike."""
    from ipywidgets.embed import dependency_state, embed_data

    from seq2seq_attention.shipped import shipped_models
    from seq2seq_attention.widgets import TranslatorView

    view = TranslatorView(shipped_models(*tasks), text, title=title)
    data = embed_data(views=[view], state=dependency_state([view], drop_defaults=False))
    spec = data["view_specs"][0] | {"model_id": name}
    state = data["manager_state"]
    figure = state["state"][view.model_id]
    del figure["state"]["layout"]  # of no use here
    state["state"] = {name: figure}
    texts = [json.dumps(part).replace("</", "<\\/") for part in (state, spec)]
    return SCRIPT.format("state", texts[0]) + "\n" + SCRIPT.format("view", texts[1])


class TranslatorDirective(SphinxDirective):
    """Tasks as arguments; `text` and `title` as in TranslatorView."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "text": directives.unchanged,
        "title": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        tasks = self.arguments[0].split() if self.arguments else []
        name = f"translator{self.env.new_serialno('translator')}"
        try:
            html = markup(tasks, self.options.get("text"), self.options.get("title", ""), name)
        except ValueError as error:
            raise self.error(str(error)) from error
        metadata = self.env.metadata.setdefault(self.env.docname, {})
        metadata["translator"] = True
        return [nodes.raw("", f"<div>{html}\n{WITHOUT}</div>", format="html")]


def add_runtime(app: Any, page: str, _template: str, _context: Any, _doctree: Any) -> None:
    if app.env.metadata.get(page, {}).get("translator"):
        app.add_js_file(RUNTIME)


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("translator", TranslatorDirective)
    app.connect("html-page-context", add_runtime)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
