"""Authors, sites and dates of pages against what a reader-mode test suite expects of them."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measuring import table
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.author_names import author_names
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.metadata import NO_METADATA, DocumentMetadata

_ADDRESS = "https://pages.example/test/page"  # no page of such a suite says where it was
_FETCHED = datetime(2026, 1, 1, tzinfo=UTC)
_Z = 1.96  # of a 95 % interval


@dataclass(frozen=True)
class ExpectedPage:
    """A page and what is expected of it: ``byline``, ``siteName``, ``publishedTime``, each null where there is none."""

    name: str
    html: bytes
    expected: dict[str, Any]


@dataclass(frozen=True)
class Agreement:
    """Of pages that are expected to have a fact: how many, and how many agree; of others, how many have one anyway."""

    fact: str
    stated: int
    agreeing: int
    silent: int
    extra: int


def read_expected(folder: Path) -> list[ExpectedPage]:
    """Every page below a folder that has its expected metadata beside it.

    Raises:
        FileNotFoundError: there is none.
    """
    pages = [
        ExpectedPage(
            path.parent.name, (path.parent / "source.html").read_bytes(), json.loads(path.read_text("utf-8"))
        )
        for path in sorted(folder.glob("*/expected-metadata.json"))
        if (path.parent / "source.html").is_file()
    ]
    if not pages:
        raise FileNotFoundError(f"{folder} holds no NAME/source.html with NAME/expected-metadata.json")
    return pages


def measure_metadata(title: str, pages: Sequence[ExpectedPage]) -> str:
    """A table of how many facts agree, with 95 % intervals (Wilson's), and the pages where they do not."""
    read = [(page, _metadata(page)) for page in pages]
    rows = [
        (one.fact, one.stated, one.agreeing, _share(one.agreeing, one.stated), one.silent, one.extra)
        for one in (_agreement(fact, read) for fact in _FACTS)
    ]
    head = ("fact", "stated", "agree", "share (95 %)", "not stated", "found anyway")
    return "\n".join((table(f"{title}: metadata of {len(pages):,} pages", head, rows), *_differences(read)))


def _metadata(page: ExpectedPage) -> DocumentMetadata:
    capture = Capture(url=_ADDRESS, final_url=_ADDRESS, body=page.html, fetched_at=_FETCHED)
    try:
        return extract(capture)
    except ExtractionError:  # a page of such a suite may have no text
        return NO_METADATA


def _authors(metadata: DocumentMetadata) -> object:
    return frozenset(name.casefold() for name in metadata.authors)


def _expected_authors(stated: str) -> object:
    return frozenset(name.casefold() for name in author_names([stated]))


_FACTS: dict[str, tuple[str, Callable[[str], object], Callable[[DocumentMetadata], object]]] = {
    "authors": ("byline", _expected_authors, _authors),
    "site": ("siteName", str.casefold, lambda read: (read.publisher or "").casefold()),
    "day published": (
        "publishedTime",
        lambda stated: stated[:10],
        lambda read: "" if read.published_guessed else (read.published_time or "")[:10],
    ),
}
"""Of each fact its name in the suite, what is expected there, and what was read."""


def _agreement(fact: str, read: Sequence[tuple[ExpectedPage, DocumentMetadata]]) -> Agreement:
    name, expected, found = _FACTS[fact]
    stated = [(expected(page.expected[name]), found(one)) for page, one in read if page.expected.get(name)]
    silent = [found(one) for page, one in read if not page.expected.get(name)]
    return Agreement(fact, len(stated), sum(a == b for a, b in stated), len(silent), sum(map(bool, silent)))


def _share(agreeing: int, stated: int) -> str:
    if not stated:
        return "-"
    share, of = agreeing / stated, 1 + _Z**2 / stated
    middle = (share + _Z**2 / (2 * stated)) / of
    half = _Z * (share * (1 - share) / stated + _Z**2 / (4 * stated**2)) ** 0.5 / of
    return f"{share:.3f} ({middle - half:.3f} to {middle + half:.3f})"


def _differences(read: Sequence[tuple[ExpectedPage, DocumentMetadata]]) -> Iterator[str]:
    for page, one in read:
        for fact, (name, expected, found) in _FACTS.items():
            stated = page.expected.get(name)
            if stated and expected(stated) != found(one):
                shown = "; ".join(one.authors) if fact == "authors" else found(one)
                yield f"- {page.name}, {fact}: expected {' '.join(str(stated).split())!r}, read {shown!r}"
