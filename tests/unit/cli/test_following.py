"""Waiting for documents: whatever ends it, what was given is kept, and that is said."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock
from uuid import UUID, uuid4

import pytest

from tests.unit.cli.test_progress import SOURCE
from webrag_desktop.cli.following import KEPT, follow
from webrag_desktop.cli.output import Output
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError, DatabaseUnreachableError, StackError, WebragError
from webrag_desktop.indexing.open_spaces import OpenSpaces
from webrag_desktop.jobs.worker_process import FailureNote
from webrag_desktop.library.worker import LibraryWorker
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.stack.base import Stack
from webrag_desktop.storage.database import Database

LOST = [
    DatabaseUnreachableError("The database does not answer any more."),
    StackError("The background worker stopped (SIGKILL). What you gave is kept."),
    ConfigurationError("The tokenizer does not belong to the model."),
]


class FakeLibrary:
    """A library in which something goes away while documents are waited for; its worker is a real one."""

    def __init__(self, place: str, error: WebragError, home: Path, changes: Sequence[SourceRow] = ()) -> None:
        self._changes = changes
        self.queue = self.documents = self
        self.settings = Settings.of(WEBRAG_HOME=home)
        self._place, self._error = place, error
        stack, database = MagicMock(spec=Stack), MagicMock(spec=Database)
        self.worker = LibraryWorker(self.settings, stack, database, self._spaces)

    def _reach(self, place: str) -> None:
        if place == self._place:
            raise self._error

    def paused(self) -> bool:
        self._reach("paused")
        return False

    def _spaces(self) -> OpenSpaces:
        spaces = MagicMock(spec=OpenSpaces)
        spaces.settle.side_effect = lambda: self._reach("space")
        return spaces

    def watch(self, _source_ids: Sequence[UUID]) -> Iterator[SourceRow]:
        self._reach("follow")
        yield from self._changes

    def rows(self, _source_ids: Sequence[UUID]) -> dict[UUID, None]:
        self._reach("rows")
        return {}


@pytest.mark.parametrize("error", LOST, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", ["paused", "space", "follow", "rows"])
def test_what_goes_away_underway_is_reported_with_what_is_kept_and_the_way_on(
    place: str, error: WebragError, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WebragError) as reported:
        follow(FakeLibrary(place, error, tmp_path), [uuid4()], Output(), KEPT)  # type: ignore[arg-type]
    assert reported.value is error
    said = capsys.readouterr().err
    assert said.count("accepted and kept") == 1
    assert "`webrag work`" in said


def test_nothing_is_said_where_all_went_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert follow(FakeLibrary("nowhere", LOST[0], tmp_path), [], Output())  # type: ignore[arg-type]
    assert "kept" not in capsys.readouterr().err


@pytest.mark.parametrize("as_json", [True, False])
def test_why_work_waits_is_said_at_once_and_once(
    as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queued = replace(SOURCE, id=uuid4())
    loading = replace(
        queued, waits_for="model", state_reason="It is still loading its model.", state_hint="Wait."
    )
    at_rest = replace(queued, waits_for="site", state_reason="The site wants to be left alone.")
    changes = [loading, replace(loading, id=uuid4()), at_rest, queued, loading]
    output = Output()
    output.as_json = as_json
    follow(FakeLibrary("nowhere", LOST[0], tmp_path, changes), [queued.id], output)  # type: ignore[arg-type]
    said = capsys.readouterr()
    assert said.err.count("It is still loading its model. Wait.") == 1
    assert "left alone" not in said.err
    assert "loading" not in said.out


def test_where_nothing_was_given_only_what_is_queued_is_said_to_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StackError):
        follow(FakeLibrary("follow", LOST[1], tmp_path), [uuid4()], Output())  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert "What is queued is kept." in said
    assert "given" not in said


@pytest.mark.parametrize(("place", "error"), [("space", LOST[2]), ("space", LOST[0]), ("follow", LOST[2])])
def test_a_setting_that_the_command_itself_meets_is_noted_for_the_status(
    place: str, error: WebragError, tmp_path: Path
) -> None:
    library = FakeLibrary(place, error, tmp_path)
    with pytest.raises(WebragError):
        follow(library, [uuid4()], Output())  # type: ignore[arg-type]
    noted = FailureNote.of_home(tmp_path).read()
    if place == "space" and isinstance(error, ConfigurationError):
        assert noted is not None
        assert (noted.kind, noted.message) == ("configuration", error.message)
        assert noted.settings == library.settings.indexing_fingerprint()
    else:
        assert noted is None  # a worker leaves its own
