"""What is asked for now overtakes what lies in the queue, and nothing that lies there is forgotten."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import accepted, article, assert_sound, row
from webrag_desktop.library.intake import read_intake
from webrag_desktop.library.refreshing import refresh
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.queue import FEW, Priority, priority_of
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs, queue_control
from webrag_desktop.storage.queue.postponement import postpone

FOLDER = [f"https://example.org/{number}" for number in range(FEW + 2)]


@pytest.fixture
def imported(library: StoredLibrary) -> list[str]:
    """The ids of a long list that was added some time ago, in the order given."""
    return [str(accepted(one).source_id) for one in library.add(FOLDER)]


def order(database: Database) -> list[str]:
    with database.connection() as conn:
        return [str(id_) for id_ in jobs.open_sources(conn)]


def test_a_few_are_asked_for_and_many_are_not() -> None:
    assert [priority_of(count) for count in (1, FEW, FEW + 1)] == [
        Priority.ASKED,
        Priority.ASKED,
        Priority.MANY,
    ]
    assert priority_of(FEW + 1, Priority.BEHIND) == Priority.BEHIND


def test_what_is_added_overtakes_a_long_list_in_the_order_given(
    database: Database, library: StoredLibrary, imported: list[str]
) -> None:
    new = [str(accepted(one).source_id) for one in library.add(["https://a.org/1", "https://a.org/2"])]
    last = str(accepted(library.add(["https://a.org/3"])[0]).source_id)
    assert order(database) == [*new, last, *imported]
    with database.connection() as conn:
        positions = queue_control.queue_positions(conn)
    assert [str(id_) for id_ in sorted(positions, key=lambda id_: positions[id_])] == order(database)
    assert_sound(database)


def test_what_lies_in_the_queue_comes_forward_when_it_is_given_again_behind_what_was_asked_before(
    database: Database, library: StoredLibrary, imported: list[str]
) -> None:
    first = str(accepted(library.add(["https://a.org/1"])[0]).source_id)
    for link in (FOLDER[5], FOLDER[2], FOLDER[5]):
        assert accepted(library.add([link])[0]).verdict == "present"
    rest = [one for one in imported if one not in (imported[5], imported[2])]
    assert order(database) == [first, imported[5], imported[2], *rest]
    library.add(FOLDER)  # all of it again is no haste, and takes none away
    assert order(database) == [first, imported[5], imported[2], *rest]


def test_the_worker_takes_them_in_that_order_and_leaves_nothing(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    many = [f"/page{number}" for number in range(FEW + 1)]
    pages.pages |= {path: article(path[1:]) for path in many}
    library.add([pages.url(path) for path in many])
    library.add([pages.url("/rhine")])
    assert work() == FEW + 2
    assert [request.path for request in pages.requests] == ["/rhine", *many]
    assert {source.state for source in library.documents.all()} == {"ready"}
    assert_sound(database)


def test_a_retry_and_a_refresh_of_the_chosen_overtake_and_of_everything_wait(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    chosen = accepted(library.add([pages.url("/rhine")])[0]).source_id
    failed = accepted(library.add([pages.url("/missing")])[0]).source_id
    work()
    imported = [accepted(one).source_id for one in library.add(FOLDER)]
    assert library.queue.retry([failed]) == 1
    assert library.documents.refresh([chosen]).queued == (chosen,)
    with database.connection() as conn:
        assert jobs.open_sources(conn) == [failed, chosen, *imported]
    library.queue.cancel([chosen])
    refresh(database, [chosen], library.fetch_options, priority=Priority.BEHIND)
    with database.connection() as conn:
        assert jobs.open_sources(conn) == [failed, *imported, chosen]
    assert row(library, chosen).priority == Priority.BEHIND
    assert row(library, failed).priority == Priority.ASKED


def test_open_work_becomes_more_urgent_and_never_less(database: Database, library: StoredLibrary) -> None:
    with database.connection() as conn:
        source_id = accepted(library.add(["https://a.org/"])[0]).source_id
        for priority, expected in ((Priority.BEHIND, 1), (Priority.MANY, 1), (5, 5), (2, 5)):
            jobs.enqueue(conn, source_id, priority=priority)
            assert conn.execute("SELECT priority FROM jobs").fetchone() == (expected,)


def test_what_is_behind_gets_on_while_what_is_in_front_waits(
    database: Database, library: StoredLibrary, imported: list[str]
) -> None:
    in_front = accepted(library.add(["https://a.org/"])[0]).source_id
    with database.connection() as conn:
        job = jobs.claim(conn)
        assert job is not None
        assert job.source_id == in_front
        sources.set_state(conn, in_front, "queued", claim=job.claim)
        postpone(conn, job, 3600, "model")
        behind = jobs.claim(conn)
    assert behind is not None
    assert str(behind.source_id) == imported[0]


def test_a_few_files_of_the_spool_are_asked_for_and_many_are_not(
    database: Database, library: StoredLibrary, tmp_path: Path, imported: list[str]
) -> None:
    for count, level in ((1, Priority.ASKED), (FEW + 1, Priority.MANY)):
        for number in range(count):
            note = tmp_path / f"{count}-{number}.md"
            note.write_text(f"Note {count} {number} about rivers.", encoding="utf-8")
            library.spool.put(read_intake(str(note), library.fetch_options))
        taken = library.take_in()
        assert {row(library, one.source_id).priority for one in taken} == {level}


def test_a_claim_that_was_put_off_is_another_one_when_it_comes_again(
    database: Database, library: StoredLibrary
) -> None:
    """Attempts are forgiven, so that they alone would let a runner that lost its place write again."""
    source_id = accepted(library.add(["https://a.org/"])[0]).source_id
    with database.connection() as conn:
        lost = jobs.claim(conn)
        assert lost is not None
        postpone(conn, lost, -1)
        again = jobs.claim(conn)
        assert again is not None
        assert again.attempts == lost.attempts
        assert not jobs.holds(conn, lost)
        assert not sources.set_state(conn, source_id, "extracting", claim=lost.claim)
        assert sources.set_state(conn, source_id, "extracting", claim=again.claim)
