"""A worker's last failure is handed over as data: whole or not at all, until another worker begins."""

from pathlib import Path

import pytest

from webrag_desktop.errors import ConfigurationError, EmbeddingError, WebragError
from webrag_desktop.jobs.worker_process import FailureNote
from webrag_desktop.models.queue import FailureKind, WorkerFailure
from webrag_desktop.storage.spaces.space_tables import SpaceDamagedError


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConfigurationError("“Groß” is\nwrong.", "Change it."), "configuration"),
        (SpaceDamagedError("It is damaged.", "Repair it."), "configuration"),
        (EmbeddingError("The model is gone.", ""), "other"),
    ],
)
def test_it_is_read_as_it_was_written(tmp_path: Path, error: WebragError, kind: FailureKind) -> None:
    note = FailureNote.of_home(tmp_path)
    assert note.read() is None
    written = WorkerFailure.of(error, "these")
    note.write(WorkerFailure.of(ConfigurationError("An earlier one.", "Forget it."), "those"))
    note.write(written)
    assert note.read() == written
    reported = (written.kind, written.message, written.hint, written.settings)
    assert reported == (kind, error.message, error.hint, "these")
    assert [path.name for path in note.path.parent.iterdir()] == [note.path.name]  # nothing half done is left
    note.clear()
    note.clear()
    assert note.read() is None


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"kind": "configuration", "at": 3}', "\ufffd"])
def test_what_no_worker_of_this_version_wrote_says_nothing(tmp_path: Path, content: str) -> None:
    note = FailureNote.in_folder(tmp_path)
    note.path.write_text(content, encoding="utf-8")
    assert note.read() is None
