"""Where a page keeps its text when what it shows holds next to none: hidden parts, templates, JSON for its scripts."""

import json
import re
from collections.abc import Collection, Iterator
from html import escape
from itertools import islice, pairwise
from typing import Any

from turbohtml import Document, Element, parse_fragment

from webrag_desktop.ingestion.html.cleaning import is_overlay
from webrag_desktop.ingestion.html.flight.elements import FlightPage
from webrag_desktop.ingestion.html.flight.rows import flight_rows, has_flight_data
from webrag_desktop.models.documents import Capture

_HIDING = ("hidden", "aria-hidden", "style")
_PACKED = ("template", "noscript")
_BESIDE_TEXT = "script,style,noscript,template,nav,header,footer,aside,a,button,[hidden]:not([id*='S:'])"
_STATED = 'script[type="application/ld+json" i]'
_STATES = 'script[type="application/json" i],script#__NEXT_DATA__,script#__NUXT_DATA__'
_ASSIGNED = re.compile(
    r"(?:window|self|globalThis)\s*\.\s*(?:__[A-Z][A-Z0-9_]*__|pageData|initialState|preloadedState)\s*=\s*(?=[\[{])"
)
_LARGEST_STATE = 5_000_000  # characters
_MOST_VALUES = 200_000  # of one state
_DEEPEST = 200
_MOST_PARTS = 1_000  # hidden or packed parts of a page
_PROSE = 200  # characters of a text that is more than a name or a summary
_PARAGRAPH = 40  # characters of a text in a state that may be a paragraph
_MOSTLY = 0.5  # of all texts of a state, from which one alone is the page's
_MOST_ASSIGNED = 100  # states that scripts of a page assign
_SCRIPT = re.compile(r"\bfunction\s*\(|=>|\{[^{}:]*+:[^{}]*;")
_TAG = re.compile(r"<[^<>]*>")
_STOPS = re.compile(r"[.!?。]+")
_WORD = re.compile(r"[^\W\d_]{2}")
_SENTENCE = 20  # characters behind its first word, at least
_MARKUP = re.compile(r"</(?:p|h[1-6]|li|blockquote|pre|div)>", re.IGNORECASE)
_ARTICLE = ("articleBody", "reviewBody", "text")
_ARTICLES = ("Article", "Posting", "Report")  # ends of the kinds whose text is that of their page
_OF_VISITORS = ("Comment", "Review", "UserReview", "Rating")  # kinds that are beside the text of a page
_TRANSLATED = frozenset(
    "i18n intl translations translation locales locale lang langs languages messages phrases labels strings".split()
)
# What a script is to fill in, and what only tells that there are scripts.
_PLACEHOLDER = re.compile(r"\{\{|\{%|<%|&lt;%|\$\{")
_NOTICE = re.compile(r"javascript", re.IGNORECASE)
_LONGEST_NOTICE = 1_500  # characters


def other_texts(document: Document, capture: Capture, *, stated_only: bool = False) -> Iterator[Capture]:
    """The same page with its text where it would be shown, in the order in which it is believed.

    What the page states as its article's text is first, then the elements in its flight data, what it hides or holds
    for browsers without scripts, last what its scripts would make the page of. ``stated_only``: no more than the first,
    and the second where the page shows no prose. ``document`` is the parsed page, not yet cleaned, and is changed.
    """
    stated = list(_stated_articles(document, articles_only=stated_only))
    if stated:
        yield rewritten(capture, _with_article(document, stated))
    flight = _flight_page(document)
    if flight and not (stated_only and _shows_prose(document)):
        yield rewritten(capture, flight)
    if stated_only:
        return
    states = _most_of_them(list(_long_texts(document)))
    if _unveil(document):
        yield rewritten(capture, document.html)
    if states:
        yield rewritten(capture, _with_article(document, states))


def may_state_text(document: Document) -> bool:
    """Whether a page has linked data, in which it may state its article's text, or flight data that makes the page."""
    return document.select_one(_STATED) is not None or has_flight_data(document)


def rewritten(capture: Capture, html: str) -> Capture:
    """The capture with another page in its place, at the same address."""
    headers = tuple((name, value) for name, value in capture.headers if name.lower() != "content-type")
    headers = (*headers, ("content-type", "text/html; charset=utf-8"))
    return capture.model_copy(update={"body": html.encode("utf-8", "replace"), "headers": headers})


def _flight_page(document: Document) -> str:
    """The page that flight data makes, under the head of this one; "" where there is none."""
    rows = flight_rows(document)
    page = FlightPage(rows) if rows else None
    if page is None or not page.html:
        return ""
    head = document.select_one("head")
    named = document.select_one("title") is not None or not page.title
    title = "" if named else f"<title>{escape(page.title)}</title>"
    return (
        f"<!DOCTYPE html><html{_language(document)}>"
        f"<head>{head.inner_html if head is not None else ''}{title}</head><body>{page.html}</body></html>"
    )


def _shows_prose(document: Document) -> bool:
    """Whether a page shows more than navigation; takes that out of it."""
    for beside in document.select(_BESIDE_TEXT):
        if beside.parent is not None:
            beside.extract()
    body = document.select_one("body")
    return body is not None and len(body.text.strip()) >= _PROSE


def _language(document: Document) -> str:
    opening = document.select_one("html")
    language = opening.attr("lang") if opening is not None else None
    return f' lang="{escape(language)}"' if language else ""


