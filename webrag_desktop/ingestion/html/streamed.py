"""Parts of a page that are sent out of their place: fragments that React streams."""

import re
from collections.abc import Iterator

from turbohtml import Comment, Document, Element, Node

# $RC completes a boundary (with style sheets: $RR) by a hidden fragment; $RS puts a fragment where a placeholder is.
_MOVES = re.compile(r"""\$R([CRS])\(\s*["']([^"'\\]{1,200})["']\s*,\s*["']([^"'\\]{1,200})["']""")
_MOST_MOVES = 2_000
_STREAMED = 'div[hidden][id*="S:"]'


def place_fragments(document: Document) -> bool:
    """Bring what was sent out of its place to where a browser's scripts would show it; whether there was anything.

    React sends a part of a page that took longer as a hidden ``<div id="S:0">`` at the end, with a call that puts it in
    place of what stands between the comments around ``<template id="B:0">``. A fragment whose call is missing, as in
    saved pages, is shown where it is.
    """
    if document.select_one(_STREAMED) is None:
        return False
    places = _places(document)
    for script, first, second in _moves(document):
        target, fragment = (first, second) if script != "S" else (second, first)
        _move(places.get(target), places.get(fragment), completes=script != "S")
    for left in document.select(_STREAMED):
        if left.text.strip():
            del left.attrs["hidden"]
    return True


def _moves(document: Document) -> Iterator[tuple[str, str, str]]:
    calls = (call for script in document.select("script") for call in _MOVES.findall(script.text))
    for _count, (kind, first, second) in zip(range(_MOST_MOVES), calls, strict=False):
        yield kind, first, second


def _places(document: Document) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in document.select("template[id],div[hidden][id]"):
        found.setdefault(element.attr("id") or "", element)
    return found


def _move(target: Element | None, fragment: Element | None, *, completes: bool) -> None:
    """Put the children of ``fragment`` before ``target``, and take both away, with what stood in for it."""
    if target is None or fragment is None or target.tag != "template" or target.parent is None:
        return
    if fragment.parent is None or fragment in target.ancestors:  # moved already, or a page that plays tricks
        return
    if completes:
        for stand_in in list(_stand_ins(target)):
            stand_in.extract()
    for child in list(fragment.children):
        target.insert_before(child.extract())
    fragment.extract()
    target.extract()


def _stand_ins(template: Element) -> Iterator[Node]:
    """What is behind a boundary's template, up to the comment that ends the boundary."""
    depth = 0
    for node in list(template.next_siblings):
        if isinstance(node, Comment):
            said = node.data
            if said == "/$":
                if not depth:
                    return
                depth -= 1
            elif said.startswith("$"):
                depth += 1
        yield node
