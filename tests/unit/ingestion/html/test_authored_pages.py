"""Who wrote a page, when, and where it appeared: a hundred pages as sites make them, with what is true of each."""

from datetime import UTC, datetime

import pytest

from tests.support.authored_pages import AuthoredPage, authored_pages
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.metadata import FACT_NAMES

PAGES = tuple(authored_pages())


def read(page: AuthoredPage) -> NormalizedDocument:
    capture = Capture(
        url=page.url,
        final_url=page.url,
        headers=(("Content-Type", "text/html; charset=utf-8"),),
        body=page.html.encode(),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return extract(capture)


def test_there_are_a_hundred() -> None:
    assert len({page.name for page in PAGES}) == len(PAGES) >= 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_facts_of_a_page(page: AuthoredPage) -> None:
    document = read(page)
    truth = {name: value for name, value in page.truth.items() if name != "source"}
    found = {name: getattr(document, name) for name in truth}
    for time in ("published_time", "modified_time"):  # a guess is no statement
        if found.get(time) and document.fact_sources[time] == "guess":
            found[time] = None
    assert found == truth
    if "source" in page.truth:
        assert document.fact_sources["authors"] == page.truth["source"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_fact_says_where_it_was_read(page: AuthoredPage) -> None:
    document = read(page)
    assert set(document.fact_sources) == {name for name in FACT_NAMES if getattr(document, name)}
