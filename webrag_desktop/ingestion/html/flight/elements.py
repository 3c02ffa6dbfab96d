"""HTML of the elements in flight data: what React would show of them, without what only scripts know."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from webrag_desktop.ingestion.html.flight.rows import FlightRows, is_element

_TAG = re.compile(r"[a-z][a-z0-9]{0,30}")
_UNSEEN = frozenset("script style link meta base template noscript iframe object embed".split())
_SEEN_THROUGH = frozenset({"html", "head", "body"})
_EMPTY = frozenset("area br col hr img input source track wbr".split())
# Within these, a component of the page's own is taken for words among others, elsewhere for a part of its own.
_INLINE = frozenset(
    "a abbr b button caption cite code dd dfn dt em figcaption h1 h2 h3 h4 h5 h6 i kbd label li mark p pre q s samp "
    "small span strong sub summary sup td th time u var".split()
)
_ATTRIBUTES = {
    "href": "href",
    "src": "src",
    "alt": "alt",
    "id": "id",
    "lang": "lang",
    "dir": "dir",
    "role": "role",
    "className": "class",
    "class": "class",
    "colSpan": "colspan",
    "rowSpan": "rowspan",
    "start": "start",
    "dateTime": "datetime",
    "aria-hidden": "aria-hidden",
}
# Properties of components that hold what is shown only instead of the page: while it loads, or where it fails.
_STANDS_IN = frozenset(
    "fallback loading error errorStyles errorScripts notFound notFoundStyles forbidden unauthorized template "
    "templateStyles templateScripts globalErrorComponent globalError".split()
)
_DEEPEST = 200  # elements within each other; those further inside give only their words
_LONGEST_REFERENCE = 500  # characters
_REFERENCE = re.compile(r"\$[L@]?([0-9a-f]{1,8}(?::[^\s:]{1,100}){0,20})")


class _Place(NamedTuple):
    """Where a value stands: as a child, whose strings are shown, or as data, of which only elements count."""

    is_child: bool = False
    inline: bool = False
    depth: int = 0


class _Markup(str):
    """HTML that is written as it is."""


class FlightPage:
    """What the elements of a page show, as ``html``, and the ``title`` that they state, "" where there is none.

    A row that is referred to is written where it is first met. No more is written and walked through than the data is
    long, however often its parts refer to each other.
    """

    def __init__(self, rows: FlightRows) -> None:
        """Write the page that begins at the roots of ``rows``."""
        self.title = ""
        self._rows = rows
        self._left = rows.length
        self._met: set[str] = set()
        self._waiting: list[tuple[Any, _Place]] = [(root, _Place()) for root in reversed(rows.roots())]
        self.html = "".join(self._written())

    def _written(self) -> Iterator[str]:
        while self._waiting and self._left > 0:
            value, place = self._waiting.pop()
            self._left -= 1
            if isinstance(value, _Markup):
                yield value
            elif isinstance(value, str):
                yield self._text(value, place)
            elif is_element(value):
                yield from self._element(value[1], value[3], place)
            elif isinstance(value, list):
                self._wait(value, place)
            elif isinstance(value, dict) and not place.is_child:
                self._wait(_shown(value), place)
            elif place.is_child and isinstance(value, int | float) and not isinstance(value, bool):
                yield str(value)

    def _wait(self, values: list[Any], place: _Place) -> None:
        self._waiting += [(value, place) for value in reversed(values)]

    def _text(self, text: str, place: _Place) -> str:
        """The words of a string; nothing for a reference, whose value waits instead."""
        reference = _reference(text)
        if reference is not None:
            referred = self._rows.at(reference)
            if reference not in self._met and (place.is_child or not isinstance(referred, str)):
                self._met.add(reference)
                self._waiting.append((referred, place))
            return ""
        self._left -= len(text)
        return escape(_unescaped(text), quote=False) if place.is_child else ""

    def _spent(self, html: str) -> str:
        self._left -= len(html)
        return html

    def _element(self, kind: str, props: dict[str, Any], place: _Place) -> Iterator[str]:
        if kind == "title":
            self.title = self.title or self._string(props.get("children"))
        elif kind.startswith("$"):
            yield from self._component(props, place)
        elif kind in _SEEN_THROUGH:
            self._wait([props.get("children")], place._replace(is_child=True))
        elif kind not in _UNSEEN and _TAG.fullmatch(kind):
            yield from self._opened(kind, props, place)

    def _component(self, props: dict[str, Any], place: _Place) -> Iterator[str]:
        """A component of the page's own: its children and the elements it is given; a link where it leads somewhere."""
        if isinstance(props.get("href"), str) and "children" in props:
            yield from self._opened("a", props, place)
            return
        if (
            isinstance(props.get("src"), str)
            and isinstance(props.get("alt"), str)
            and "children" not in props
        ):
            yield from self._opened("img", props, place)
            return
        given = {name: value for name, value in props.items() if name != "children"}
        inside = place._replace(depth=place.depth + 1)
        if not place.inline and place.depth < _DEEPEST:
            yield "<div>"
            self._waiting.append((_Markup("</div>"), place))
        self._wait(_shown(given), inside._replace(is_child=False))
        self._wait([props.get("children")], inside._replace(is_child=True))

    def _opened(self, tag: str, props: dict[str, Any], place: _Place) -> Iterator[str]:
        inside = _Place(True, place.inline or tag in _INLINE, place.depth + 1)
        if place.depth < _DEEPEST:
            yield self._spent(f"<{tag}{''.join(self._attributes(props))}>")
            if tag in _EMPTY:
                return
            self._waiting.append((_Markup(f"</{tag}>"), place))
        else:
            yield " "
        markup = props.get("dangerouslySetInnerHTML")
        if isinstance(markup, dict):
            yield self._spent(self._string(markup.get("__html")))
        self._wait([props.get("children")], inside)

    def _attributes(self, props: dict[str, Any]) -> Iterator[str]:
        for name, written in _ATTRIBUTES.items():
            value = props.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool):
                yield f' {written}="{escape(_unescaped(str(value)))}"'
        style = props.get("style")
        if props.get("hidden") is True or (isinstance(style, dict) and style.get("display") == "none"):
            yield " hidden"

    def _string(self, value: Any) -> str:
        """A string or number as it is shown, through one reference; else nothing."""
        if isinstance(value, list):
            return "".join(self._string(part) for part in value if not isinstance(part, list))
        if isinstance(value, str):
            reference = _reference(value)
            referred = value if reference is None else self._rows.at(reference)
            return _unescaped(referred) if isinstance(referred, str) else ""
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _reference(text: str) -> str | None:
    """What a string refers to, such as ``1f`` or ``1f:props:children``; None where it is a text."""
    reference = _REFERENCE.fullmatch(text) if len(text) < _LONGEST_REFERENCE else None
    return reference[1] if reference else None


def _shown(props: dict[str, Any]) -> list[Any]:
    return [value for name, value in props.items() if name not in _STANDS_IN]


def _unescaped(text: str) -> str:
    """A string as it is shown; one dollar sign at its start marks what is no text."""
    if text.startswith("$$"):
        return text[1:]
    return "" if text.startswith("$") else text
