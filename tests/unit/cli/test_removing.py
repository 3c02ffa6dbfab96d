"""``webrag remove`` and ``webrag bin``: what is asked, and what is then done."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest

from webrag_desktop.cli.commands import documents as removing
from webrag_desktop.cli.main import run
from webrag_desktop.errors import NotFoundError
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.models.sources import Belongings


def source(title: str, removed_at: datetime | None = None) -> SimpleNamespace:
    facts = {"title": title, "source_url": f"https://example.org/{title}", "url": "https://example.org/"}
    state = {"state": "ready", "state_reason": None, "state_hint": None, "waits_until": None}
    return SimpleNamespace(id=uuid4(), removed_at=removed_at, **state, **facts)


@dataclass
class FakeLibrary:
    """Knows one document, and one that is in the bin."""

    removed: list[UUID] = field(default_factory=list)
    deleted: list[UUID] = field(default_factory=list)
    known: SimpleNamespace = field(default_factory=lambda: source("known"))
    binned: SimpleNamespace = field(
        default_factory=lambda: source("binned", datetime.now(UTC) - timedelta(days=27.5))
    )
    citations: int = 0
    tags: int = 0
    filed: int = 0
    places: int = 0

    @property
    def documents(self) -> "FakeLibrary":
        return self

    @property
    def bin(self) -> "FakeLibrary":
        return self

    @property
    def settings(self) -> SimpleNamespace:
        return SimpleNamespace(bin_options=BinOptions)

    def find(self, reference: str, *, or_in_bin: bool = False) -> SimpleNamespace:
        found = {"known": self.known, **({"binned": self.binned} if or_in_bin else {})}.get(reference)
        if found is None:
            raise NotFoundError(f"Nothing in the library answers to {reference}.", "Look again.")
        return found

    def remove_all(self, ids: Sequence[UUID]) -> int:
        self.removed += ids
        return len(ids)

    def delete_all(self, ids: Sequence[UUID]) -> int:
        self.deleted += ids
        return len(ids)

    delete = delete_all

    def all(self) -> list[SimpleNamespace]:
        return [self.binned]

    def belongings(self, ids: Sequence[UUID]) -> Belongings:
        return Belongings(len(ids), self.citations, self.tags, self.filed, self.places)

    def citations_of(self, ids: Sequence[UUID]) -> dict[UUID, int]:
        return dict.fromkeys(ids, self.citations) if self.citations else {}


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLibrary:
    fake = FakeLibrary()

    @contextmanager
    def opened() -> Iterator[FakeLibrary]:
        yield fake

    monkeypatch.setattr(removing, "open_library", opened)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    return fake


def answer(monkeypatch: pytest.MonkeyPatch, agreed: bool) -> list[str]:
    asked: list[str] = []

    def confirm(question: str) -> bool:
        asked.append(question)
        return agreed

    monkeypatch.setattr("webrag_desktop.cli.commands.documents.click.confirm", confirm)
    return asked


def test_what_can_be_restored_is_removed_without_asking(
    library: FakeLibrary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library.citations = 2
    asked = answer(monkeypatch, agreed=False)
    assert run(["remove", "known"]) == 0
    assert (asked, library.removed, library.deleted) == ([], [library.known.id], [])
    reported = capsys.readouterr()
    assert "In the bin: 1" in reported.out
    assert "Cited 2 times" in reported.err
    assert "webrag bin restore" in reported.err


def test_before_it_deletes_for_good_it_names_what_else_the_user_made_of_it(
    library: FakeLibrary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library.tags, library.filed, library.places = 2, 1, 0
    answer(monkeypatch, agreed=False)
    run(["bin", "delete", "binned"])
    assert "Deleted with them: 2 tags, 1 place in a collection.\n" in capsys.readouterr().out
    library.tags = library.filed = 0
    run(["bin", "delete", "binned"])
    assert "Deleted with them" not in capsys.readouterr().out


@pytest.mark.parametrize("agreed", [True, False])
@pytest.mark.parametrize(
    "command", [["remove", "known", "--for-good"], ["bin", "delete", "binned"], ["bin", "empty"]]
)
def test_before_it_deletes_for_good_it_asks_and_names_citations(
    library: FakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    agreed: bool,
) -> None:
    library.citations = 1
    asked = answer(monkeypatch, agreed)
    assert run(command) == 0
    assert len(asked) == 1
    assert len(library.deleted) == agreed
    reported = capsys.readouterr().out
    assert "cited once" in reported
    assert ("Deleted for good: 1" if agreed else "Nothing was deleted.") in reported


@pytest.mark.parametrize("option", ["--yes", "--json"])
def test_it_can_be_forbidden_to_ask(library: FakeLibrary, option: str) -> None:
    assert run(["remove", "known", "--for-good", option]) == 0
    assert run(["bin", "empty", option]) == 0
    assert library.deleted == [library.known.id, library.binned.id]


def test_one_unknown_document_keeps_all(library: FakeLibrary) -> None:
    assert run(["remove", "known", "unknown"]) == 2
    assert run(["bin", "delete", "binned", "known", "--yes"]) == 2
    assert (library.removed, library.deleted) == ([], [])


def test_the_bin_says_how_long_everything_stays(
    library: FakeLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    library.citations = 3
    assert run(["bin"]) == 0
    reported = capsys.readouterr().out
    assert "deleted in 2 days, cited 3 times" in reported