def _unveil(document: Document) -> bool:
    """Show what is hidden and holds prose, and what is there for browsers without scripts; whether there was any."""
    found, left = False, _LARGEST_STATE
    for tag in _PACKED:
        for packed in document.select(f"body {tag}")[:_MOST_PARTS]:
            if left > 0 and _is_packed_text(packed):  # each of those within another is read with it, too
                left -= _unpack(packed)
                found = True
    for name in _HIDING:
        for part in document.select(f"[{name}]")[:_MOST_PARTS]:
            if len(part.text.strip()) >= _PROSE and not is_overlay(part):
                del part.attrs[name]
                found = True
    return found


def _is_packed_text(packed: Element) -> bool:
    """Whether a packed part holds prose: no pattern that scripts fill in, no notice that there are scripts."""
    text = packed.text.strip()
    if len(text) < _PROSE or _PLACEHOLDER.search(text):
        return False
    return packed.tag != "noscript" or len(text) > _LONGEST_NOTICE or _NOTICE.search(text) is None


def _unpack(packed: Element) -> int:
    """Put what is packed in its place; returns its characters."""
    html = packed.inner_html
    inner = parse_fragment(html, positions=False)
    for node in list(inner.children):
        packed.insert_before(node.extract())
    packed.extract()
    return len(html)


def _with_article(document: Document, texts: list[str]) -> str:
    """The page with these texts, HTML each, as its only content; its head stays."""
    head = document.select_one("head")
    title = document.select_one("title")
    heading = f"<h1>{escape(title.text.strip())}</h1>" if title is not None and title.text.strip() else ""
    body = "\n".join(texts)
    if "<h1" in body:
        heading = ""
    return (
        f"<!DOCTYPE html><html{_language(document)}>{head.html if head is not None else ''}"
        f"<body><main><article>{heading}{body}</article></main></body></html>"
    )


def _stated_articles(document: Document, *, articles_only: bool) -> Iterator[str]:
    """The texts that linked data states; what visitors wrote is beside a page's text, whatever else it lacks."""
    for script in document.select(_STATED):
        for item in _values(_loaded(script.text)):
            if isinstance(item, dict) and _may_state_text(item.get("@type"), articles_only=articles_only):
                texts = (item.get(name) for name in _ARTICLE)
                yield from (_as_html(text) for text in texts if isinstance(text, str) and len(text) >= _PROSE)


def _may_state_text(stated: Any, *, articles_only: bool) -> bool:
    kinds = [str(kind).rpartition("/")[2] for kind in (stated if isinstance(stated, list) else [stated])]
    if articles_only:
        return any(kind.endswith(_ARTICLES) for kind in kinds)
    return not any(kind in _OF_VISITORS for kind in kinds)


def _long_texts(document: Document) -> Iterator[str]:
    """Every text of a sentence or more in the state that a page carries for its scripts, each once, as HTML."""
    seen: set[str] = set()
    for state in _stored_states(document):
        for value in _values(state, without=_TRANSLATED):
            if isinstance(value, str) and value not in seen and _is_prose(value):
                seen.add(value)
                yield _as_html(value)


def _stored_states(document: Document) -> Iterator[Any]:
    for script in document.select(_STATES):
        yield _loaded(script.text)
    for text, start in islice(_assigned(document), _MOST_ASSIGNED):
        try:
            yield json.JSONDecoder().raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue  # written as a script, not as JSON


def _assigned(document: Document) -> Iterator[tuple[str, int]]:
    """Scripts that assign a state, each with where that begins."""
    for script in document.select("script:not([type]),script[type*=javascript i]"):
        text = script.text
        if len(text) <= _LARGEST_STATE:
            yield from ((text, assigned.end()) for assigned in _ASSIGNED.finditer(text))


def _loaded(text: str) -> Any:
    if len(text) > _LARGEST_STATE:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _values(state: Any, without: Collection[str] = ()) -> Iterator[Any]:
    """Every value of a state in its order, those inside others after them; a text that is JSON itself is opened.

    Objects below names ``without`` are left out: under them are a site's own words in the reader's language.
    """
    waiting: list[tuple[Any, int]] = [(state, 0)]
    for _count in range(_MOST_VALUES):
        if not waiting:
            return
        value, depth = waiting.pop()
        yield value
        if depth >= _DEEPEST:
            continue
        inner: list[Any] = []
        if isinstance(value, dict):
            inner = [
                one for name, one in value.items() if not (isinstance(one, dict) and name.lower() in without)
            ]
        elif isinstance(value, list):
            inner = value
        elif isinstance(value, str) and value[:1] in "[{" and len(value) >= _PROSE:
            opened = _loaded(value)
            inner = [opened] if isinstance(opened, dict | list) else []
        waiting += [(one, depth + 1) for one in reversed(inner)]


def _is_prose(text: str) -> bool:
    """Whether a text holds a sentence, which names, addresses, styles and scripts do not."""
    if len(text) < _PARAGRAPH or text[:1] in "[{":
        return False
    words = _TAG.sub(" ", text) if _MARKUP.search(text) else text
    return _holds_sentence(words) and not _SCRIPT.search(words)


def _holds_sentence(words: str) -> bool:
    """Split rather than searched: a pattern would look at the rest of a text without stops from each of its words."""
    for part, behind in pairwise(_STOPS.split(words)):
        first = _WORD.search(part)
        if first and len(part) - first.end() >= _SENTENCE and (not behind or behind[0].isspace()):
            return True
    return False


def _most_of_them(texts: list[str]) -> list[str]:
    """All texts, or the one that is longer than all others together."""
    longest = max(texts, key=len, default="")
    return [longest] if len(longest) > _MOSTLY * sum(map(len, texts)) else texts


def _as_html(text: str) -> str:
    """A text as HTML: as it is where it holds markup, else its paragraphs."""
    if _MARKUP.search(text):
        return text
    return "".join(
        f"<p>{escape(part.strip())}</p>" for part in re.split(r"\n\s*\n|\r\n?|\n", text) if part.strip()
    )
