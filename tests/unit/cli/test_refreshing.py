import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest

from tests.unit.cli.test_progress import SOURCE
from webrag_desktop.cli.commands import refresh as refreshing
from webrag_desktop.cli.main import run
from webrag_desktop.errors import FetchError, NotFoundError
from webrag_desktop.models.intake import Refreshed
from webrag_desktop.models.sources import SourceRow

READY = replace(SOURCE, state="ready", content_hash="old", searchable=True)
NAMES = ("same", "changed", "gone", "failing", "waiting", "removed")
BEFORE = {name: replace(READY, id=uuid4(), url=f"https://example.org/{name}") for name in NAMES}
AFTER = {
    "same": BEFORE["same"],
    "changed": replace(BEFORE["changed"], content_hash="new"),
    "gone": BEFORE["gone"],
    "failing": replace(BEFORE["failing"], state="failed", state_reason="No page (404)", state_hint="Look."),
    "waiting": replace(
        BEFORE["waiting"],
        state="queued",
        state_reason="The site asks to come back later (429)",
        waits_until=datetime(2026, 10, 3, 14, 5, tzinfo=UTC),
        waits_for="site",
    ),
}


class FakeDocuments:
    """Knows six documents, and what becomes of each."""

    def __init__(self) -> None:
        self.asked: list[UUID] = []

    def find(self, reference: str) -> SourceRow:
        if reference not in BEFORE:
            raise NotFoundError(f"Nothing in the library answers to {reference}.", "Look again.")
        return BEFORE[reference]

    def all(self) -> list[SourceRow]:
        return list(BEFORE.values())

    def refresh(self, ids: Sequence[UUID], *, subresources: bool | None) -> Refreshed:
        assert subresources is None
        self.asked = list(ids)
        gone = BEFORE["gone"].id
        error = FetchError("There is no file x", "It may have been moved or renamed.")
        return Refreshed(
            tuple(id_ for id_ in ids if id_ != gone), (), ((gone, error),) if gone in ids else ()
        )

    def rows(self, ids: Sequence[UUID]) -> dict[UUID, SourceRow]:
        return {row.id: row for row in AFTER.values() if row.id in ids}


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> FakeDocuments:
    fake = FakeDocuments()

    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(documents=fake)

    monkeypatch.setattr(refreshing, "open_library", opened)
    monkeypatch.setattr(refreshing, "follow", lambda _library, _ids, _output: True)
    return fake


def test_the_report_tells_what_came_of_each(
    documents: FakeDocuments, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["refresh", "--all", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    outcomes = {item["given"].rpartition("/")[2]: item["outcome"] for item in report["items"]}
    assert outcomes == {
        "same": "unchanged", "changed": "changed", "gone": "failed", "failing": "failed", "waiting": "queued",
        "removed": "removed",
    }  # fmt: skip
    assert report["counts"]["unchanged"] == 1
    hints = [item["hint"] for item in report["items"] if item["given"].endswith("gone")]
    assert hints == ["It may have been moved or renamed. The stored text stays."]


def test_what_waits_says_for_whom(documents: FakeDocuments, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refresh", "waiting", "same"]) == 1
    said = capsys.readouterr().out
    assert "As they were: 1" in said
    assert "The site asks to come back later (429): waiting for the site, again at " in said


def test_nothing_or_everything_and_something_is_no_wish(documents: FakeDocuments) -> None:
    assert run(["refresh"]) == 2
    assert run(["refresh", "--all", "same"]) == 2
    assert run(["refresh", "same", "unknown"]) == 2
    assert documents.asked == []
