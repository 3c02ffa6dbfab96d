"""what is reported of a citation: its reference, its link, and how its page changed."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.citations.operations.citing import citation_row
from webrag_desktop.models.citations import StoredCitation

PAGE = "https://www.cables.example/creep.html"


def stored(**more: object) -> StoredCitation:
    given: dict[str, object] = {
        "id": uuid4(), "document_id": uuid4(), "version_id": uuid4(), "char_start": 10, "char_end": 20,
        "verbatim": "the quote", "quote": "the quote", "prefix": "", "suffix": "", "title": "A page",
        "section_heading": None, "heading": None, "anchor": None, "page": None, "source_url": PAGE,
        "added_at": datetime(2026, 1, 1, tzinfo=UTC), "position": 1, "active_version": uuid4(),
        "state": "exact", "moved_by": None,
    }  # fmt: skip
    return StoredCitation(**(given | more))  # type: ignore[arg-type]


NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OCTOBER = datetime(2026, 10, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "copied", "sentence"),
    [
        ({}, None, None),
        (
            {"state": "moved", "moved_by": 212},
            OCTOBER,
            "Same words, 212 characters further on, since the copy of 3 October.",
        ),
        (
            {"state": "moved", "moved_by": -1},
            OCTOBER.replace(year=2025),
            "Same words, 1 character earlier, since the copy of 3 October 2025.",
        ),
        ({"state": "moved", "moved_by": 1}, None, "Same words, 1 character further on."),
        ({"state": "moved", "moved_by": -30}, None, "Same words, 30 characters earlier."),
        ({"state": "lost"}, OCTOBER, "The page no longer says this. Your copy of 3 October does."),
        ({"state": "lost"}, None, "The page no longer says this. Your copy does."),
        (
            {"state": "lost", "active_version": None},
            OCTOBER,
            "The document has no text any more. The quote is kept.",
        ),
        (
            {"state": "lost", "document_id": None, "version_id": None, "active_version": None},
            None,
            "The document was deleted. The quote is kept.",
        ),
    ],
)
def test_a_change_of_the_page_is_reported_in_a_sentence(
    qtbot: QtBot, change: dict[str, object], copied: datetime | None, sentence: str | None
) -> None:
    assert citation_row(stored(**change), copied, NOW).explanation == sentence


@pytest.mark.parametrize(
    ("other", "copy"),
    [
        (OCTOBER + timedelta(days=1), "3 October"),
        (OCTOBER + timedelta(minutes=5), "3 October at {0:%H:%M}"),
        (OCTOBER + timedelta(seconds=5), "3 October at {0:%H:%M:%S}"),
    ],
)
def test_of_two_copies_of_one_day_the_time_tells_which(qtbot: QtBot, other: datetime, copy: str) -> None:
    reported = citation_row(stored(state="lost"), OCTOBER, NOW, other).explanation
    assert reported == f"The page no longer says this. Your copy of {copy.format(OCTOBER.astimezone())} does."


def test_a_file_has_no_link_and_a_name_of_its_own(qtbot: QtBot) -> None:
    row = citation_row(stored(source_url="file:///home/me/My%20notes.md", title=None, page=7))
    assert row.link is None
    assert row.reference == "My notes.md, p. 7"


def test_a_section_that_is_the_title_is_not_repeated(qtbot: QtBot) -> None:
    assert citation_row(stored(section_heading="A *page*")).reference == "A page"
    assert citation_row(stored(heading="Below `this`")).reference == "A page — Below this"
