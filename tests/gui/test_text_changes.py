"""What changed between two texts, reported as it is read: without markup, unless markup is what changed."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from webrag_desktop.citations.differences import compare
from webrag_desktop.errors import Cancelled
from webrag_desktop.gui.data.texts import Piece, TextChange
from webrag_desktop.gui.library.operations.version_texts import CONTEXT, text_changes
from webrag_desktop.models.versions import VersionDifference, VersionRow
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.plain_text import project

_MOMENT = datetime(2026, 11, 22, tzinfo=UTC)
ROW = VersionRow(uuid4(), 1, "first", True, None, "", 0, "", 1, _MOMENT, _MOMENT, 0)


def changes(old: str, new: str) -> tuple[TextChange, ...]:
    found = VersionDifference(ROW, ROW, old, new, compare(old, new))
    return text_changes(found, project(old), project(new), CancelToken())


def read(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def test_a_changed_paragraph_is_reported_on_both_sides_as_it_reads() -> None:
    (change,) = changes(
        "# *Cables*\n\nThe [old cable](https://x.example/a) was **heavy** and lay deep in the sea.",
        "# *Cables*\n\nThe [old cable](https://x.example/a) was **light** and lay deep in the sea.",
    )
    assert (change.kind, change.heading) == ("changed", "Cables")
    assert read(change.before) == "The old cable was heavy and lay deep in the sea."
    assert read(change.after) == "The old cable was light and lay deep in the sea."
    assert [piece for piece in change.before if piece.kind != "same"] == [Piece("removed", "heavy")]
    assert [piece for piece in change.after if piece.kind != "same"] == [Piece("added", "light")]


def test_where_only_markup_changed_the_markup_is_reported() -> None:
    (change,) = changes(
        "See the [old log of the station](https://x.example/a) for more.",
        "See the [old log of the station](https://x.example/b) for more.",
    )
    assert Piece("removed", "a") in change.before
    assert "https://x.example/b" in read(change.after)


def test_what_came_went_and_moved_is_reported_whole() -> None:
    found = changes(
        "One *stays* here.\n\nTwo *moves* away.\n\nThree is gone.",
        "Two *moves* away.\n\nOne *stays* here.\n\n- Four is new.",
    )
    assert {(change.kind, read(change.before), read(change.after)) for change in found} == {
        ("moved", "", "One stays here."),
        ("removed", "Three is gone.", ""),
        ("added", "", "Four is new."),
    }


def test_long_spans_that_stayed_are_cut_in_their_middle() -> None:
    middle = " ".join(f"word{number}" for number in range(200))
    (change,) = changes(f"Old beginning {middle} old end.", f"New beginning {middle} new end.")
    reported = read(change.after)
    assert reported.startswith("New beginning word0 word1 ")
    assert " … " in reported
    assert reported.endswith(" word199 new end.")
    assert len(reported) < 2 * CONTEXT + 60


def test_equal_texts_have_no_changes_and_stopping_is_heeded() -> None:
    assert changes("The same.", "The  same.") == ()
    token = CancelToken()
    token.cancel()
    old, new = "One.", "Two."
    with pytest.raises(Cancelled):
        text_changes(
            VersionDifference(ROW, ROW, old, new, compare(old, new)), project(old), project(new), token
        )
