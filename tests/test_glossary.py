"""The glossary and the links that lead to it: nothing undefined, nothing linked twice or late."""

from __future__ import annotations

import re
from collections import Counter

import book_glossary
import build
import nbformat
import pytest
from bs4 import BeautifulSoup
from docutils import nodes

ROOT = build.ROOT
CHAPTERS = [page for page in build.toc_pages() if page.startswith("chapters/")]
# terms of a chapter on scores that the book doesn't have yet
WAITING = {"concat score", "entropy of the weights", "sharpness"}
ROLE = re.compile(r"\{term\}`([^`]+)`")
# fences, displayed maths, roles, code, maths, links, headings, rows of tables: not prose
NOT_PROSE = re.compile(
    r"^:::.*?^:::\s*$|^```.*?^```\s*$|\$\$.*?\$\$|\{[a-z:]+\}`[^`]*`|`[^`]*`"
    r"|(?<!\\)\$[^$]*\$|\[[^\]]*\]\([^)]*\)|^#.*?$|^\|.*?$",
    re.MULTILINE | re.DOTALL,
)


def entries() -> dict[str, list[str]]:
    """Each entry of the glossary: its terms, the headword first, and what explains them."""
    text = (ROOT / "book/glossary.md").read_text("utf-8")
    match = re.search(r"^```\{glossary\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert match
    found: dict[str, list[str]] = {}
    terms: list[str] = []
    fresh = True
    for line in match[1].splitlines():
        if line and not line.startswith(" "):
            terms = [*([] if fresh else terms), line]
            fresh = False
        elif line:
            fresh = True
            found.setdefault("\n".join(terms), []).append(line.strip())
        elif terms:
            found.setdefault("\n".join(terms), []).append("")
    return found


def terms() -> list[str]:
    return [term for names in entries() for term in names.split("\n")]


def cells(page: str) -> list[str]:
    notebook = nbformat.read(ROOT / f"{page}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def body(page: str) -> str:
    """The chapter's markdown from its first section to its exercises."""
    text = "\n\n".join(cells(page))
    return text[text.index("\n## ") : text.index("\n## Exercises")]


def targets(text: str) -> list[str]:
    """The terms that markdown links to, in lower case and in order."""
    found = []
    for content in ROLE.findall(text):
        named = re.search(r"<([^<>]+)>$", content)
        found.append(" ".join((named[1] if named else content).lower().split()))
    return found


def headword(term: str) -> str:
    """The first term of the entry to which a term belongs."""
    for names in entries():
        if term in names.lower().split("\n"):
            return names.split("\n")[0].lower()
    raise AssertionError(f"{term!r} isn't in book/glossary.md")


def test_entries_are_sorted_short_and_unique():
    heads = [names.split("\n")[0].lower() for names in entries()]
    assert heads == sorted(heads)
    assert [term for term, n in Counter(term.lower() for term in terms()).items() if n > 1] == []
    for names, lines in entries().items():
        first = " ".join(lines[: lines.index("")] if "" in lines else lines)
        assert 1 <= len(re.findall(r"[.!?](?=\s|$)", first)) <= 3, names
        assert len(first) <= 300, names
        assert not re.search(r"\$|\{", first), f"{names}: maths and roles go below the first blank"


def test_the_words_that_readers_look_for_are_there():
    wanted = {"NMT", "teacher forcing", "positional encoding", "causal mask for inference"}
    assert wanted <= set(terms())


@pytest.mark.parametrize("page", CHAPTERS)
def test_links_lead_to_entries_and_once_each(page):
    linked = targets("\n".join(cells(page)))
    assert linked, "no word of this chapter is linked"
    again = [term for term, n in Counter(map(headword, linked)).items() if n > 1]
    assert again == [], "linked more than once"
    for cell in cells(page):
        for line in cell.splitlines():
            assert not (line.startswith("#") and "{term}" in line), f"a link in a heading: {line}"


def test_every_entry_is_linked_from_a_chapter():
    linked = {headword(term) for page in CHAPTERS for term in targets("\n".join(cells(page)))}
    missing = {names.split("\n")[0].lower() for names in entries()} - linked
    assert missing <= WAITING, missing - WAITING
    if any("10_" in page for page in CHAPTERS):
        assert missing == set(), "link these where chapter 10 defines them"


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_term_of_several_words_is_linked_where_it_is_first_used_or_defined(page):
    text = body(page)
    plain = NOT_PROSE.sub(lambda match: re.sub(r"\S", "\0", match[0]), text)
    linked = set(map(headword, targets(text)))
    for names in entries():
        head = names.split("\n")[0]
        pattern = r"(?<![\w-])" + r"\s+".join(map(re.escape, head.split())) + r"(?![\w-])"
        used = re.search(pattern, plain, re.IGNORECASE)
        if not used:
            continue
        if head.lower() not in linked:
            where = text[used.start() - 40 :][:90]
            assert " " not in head, f"{head!r} is used and not linked: {where!r}"
            continue
        link = next(m for m in ROLE.finditer(text) if headword(targets(m[0])[0]) == head.lower())
        defined = text[: link.start()].endswith(("*", "**"))
        assert defined or link.start() < used.start(), f"{head!r} is used before it is linked"


# --- the definitions on the page

LINK = '<a class="reference internal" href="../book/glossary.html#term-mask">{}</a>'


def paragraph(*children: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", *children)


def glossary(*first: nodes.Node) -> nodes.document:
    """A document with one entry, which has two terms."""
    document = nodes.document(None, None)
    item = nodes.definition_list_item()
    item += [nodes.term("", "mask", ids=["term-mask"]), nodes.term("", "masks", ids=["term-masks"])]
    item += nodes.definition("", paragraph(*first), paragraph(nodes.Text("More.")))
    document += nodes.definition_list("", item)
    return document


def test_definitions_are_first_paragraphs():
    found = book_glossary.definitions(
        glossary(nodes.Text("a < b, "), nodes.emphasis("", "so"), nodes.literal("", "<eos>"))
    )
    text = "a &lt; b, <em>so</em><code>&lt;eos&gt;</code>"
    assert found == {"term-mask": text, "term-masks": text}
    with pytest.raises(ValueError, match="math: 'x'"):
        book_glossary.definitions(glossary(nodes.math("", "x")))
    empty = glossary()
    next(empty.findall(nodes.definition)).clear()
    with pytest.raises(ValueError, match="'mask' has no definition"):
        book_glossary.definitions(empty)


def test_a_page_holds_what_its_links_mean():
    text = f"<p>{LINK.format('mask')}, {LINK.format('masks')}</p><p><a href='x.html'>x</a></p>"
    soup = BeautifulSoup(book_glossary.with_definitions(text, {"term-mask": "It hides."}), "lxml")
    links = soup.select("a.term")
    assert [link["aria-describedby"] for link in links] == ["about-term-mask"] * 2
    (box,) = soup.select("[role=tooltip]")
    assert box["id"] == "about-term-mask" and box.has_attr("hidden") and box.text == "It hides."
    assert not soup.select("[style], style, script")
    assert "class" not in soup.select("a")[2].attrs


def test_a_page_without_terms_stays_as_it_is():
    body = "<p>a &amp; b<br><a href='notation.html#term-mask'>x</a></p>"
    assert book_glossary.with_definitions(body, {}) == body


def test_a_term_without_definition_is_an_error():
    with pytest.raises(KeyError, match="term-mask"):
        book_glossary.with_definitions(LINK, {})
