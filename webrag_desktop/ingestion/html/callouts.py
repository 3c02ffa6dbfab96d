"""Callouts whose title is set as a heading or in a table (DocBook, Bootstrap): a keyword line with text below."""

import re

from turbohtml import Document, Element, Text

from webrag_desktop.ingestion.content_flags import is_admonition_keyword
from webrag_desktop.ingestion.html.names import PageNames

_DOCBOOK = ("note", "warning", "tip", "important", "caution")
_BOX = re.compile(r"-(?:note|warning|tip|important|caution|danger|info|alert)-|admonition|callout")


def plain_callouts(document: Document, names: PageNames) -> None:
    """Rewrite in place: what stands above a callout begins no section of the page, and its box is no table."""
    boxes = names.classes_like(_BOX)
    if not boxes:
        return
    notes = names.narrowed([f"div.{kind}" for kind in _DOCBOOK])
    for table in document.select(f":is({notes}) > table") if notes else ():
        _unbox(table)
    for title in document.select(f":is({boxes}) > :is(h3,h4,h5,h6):first-child"):
        of_docbook = notes and title.has_class("title") and title.matches(f":is({notes}) > *")
        if of_docbook or is_admonition_keyword(" ".join(title.text.split())):
            title.tag = "p"


def _unbox(table: Element) -> None:
    """A picture over two rows beside title and text is how DocBook lays a callout out with graphics."""
    rows = table.select(":scope > tbody > tr")
    title = rows[0].select_one(":scope > td[rowspan] + th") if len(rows) == 2 else None
    text = rows[1].select_one(":scope > td:only-child") if title is not None else None
    if title is None or text is None:
        return
    words = " ".join(title.text.split())
    if _letters(table.text) != _letters(words + text.text) or not _out_of_links(table):
        return  # a table that says more would lose it
    if words:
        table.insert_before(Element("p", {"class": "title"}, [Text(words)]))
    for node in list(text.children):
        table.insert_before(node.extract())
    table.extract()


def _letters(text: str) -> str:
    return "".join(text.split())


def _out_of_links(table: Element) -> bool:
    """Whether no link is around the table: its cells may hold links, other parts of a link may not.

    Jump targets that were never closed, which are taken for such, are closed for it.
    """
    around = table.closest("a")
    while around is not None and around.attr("href") is None:
        target = around.attr("id") or around.attr("name")
        if target:
            around.insert_before(Element("a", {"id": target}))
        around.unwrap()
        around = table.closest("a")
    return around is None
