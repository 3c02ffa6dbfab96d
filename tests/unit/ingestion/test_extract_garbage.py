"""The search for cyclic garbage rests while a page is read, and goes on as before after it."""

import gc
from collections.abc import Iterator

import pytest

from tests.support.captures import page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion import extract as extraction
from webrag_desktop.ingestion.assembly import ReadDocument
from webrag_desktop.ingestion.html.document import read_html
from webrag_desktop.models.documents import Capture


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether garbage was collected, each time that a page was read."""
    states: list[bool] = []

    def noting(capture: Capture, *, saved: bool = False) -> ReadDocument:
        states.append(gc.isenabled())
        return read_html(capture, saved=saved)

    monkeypatch.setattr(extraction, "read_html", noting)
    enabled = gc.isenabled()
    yield states
    (gc.enable if enabled else gc.disable)()


def test_it_rests_and_goes_on(seen: list[bool]) -> None:
    gc.enable()
    extraction.extract(page_capture("<p>A text of a few words.</p>"))
    assert (seen, gc.isenabled()) == ([False], True)


def test_it_goes_on_after_a_page_without_text(seen: list[bool]) -> None:
    gc.enable()
    with pytest.raises(ExtractionError):
        extraction.extract(page_capture("<p></p>"))
    assert (seen, gc.isenabled()) == ([False], True)


def test_where_it_rests_it_is_left_so(seen: list[bool]) -> None:
    gc.disable()
    extraction.extract(page_capture("<p>A text of a few words.</p>"))
    assert (seen, gc.isenabled()) == ([False], False)
