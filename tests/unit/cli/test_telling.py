"""How ``history`` words what happened, and when."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from uuid import uuid4

import pytest

from webrag_desktop.cli.commands import documents as telling
from webrag_desktop.cli.main import run
from webrag_desktop.models.queue import Event

EAST = timezone(timedelta(hours=2))
EVENTS = [
    Event(datetime(2026, 3, 18, 9, 30, 1, tzinfo=UTC), "added"),
    Event(
        datetime(2026, 3, 18, 11, 30, 2, tzinfo=EAST),
        "waiting",
        reason="It is busy",
        until=datetime(2026, 3, 18, 9, 32, 2, tzinfo=UTC),
    ),
]


def test_times_say_that_they_are_utc(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = SimpleNamespace(id=uuid4(), title="Pools", source_url=None, url="https://example.org/")
    documents = SimpleNamespace(find=lambda _reference: source, history=lambda _id: EVENTS)

    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(documents=documents)

    monkeypatch.setattr(telling, "open_library", opened)
    assert run(["history", "pools"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Pools",
        "2026-03-18 09:30:01 UTC  added",
        "2026-03-18 09:30:02 UTC  waiting until 2026-03-18 09:32:02 UTC: It is busy",
    ]
