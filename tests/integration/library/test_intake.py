"""What is given is durable before anything else: neither an end in mid-work nor a bad neighbour loses it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.queue_work import OPTIONS, accepted
from webrag_desktop.errors import Cancelled, DataFolderGoneError, WebragError
from webrag_desktop.ingestion import files
from webrag_desktop.library import intake
from webrag_desktop.library.intake import keep_for_later
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Accepted, Kept, Refused
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.spool import BATCH_SUFFIX, Spool
from webrag_desktop.storage.database import Database

Work = Callable[..., int]
LINKS = [f"https://x{n}.example/" for n in range(2 * files.ACCEPTED_AT_ONCE + 50)]


def addresses(library: StoredLibrary) -> list[str]:
    return [source.url for source in library.documents.all()]


def left(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "intake").iterdir()]


def test_what_an_end_in_mid_work_leaves_over_is_taken_in_at_the_next_opening(
    library: StoredLibrary, tmp_path: Path
) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        library.add(LINKS, cancel)
    assert addresses(library) == LINKS[: files.ACCEPTED_AT_ONCE]
    assert library.spool.count() == len(LINKS)
    library.take_in()
    assert addresses(library) == LINKS  # each once, and in order
    assert left(tmp_path) == []


def test_many_come_in_in_the_order_in_which_they_were_given(library: StoredLibrary, tmp_path: Path) -> None:
    taken = library.add([*LINKS, LINKS[0]])
    assert [accepted(one).given for one in taken] == LINKS
    assert addresses(library) == LINKS
    assert left(tmp_path) == []


def test_the_batch_of_a_process_that_was_killed_is_taken_in_and_that_of_a_living_one_is_left_to_it(
    library: StoredLibrary, tmp_path: Path
) -> None:
    folder = tmp_path / "intake"
    folder.mkdir()
    killed = folder / f"1-killed{BATCH_SUFFIX}.{os.getpid()}-1000"  # the number went to another process, us
    killed.write_text(json.dumps(LINKS[:1]))
    mine = library.spool.put_batch(LINKS[1:2])
    library.take_in()
    assert addresses(library) == LINKS[:1]
    mine.release()
    library.take_in()
    assert addresses(library) == LINKS[:2]


def test_a_batch_names_its_files_for_a_process_in_any_folder(
    library: StoredLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note.md").write_text("Of something.")
    monkeypatch.chdir(tmp_path)
    library.spool.put_batch(intake.durable(["note.md"])).release()
    monkeypatch.chdir(tmp_path.parent)
    library.take_in()
    assert addresses(library) == [(tmp_path / "note.md").as_uri()]


def test_many_links_that_are_kept_are_one_file_and_files_are_kept_as_they_are_now(
    library: StoredLibrary, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("As it was when it was given.")
    kept = keep_for_later(
        library.spool, [*LINKS[:9], "ftp://x/", str(note)], OPTIONS, WebragError("It is away.")
    )
    assert [type(one) for one in kept] == [Kept] * 9 + [Refused, Kept]
    assert len(left(tmp_path)) == 2
    assert library.spool.count() == 10
    note.unlink()
    library.take_in()
    assert sorted(addresses(library)) == sorted([note.as_uri(), *LINKS[:9]])


@pytest.mark.parametrize("bad", ["https://x.example/\ud800", "/tmp/caf\udce9.md", "file:///tmp/caf%E9.md"])
def test_one_bad_address_does_not_stop_the_others(library: StoredLibrary, bad: str) -> None:
    first, second, third = library.add([LINKS[0], bad, LINKS[1]])
    assert isinstance(second, Refused)
    assert "not a character" in second.error.message
    second.error.message.encode()  # it can be shown
    assert [accepted(one).given for one in (first, third)] == LINKS[:2]


def test_an_unexpected_fault_in_one_does_not_lose_the_others(
    library: StoredLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = intake.accept

    def failing(conn: object, given: str, entry: object, *urgency: object) -> Accepted:
        if given == LINKS[1]:
            raise RuntimeError("a fault of our own")
        return real(conn, given, entry, *urgency)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "accept", failing)
    results = library.add(LINKS[:3])
    assert [type(one) for one in results] == [Accepted, Refused, Accepted]
    assert addresses(library) == [LINKS[0], LINKS[2]]


def test_an_entry_that_the_database_refuses_is_quarantined(
    library: StoredLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = intake.accept

    def failing(conn: object, given: str, entry: object, *urgency: object) -> Accepted:
        if given == LINKS[0]:
            raise RuntimeError("a fault of our own")
        return real(conn, given, entry, *urgency)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "accept", failing)
    for link in LINKS[:2]:
        library.spool.put(intake.read_intake(link, OPTIONS))
    library.take_in()
    assert addresses(library) == LINKS[1:2]
    assert [Path(name).suffix for name in left(tmp_path)] == [".damaged"]


def test_a_removal_that_was_not_carried_out_is_carried_out_before_anything_comes_in(
    library: StoredLibrary, tmp_path: Path
) -> None:
    old = accepted(library.add(LINKS[:1])[0]).source_id
    library.spool.put_removal([old, UUID(int=1)])
    again = accepted(library.add(LINKS[:1])[0])
    assert (again.verdict, again.source_id) == ("restored", old)
    assert [source.id for source in library.documents.all()] == [again.source_id]
    assert left(tmp_path) == []


def test_a_removal_waits_for_a_database_that_went_away(library: StoredLibrary, database: Database) -> None:
    old = accepted(library.add(LINKS[:1])[0]).source_id
    down = Database({"host": "127.0.0.1", "port": 1, "user": "x", "dbname": "x"}, timeout_seconds=0.5)
    with pytest.raises(WebragError):
        StoredLibrary(down, library.spool, OPTIONS).documents.remove_surely([old])
    down.close()
    assert library.documents.get(old) is not None
    library.take_in()
    assert library.documents.get(old) is None
    assert [one.id for one in library.bin.all()] == [old]


def test_what_is_refused_later_tells_the_log_no_secrets(
    library: StoredLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    refused = [
        "https://ann:hunter2@example.org/a?key=hunter2",
        "ann:hunter2@example.org:99999",
        "ftp://x.example/?hunter2",
    ]
    library.spool.put_batch(refused).release()
    assert library.take_in() == []
    assert "example.org/a" in caplog.text
    assert "hunter2" not in caplog.text


def test_a_damaged_batch_is_quarantined(library: StoredLibrary, tmp_path: Path) -> None:
    spool: Spool = library.spool
    spool.put_batch(LINKS[:1]).release()
    (path,) = (tmp_path / "intake").iterdir()
    path.write_text('["https://')
    library.take_in()
    assert [Path(name).suffix for name in left(tmp_path)] == [".damaged"]


def test_stopping_the_reading_of_a_changed_file_can_be_taken_back(
    library: StoredLibrary, tmp_path: Path, work: Work
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Note\n\nThe first text, of copper.")
    source_id = accepted(library.add([str(note)])[0]).source_id
    work()
    note.write_text("# Note\n\nThe second text, of zinc.")
    library.add([str(note)])
    assert library.queue.cancel() == [source_id]
    assert library.queue.retry([source_id]) == 1
    work()
    text = library.documents.text(source_id)
    assert text is not None
    assert "zinc" in text.markdown
    assert library.queue.retry([source_id]) == 0


def test_nothing_is_accepted_into_a_data_folder_that_is_gone(database: Database, tmp_path: Path) -> None:
    """Gone before, between what is kept first and the database, and while the database commits."""

    def gone() -> None:
        if not (home / "database").exists():
            raise DataFolderGoneError.of(home)

    home = tmp_path / "home"
    guarded = Database(database._address, ensure_in_place=gone)
    library = StoredLibrary(guarded, Spool(home / "intake" / "embedded"), OPTIONS)
    with pytest.raises(DataFolderGoneError):
        library.add(LINKS[:1])
    assert not home.exists()
    home.mkdir()
    with pytest.raises(DataFolderGoneError):
        library.add(LINKS[:1])
    (home / "database").mkdir()
    assert [accepted(one).verdict for one in library.add(LINKS[:1])] == ["present"]  # it had been kept
    with pytest.raises(DataFolderGoneError), guarded.connection():
        (home / "database").rmdir()
    guarded.close()
