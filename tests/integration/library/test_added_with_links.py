"""Pages added with their links are as durable as all that is given, and their sites are captured once."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.queue_work import OPTIONS, accepted
from webrag_desktop.errors import DatabaseUnreachableError, InputError
from webrag_desktop.library.intake import keep_for_later
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.links import CaptureLimits, CaptureState
from webrag_desktop.models.sources import Labels
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import expansions
from webrag_desktop.storage.library.visits import visits_of

AWAY = DatabaseUnreachableError("away")
PAGES = ["https://ship.example/", "https://harbour.example/docs#top"]
SHIP = Labels.of(["ship"])


def captures(database: Database) -> dict[str, CaptureState]:
    with database.connection() as conn:
        runs = expansions.list_runs(conn, "site", 100)
    assert len({run.subject for run in runs}) == len(runs)
    return {run.subject: CaptureState.model_validate_json(run.state) for run in runs}


def assert_captured(database: Database, links: int = 2, depth: int = 0) -> None:
    state = CaptureState(
        scope="site", prefix="/", limits=CaptureLimits(depth=links), depth=depth, tags=SHIP.tags
    )
    assert captures(database) == {"https://ship.example/": state, "https://harbour.example/docs": state}


def test_each_page_begins_a_capture_that_begins_with_it(library: StoredLibrary, database: Database) -> None:
    taken = [accepted(one) for one in library.add(PAGES, labels=SHIP, depth=1, links=2)]
    assert_captured(database, depth=1)
    with database.connection() as conn:
        for one in taken:
            assert isinstance(one.capture_id, UUID)
            assert [visit.source_id for visit in visits_of(conn, one.capture_id)] == [one.source_id]
    assert [accepted(one).capture_id for one in library.add(PAGES)] == [None, None]


def test_what_waits_beside_the_database_keeps_how_far_links_are_followed(
    library: StoredLibrary, database: Database
) -> None:
    keep_for_later(library.spool, PAGES, OPTIONS, AWAY, SHIP, links=2)
    assert captures(database) == {}
    library.take_in()
    assert_captured(database)


def test_a_database_that_goes_away_leaves_nothing_out(library: StoredLibrary, database: Database) -> None:
    down = Database({"host": "127.0.0.1", "port": 1, "user": "x", "dbname": "x"}, timeout_seconds=0.5)
    StoredLibrary(down, library.spool, OPTIONS).add(PAGES, labels=SHIP, links=2)
    down.close()
    library.take_in()
    assert_captured(database)


def test_what_is_taken_in_again_after_a_crash_begins_no_second_capture(
    library: StoredLibrary, database: Database
) -> None:
    left = library.spool.put_batch(PAGES, SHIP, links=2)
    first = [accepted(one).capture_id for one in library.add(PAGES, labels=SHIP, links=2)]
    left.release()
    assert [one.capture_id for one in library.take_in()] == first
    assert_captured(database)


def test_a_capture_that_is_to_go_farther_is_another(library: StoredLibrary) -> None:
    (near,) = library.add(PAGES[:1], links=1)
    (far,) = library.add(PAGES[:1], links=2)
    assert accepted(near).capture_id != accepted(far).capture_id


@pytest.mark.parametrize(
    ("wrong", "links", "reported"),
    [
        ("note.md", 1, "note.md” is not a web page"),
        ("ftp://ship.example/", 1, "“ftp:” cannot be added. Nothing was added"),
        ("https://ship.example/x", 51, "at most 50"),
        ("https://ship.example/x", -1, "at least 0"),
    ],
)
def test_nothing_begins_before_all_is_looked_at(
    library: StoredLibrary, database: Database, tmp_path: Path, wrong: str, links: int, reported: str
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Note\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        library.add([*PAGES, str(note) if wrong == note.name else wrong], links=links)
    assert reported in f"{raised.value.message} {raised.value.hint}"
    assert library.documents.all() == []
    assert captures(database) == {}
    assert Spool(tmp_path / "intake").is_empty


@pytest.mark.parametrize("links", [-1, "2", True, None])
def test_a_batch_with_no_such_links_is_quarantined(tmp_path: Path, links: object) -> None:
    name = f"{1:020d}-{'0' * 32}"
    batch = {"given": [], "tags": [], "collections": [], "depth": 0, "links": links}
    (tmp_path / f"{name}.given.json").write_text(json.dumps(batch))
    assert list(Spool(tmp_path).batches()) == []
    assert (tmp_path / f"{name}.damaged").exists()
