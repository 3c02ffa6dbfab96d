"""Dates of articles that state none, guessed from their address and markup; whoever shows one says so."""

from webrag_desktop.ingestion.charsets import codec_of
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.stated_dates import stated_date
from webrag_desktop.models.documents import Capture

LARGEST_PAGE = 1_000_000  # bytes; above, looking costs more than a guess is worth
MOST_ATTRIBUTES = 500  # of one element; the parser that guessing needs is quadratic in them
EARLIEST_GUESS = "1990-01-01"  # the web is no older


def guess_dates(capture: Capture, encoding: str | None) -> tuple[str | None, str | None]:
    """When a page may have been published and last changed; None where nothing points to it.

    The first of January may be all that is meant by a year, so it counts as the year.
    """
    if len(capture.body) > LARGEST_PAGE or _has_attribute_bomb(capture):
        return None, None
    html = capture.body.decode(codec_of(encoding or "") or "utf-8", "replace")
    published, modified = _found(html, capture, original=True), _found(html, capture, original=False)
    return published, modified if modified != published else None


def _has_attribute_bomb(capture: Capture) -> bool:
    return any(len(element.attrs) > MOST_ATTRIBUTES for element in parse_html(capture).select("*"))


def _found(html: str, capture: Capture, *, original: bool) -> str | None:
    from htmldate import find_date
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    try:
        # A tree: a text that looks like an address would be fetched.
        tree = document_fromstring(html.encode(), parser=HTMLParser(encoding="utf-8", huge_tree=False))
        date = find_date(
            tree,
            extensive_search=False,
            original_date=original,
            url=capture.final_url,
            min_date=EARLIEST_GUESS,
            max_date=f"{capture.fetched_at:%Y-%m-%d}",
        )
    except (LxmlError, ValueError):
        return None
    return stated_date(date.removesuffix("-01-01") if date else None, capture.fetched_at)
