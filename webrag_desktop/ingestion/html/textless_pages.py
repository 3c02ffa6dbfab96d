"""Pages without a text of their own: shells that scripts fill, and pages that only lead on to another one."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin

from turbohtml import Document

from webrag_desktop.errors import ExtractionError, InputError
from webrag_desktop.ingestion.addresses import parse_source

_SHELL = "#root,#app,#__next,#__nuxt,#___gatsby,app-root,[ng-app],[data-reactroot],[data-server-rendered]"
_SHELL_CHARACTERS = 200  # of text, below which a page that needs scripts counts as a shell
_STANDS_IN = re.compile(r"[\W_]*(?:loading|please wait)[\W_]*", re.IGNORECASE)
_PICTURE = re.compile(r"\[?!\[\]\([^()\s]*\)(?:\]\([^()\s]*\))?")  # an image without words
_TARGET = re.compile(r"\]\([^()\s]*\)")
_REFRESH = re.compile(r"\s*+[\d.]++\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+([^\s\"']+)", re.IGNORECASE)


@dataclass(frozen=True)
class ShownText:
    """What a page says about how its text comes to be shown."""

    has_scripts: bool
    is_shell: bool
    leads_to: str | None = None


def how_text_is_shown(document: Document, url: str, *, built: bool = False) -> ShownText:
    """What the page at ``url`` says about it. Must be called before the page is cleaned.

    Pages ``built`` by a known builder of documentation hold their text, whatever they say of scripts.
    """
    has_scripts = document.select_one("script") is not None
    is_shell = has_scripts and not built and _is_shell(document)
    return ShownText(has_scripts, is_shell, _refreshed_address(document, url))


def refusal_of(markdown: str, shown: ShownText) -> ExtractionError | None:
    """Why ``markdown`` is no text to keep, if it is none."""
    if len(markdown) < _SHELL_CHARACTERS and (
        shown.is_shell or (shown.has_scripts and _STANDS_IN.fullmatch(markdown))
    ):
        return _needs_scripts()
    has_words = _has_words(markdown)
    if shown.leads_to is not None and (not has_words or _only_links_to(shown.leads_to, markdown)):
        return ExtractionError(
            "The page only leads on to another one", f"Add that one instead: “{shown.leads_to}”."
        )
    if has_words:
        return None
    if shown.has_scripts and not markdown.strip():
        return _needs_scripts()
    return ExtractionError("No text was found on the page", "Check in a browser what the address shows.")


def _needs_scripts() -> ExtractionError:
    return ExtractionError(
        "The page shows its text only with JavaScript",
        "Open it in a browser, save it, and add the saved file.",
    )


def _has_words(markdown: str) -> bool:
    before = markdown.partition("![")[0]
    if len(before) == len(markdown):
        return bool(markdown.strip())
    return bool(before.rstrip("[").strip()) or bool(_PICTURE.sub("", markdown).strip())


def _only_links_to(address: str, markdown: str) -> bool:
    """Whether a text is a few words around a link; such a page often calls itself the one that it leads on to."""
    return f"]({address}" in markdown and len(_TARGET.sub("]", markdown)) < _SHELL_CHARACTERS


def _is_shell(document: Document) -> bool:
    if document.select_one(_SHELL) is not None:
        return True
    return any("javascript" in notice.text.lower() for notice in document.select("noscript"))


def _refreshed_address(document: Document, url: str) -> str | None:
    """The web address that a page goes on to by itself."""
    meta = document.select_one("meta[http-equiv=refresh i][content]")
    target = _REFRESH.match(meta.attr("content") or "") if meta is not None else None
    if target is None:
        return None
    try:
        kind, address = parse_source(urljoin(document.base_url(url), target[1]))
    except (InputError, ValueError):
        return None
    return address if kind == "url" and address.partition("#")[0] != url.partition("#")[0] else None
