"""Guesses when a page was published and last changed, where it states neither.

Whoever shows a guessed date marks it as guessed.
"""

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from webrag_desktop.ingestion.dates import stated_date
from webrag_desktop.ingestion.text_decoding import codec_of
from webrag_desktop.models.documents import Capture

if TYPE_CHECKING:
    from htmldate.utils import Extractor
    from lxml.html import HtmlElement
    from turbohtml import Document

LARGEST_PAGE = 1_000_000  # bytes; above, a guess costs more than it is worth
MOST_ATTRIBUTES = 500  # of one element; the parser that guessing needs is quadratic in them
EARLIEST_GUESS = "1990-01-01"  # the web is no older


def guess_dates(document: "Document", capture: Capture) -> tuple[str | None, str | None]:
    """When a page may have been published and last changed; None where nothing points to it.

    ``document`` is the page as parsed, with all its attributes. The first of January may be all that is meant by a
    year, so it counts as the year.
    """
    if len(capture.body) > LARGEST_PAGE or _has_attribute_bomb(document):
        return None, None
    published, modified = _found(capture, document.encoding)
    return published, modified if modified != published else None


def _found(capture: Capture, encoding: str | None) -> tuple[str | None, str | None]:
    from lxml.etree import LxmlError

    tree = _tree(capture.body.decode(codec_of(encoding or "") or "utf-8", "replace"))
    if tree is None:
        return None, None
    try:
        dates = _Search(tree, capture).dates()
    except (LxmlError, ValueError):
        return None, None
    first, last = (date.removesuffix("-01-01") if date else None for date in dates)
    return stated_date(first, capture.fetched_at), stated_date(last, capture.fetched_at)


def _has_attribute_bomb(document: "Document") -> bool:
    return document.xpath_one(f"//*[count(@*) > {MOST_ATTRIBUTES}]") is not None


def _tree(html: str) -> "HtmlElement | None":
    """The page as the library wants it: a text that looks like an address would be fetched."""
    from lxml.etree import ElementDefaultClassLookup, LxmlError
    from lxml.html import HtmlComment, HtmlElement, HTMLParser, document_fromstring

    parser = HTMLParser(encoding="utf-8", huge_tree=False)
    # One class for all elements: choosing one by name, which only forms need, is half the time of a walk.
    parser.set_element_class_lookup(ElementDefaultClassLookup(element=HtmlElement, comment=HtmlComment))
    try:
        return document_fromstring(html.encode(), parser=parser)
    except (LxmlError, ValueError):
        return None


class _Search:
    """The library's search for a date (``find_date``), gone through once for the first date and for the last.

    Which of them is sought matters in four of its places only. All else, such as writing the page as one text, is done
    for both.
    """

    def __init__(self, tree: "HtmlElement", capture: Capture) -> None:
        from htmldate.utils import Extractor
        from htmldate.validators import get_max_date, get_min_date

        latest, earliest = get_max_date(f"{capture.fetched_at:%Y-%m-%d}"), get_min_date(EARLIEST_GUESS)
        self._url = capture.final_url
        self._tree = tree
        self._first = Extractor(False, latest, earliest, True, "%Y-%m-%d")
        self._last = replace(self._first, original=False)

    def dates(self) -> tuple[str | None, str | None]:
        """The first and the last date that the page names, as the library writes them."""
        from htmldate.extractors import extract_url_date

        by_address = extract_url_date(self._url, self._first)
        if by_address is not None:
            return by_address, by_address
        first, last = self._stated(self._first), self._stated(self._last)  # before the tree is pruned
        return first or self._shown(self._first), last or self._shown(self._last)

    def _stated(self, options: "Extractor") -> str | None:
        from htmldate.core import examine_abbr_elements, examine_header
        from htmldate.extractors import json_search

        tree = self._tree
        return (
            examine_header(tree, options)
            or json_search(tree, options)
            or examine_abbr_elements(tree, options)
        )

    def _shown(self, options: "Extractor") -> str | None:
        from htmldate.core import examine_time_elements

        return self._named or examine_time_elements(self._pruned, options) or self._written

    @cached_property
    def _pruned(self) -> "HtmlElement":
        """The tree without what says nothing of the date of the page."""
        from htmldate.extractors import discard_unwanted
        from htmldate.settings import CLEANING_LIST
        from htmldate.utils import clean_html

        try:
            return discard_unwanted(clean_html(self._tree, CLEANING_LIST))
        except ValueError:  # a control character; what is left is searched
            return self._tree

    @cached_property
    def _named(self) -> str | None:
        """A date in what is named after dates, in the title or in a headline."""
        from htmldate.core import date_candidates, examine_elements

        found = examine_elements(date_candidates(self._pruned, extensive_search=False), self._first)
        return found or examine_elements(self._pruned.xpath(".//title|.//h1"), self._first)

    @cached_property
    def _written(self) -> str | None:
        """A date anywhere in the page, as it is written."""
        from htmldate.core import TIMESTAMP_LOOSE_PATTERN, TIMESTAMP_PATTERN, serialize
        from htmldate.extractors import idiosyncrasies_search, img_search, pattern_search
        from htmldate.utils import clean_html

        html = serialize(self._pruned)
        found = (
            pattern_search(html, TIMESTAMP_PATTERN, self._first)
            or img_search(self._pruned, self._first)
            or idiosyncrasies_search(html, self._first)
        )
        if found is not None:
            return found
        clean_html(self._pruned, ["script", "style"])
        text = " ".join(self._pruned.itertext())
        return pattern_search(text, TIMESTAMP_LOOSE_PATTERN, self._first)
