"""How many links away from what the user chose a page is: reported when it is added, kept, and heeded by searches."""

import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import OPTIONS, accepted, assert_sound, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import DatabaseUnreachableError, InputError
from webrag_desktop.library.intake import keep_for_later
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database

AWAY = DatabaseUnreachableError("away")


def added(library: StoredLibrary, given: str, depth: int = 0) -> UUID:
    return accepted(library.add([given], depth=depth)[0]).source_id


def indexed_depth(database: Database, source_id: UUID) -> int:
    with database.connection() as conn:
        found = conn.execute("SELECT depth FROM documents WHERE id = %s", [source_id]).fetchone()
    assert found is not None
    return int(found[0])


def test_it_is_kept_and_searched_by(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    chosen, linked = added(library, pages.url("/rhine")), added(library, pages.url("/elbe"), 2)
    work()
    assert [row(library, one).depth for one in (chosen, linked)] == [0, 2]
    assert [indexed_depth(database, one) for one in (chosen, linked)] == [0, 2]
    assert_sound(database)


def test_given_again_it_comes_nearer_and_never_farther_away(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    linked = added(library, pages.url("/elbe"), 3)
    work()
    added(library, pages.url("/elbe"), 5)
    assert (row(library, linked).depth, indexed_depth(database, linked)) == (3, 3)
    added(library, pages.url("/elbe"), 1)
    assert (row(library, linked).depth, indexed_depth(database, linked)) == (1, 1)
    library.documents.refresh([linked])
    work()
    assert (row(library, linked).depth, indexed_depth(database, linked)) == (1, 1)
    added(library, pages.url("/elbe"))
    assert (row(library, linked).depth, indexed_depth(database, linked)) == (0, 0)


def test_pages_that_turn_out_to_be_one_are_as_near_as_the_nearer(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    linked = added(library, pages.url("/rhine"), 4)
    work()
    pages.pages["/redirect"] = Page.redirect("/rhine")
    added(library, pages.url("/redirect"), 1)
    work()
    assert row(library, linked).depth == 1


def test_searches_and_the_list_heed_at_once_that_it_came_nearer(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    embedder: Embedder,
) -> None:
    linked = added(library, pages.url("/elbe"), 5)
    work()
    scores = []
    for depth in (4, 2, 0):
        added(library, pages.url("/elbe"), depth)
        with database.connection() as conn:
            result = retrieve(conn, "Where does the river carry cold water?", embedder=embedder, mode="chunk")
        assert {(chunk.document_id, chunk.depth) for chunk in result.chunks} == {(linked, depth)}
        assert {one.depth for one in library.documents.all()} == {depth}
        scores.append(result.chunks[0].score)
    assert scores == sorted(set(scores))


@pytest.mark.parametrize("depth", [-1, 2**31, 1.0, True, "1", None])
def test_anything_but_a_whole_number_is_refused(
    library: StoredLibrary, pages: PageServer, depth: object, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="does not exist"):
        library.add([pages.url("/rhine")], depth=depth)  # type: ignore[arg-type]
    assert library.documents.all() == []
    assert Spool(tmp_path / "intake").is_empty


def test_it_waits_beside_the_database_with_what_was_given(
    library: StoredLibrary, pages: PageServer, tmp_path: Path
) -> None:
    file = tmp_path / "Oder.md"
    file.write_text("# Oder\n\nA river.\n", encoding="utf-8")
    keep_for_later(library.spool, [pages.url("/elbe"), str(file)], OPTIONS, AWAY, depth=2)
    with library.spool.put_batch([pages.url("/rhine")], depth=3):
        pass  # the program ended before it was taken in
    library.take_in()
    assert sorted((source.url.rpartition("/")[2], source.depth) for source in library.documents.all()) == [
        ("Oder.md", 2),
        ("elbe", 2),
        ("rhine", 3),
    ]


def test_what_waits_since_before_there_was_a_depth_was_chosen(
    library: StoredLibrary, pages: PageServer, tmp_path: Path
) -> None:
    folder = tmp_path / "intake"
    folder.mkdir()
    labelled = {"given": [pages.url("/elbe")], "tags": ["sea"], "collections": []}
    (folder / f"{1:020d}-{'0' * 32}.given.json").write_text(json.dumps([pages.url("/rhine")]))
    (folder / f"{2:020d}-{'0' * 32}.given.json").write_text(json.dumps(labelled))
    entry = {"kind": "url", "url": "https://example.org/", "url_key": "https://example.org/"}
    (folder / f"{3:020d}-{'0' * 32}.intake.json").write_text(json.dumps(entry))
    assert len(library.take_in()) == 3
    assert [source.depth for source in library.documents.all()] == [0, 0, 0]


@pytest.mark.parametrize("depth", [-1, "2", True, None])
def test_a_batch_with_no_such_depth_is_quarantined(tmp_path: Path, depth: object) -> None:
    name = f"{1:020d}-{'0' * 32}"
    (tmp_path / f"{name}.given.json").write_text(
        json.dumps({"given": [], "tags": [], "collections": [], "depth": depth})
    )
    assert list(Spool(tmp_path).batches()) == []
    assert (tmp_path / f"{name}.damaged").exists()
