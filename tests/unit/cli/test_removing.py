from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest

from webrag_desktop.cli.commands import documents as removing
from webrag_desktop.cli.main import run
from webrag_desktop.errors import NotFoundError


class FakeDocuments:
    """Knows one document."""

    def __init__(self) -> None:
        self.removed: list[UUID] = []

    def find(self, reference: str) -> SimpleNamespace:
        if reference != "known":
            raise NotFoundError(f"Nothing in the library answers to {reference}.", "Look again.")
        facts = {"title": "A title", "source_url": "https://example.org/", "url": "https://example.org/"}
        state = {"state": "ready", "state_reason": None, "state_hint": None, "waits_until": None}
        return SimpleNamespace(id=uuid4(), **state, **facts)

    def remove(self, source_id: UUID) -> bool:
        self.removed.append(source_id)
        return True


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> FakeDocuments:
    fake = FakeDocuments()

    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(documents=fake)

    monkeypatch.setattr(removing, "open_library", opened)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    return fake


@pytest.mark.parametrize(("agreed", "removed"), [(True, 1), (False, 0)])
def test_on_a_terminal_it_asks(
    documents: FakeDocuments, monkeypatch: pytest.MonkeyPatch, agreed: bool, removed: int
) -> None:
    monkeypatch.setattr("webrag_desktop.cli.commands.documents.click.confirm", lambda _question: agreed)
    assert run(["remove", "known"]) == 0
    assert len(documents.removed) == removed


@pytest.mark.parametrize("option", ["--yes", "--json"])
def test_it_can_be_told_not_to_ask(documents: FakeDocuments, option: str) -> None:
    assert run(["remove", "known", option]) == 0
    assert len(documents.removed) == 1


def test_one_unknown_document_keeps_all(documents: FakeDocuments) -> None:
    assert run(["remove", "known", "unknown", "--yes"]) == 2
    assert documents.removed == []
