"""Sphinx extension: what a term means, on the page that uses it.

A word that links to the glossary gets its definition: the first paragraph of the entry, put at
the end of the page, hidden, as a `role="tooltip"` that the link names in `aria-describedby`. So
who listens to a page hears it without a script; book/assets/terms.js shows it to all others,
from disk and without a network too. Without the script the link still leads to the glossary.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes

PAGE = "book/glossary"
TARGET = re.compile(r"(?:^|/)glossary\.html#(term-[^#]+)$")
TAGS = {"emphasis": "em", "strong": "strong", "literal": "code"}


def inline(node: Any) -> str:
    """A paragraph of plain and emphasised text and code as HTML; anything else is an error."""
    if isinstance(node, nodes.Text):
        return escape(str(node), quote=False)
    inner = "".join(map(inline, node.children))
    if node.tagname == "paragraph":
        return inner
    if node.tagname not in TAGS:
        where = node.astext()
        raise ValueError(
            f"glossary: a definition's first paragraph is text, emphasis and code, not "
            f"{node.tagname}: {where!r}"
        )
    tag = TAGS[node.tagname]
    return f"<{tag}>{inner}</{tag}>"


def definitions(document: nodes.document) -> dict[str, str]:
    """For each term of the glossary, by its id, the first paragraph that defines it, as HTML."""
    found: dict[str, str] = {}
    for item in document.findall(nodes.definition_list_item):
        paragraph = next(item.findall(nodes.paragraph), None)
        for term in item.findall(nodes.term):
            if paragraph is None:
                raise ValueError(f"glossary: {term.astext()!r} has no definition")
            found.update((name, inline(paragraph)) for name in term["ids"])
    return found


def with_definitions(body: str, known: dict[str, str]) -> str:
    """A page's body whose links to the glossary are described, with the definitions at its end."""
    soup = BeautifulSoup(body, "html.parser")
    used: dict[str, str] = {}
    for link in soup.find_all("a", href=TARGET):
        match = TARGET.search(str(link["href"]))
        assert match
        term = match[1]
        used[term] = known[term]
        link["class"] = "term"
        link["aria-describedby"] = f"about-{term}"
        link.attrs.pop("title", None)  # a second tooltip, the browser's own
    if not used:
        return body
    boxes = [
        f'<span class="about" role="tooltip" id="about-{term}" hidden>{text}</span>'
        for term, text in used.items()
    ]
    return f'{soup}<div class="abouts">{"".join(boxes)}</div>'


def describe(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    body = context.get("body", "")
    if page == PAGE or "glossary.html#term-" not in body:
        return
    if not hasattr(app.env, "book_definitions"):
        app.env.book_definitions = definitions(app.env.get_doctree(PAGE))
    context["body"] = with_definitions(body, app.env.book_definitions)
    app.add_js_file("terms.js")


def forget(app: Any, env: Any, docnames: list[str]) -> None:
    """A glossary read again is taken apart again."""
    if hasattr(env, "book_definitions"):
        del env.book_definitions


def setup(app: Any) -> dict[str, Any]:
    app.connect("env-before-read-docs", forget)
    app.connect("html-page-context", describe, priority=400)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
