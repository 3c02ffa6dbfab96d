"""What was accepted is worked off: fetched, read, indexed, joined, failed with a reason, resumed after a crash."""

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, article, assert_sound, row
from webrag_desktop.errors import (
    InputError,
    NotFoundError,
)
from webrag_desktop.jobs.postponement import SITE_RETRY_SECONDS
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Accepted, Refused
from webrag_desktop.storage.database import Database


def test_an_added_page_becomes_ready(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    assert result.verdict == "added"
    assert row(library, result.source_id).state == "queued"
    assert_sound(database)
    assert work() == 1
    ready = row(library, result.source_id)
    assert (ready.state, ready.title, ready.source_url) == ("ready", "Rhine", pages.url("/rhine"))
    text = library.documents.text(result.source_id)
    assert text is not None
    assert "cold water" in text.markdown
    assert [
        chunk.embedded for chunk in library.documents.chunks(result.source_id) if chunk.chunk_level == "child"
    ] == [True]
    assert_sound(database)


def test_adding_again_does_nothing_and_fetches_nothing(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    first = accepted(library.add([pages.url("/rhine")])[0])
    work()
    again = accepted(library.add([pages.url("/rhine?utm_source=mail#top")])[0])
    assert (again.source_id, again.verdict) == (first.source_id, "present")
    assert work() == 0
    assert len(pages.requests) == 1


def test_a_failure_keeps_its_reason_and_adding_again_retries(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/oder")])[0])
    work()
    failed = row(library, result.source_id)
    assert failed.state == "failed"
    assert "404" in (failed.state_reason or "")
    assert_sound(database)
    pages.pages["/oder"] = article("Oder")
    assert accepted(library.add([pages.url("/oder")])[0]).verdict == "retried"
    work()
    assert row(library, result.source_id).state == "ready"
    assert_sound(database)


@pytest.mark.parametrize("second", ["/redirect", "/canonical", "/header"])
def test_two_addresses_of_one_page_become_one_document(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int], second: str
) -> None:
    link = f'<link rel="canonical" href="{pages.url("/rhine")}">'
    headers = (("Content-Type", "text/html"), ("Link", '</rhine>; rel="canonical"'))
    pages.pages |= {
        "/redirect": Page.redirect("/rhine"),
        "/canonical": article("Rhine", head=link),
        "/header": Page(article("Rhine"), headers=headers),
    }
    first = accepted(library.add([pages.url("/rhine")])[0])
    work()
    joined = accepted(library.add([pages.url(second)])[0])
    work()
    assert library.documents.get(joined.source_id) is None
    assert library.documents.find(pages.url(second)).id == first.source_id
    assert accepted(library.add([pages.url(second)])[0]).verdict == "present"
    assert len(library.documents.all()) == 1
    assert_sound(database)


def test_a_page_that_waits_is_not_fetched_again_when_a_redirect_led_to_it(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/redirect"] = Page.redirect("/rhine")
    joined, first = (
        accepted(one)
        for one in library.add([pages.url("/redirect"), pages.url("/rhine"), pages.url("/elbe")])[:2]
    )
    work()
    assert library.documents.get(joined.source_id) is None
    assert row(library, first.source_id).state == "ready"
    assert sorted(request.path for request in pages.requests) == ["/elbe", "/redirect", "/rhine"]
    assert_sound(database)


def test_a_file_is_captured_at_once_and_survives_its_deletion(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "Größe ☕.md"
    note.write_text("# Größe\n\nÜber die Größe von Tassen ☕ und 茶.\n", encoding="utf-8")
    result = accepted(library.add([str(note)])[0])
    note.unlink()
    work()
    assert row(library, result.source_id).state == "ready"
    text = library.documents.text(result.source_id)
    assert text is not None
    assert "Tassen ☕ und 茶" in text.markdown
    assert library.documents.find(str(note)).id == result.source_id
    assert_sound(database)


def test_a_changed_file_becomes_a_new_version_and_an_equal_one_does_nothing(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The old text about rivers.", encoding="utf-8")
    first = accepted(library.add([str(note)])[0])
    work()
    assert accepted(library.add([str(note)])[0]).verdict == "present"
    note.write_text("The new text about mountains.", encoding="utf-8")
    assert accepted(library.add([str(note)])[0]).verdict == "changed"
    work()
    text = library.documents.text(first.source_id)
    assert text is not None
    assert "mountains" in text.markdown
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM document_versions").fetchone() == (2,)
    assert_sound(database)


def test_what_cannot_be_taken_in_is_refused_alone(
    library: StoredLibrary, pages: PageServer, tmp_path: Path
) -> None:
    given = ["javascript:alert(1)", str(tmp_path / "missing.md"), pages.url("/elbe")]
    results = library.add(given)
    assert [type(result) for result in results] == [Refused, Refused, Accepted]
    assert isinstance(results[0], Refused)
    assert isinstance(results[0].error, InputError)
    assert len(library.documents.all()) == 1


def test_removing_leaves_nothing_behind(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    work()
    assert library.documents.remove(result.source_id)
    assert not library.documents.remove(result.source_id)
    assert library.bin.empty() == 1
    with database.connection() as conn:
        for table in (
            "sources",
            "captures",
            "document_versions",
            "documents",
            "chunks",
            "corpus_chunks",
            "jobs",
        ):
            assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    assert_sound(database)


def test_a_document_is_found_by_id_prefix_address_or_path(library: StoredLibrary, pages: PageServer) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    for reference in (str(result.source_id), str(result.source_id)[:8], pages.url("/rhine#part")):
        assert library.documents.find(reference).id == result.source_id
    for reference in ("0000", "https://nowhere.example/", "not an address at all"):
        with pytest.raises(NotFoundError):
            library.documents.find(reference)


def test_many_adding_the_same_page_at_once_make_one_document(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    results: list[object] = []
    together = Barrier(6)

    def add() -> None:
        together.wait()
        results.extend(library.add([pages.url("/rhine")]))

    threads = [Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(accepted(result).verdict for result in results) == ["added"] + 5 * ["present"]  # type: ignore[arg-type]
    work()
    assert [source.state for source in library.documents.all()] == ["ready"]
    assert_sound(database)


def test_a_file_that_changes_while_it_is_read_is_read_again(
    database: Database, library: StoredLibrary, tmp_path: Path, work_meanwhile: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id

    def change() -> None:
        note.write_text("The new text about mountains.", encoding="utf-8")
        assert accepted(library.add([str(note)])[0]).verdict == "changed"

    work_meanwhile(change)
    text = library.documents.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown
    assert row(library, source_id).state == "ready"
    assert accepted(library.add([str(note)])[0]).verdict == "present"
    assert_sound(database)


def test_a_document_removed_while_it_is_read_stays_removed(
    database: Database, library: StoredLibrary, pages: PageServer, work_meanwhile: Callable[..., int]
) -> None:
    source_id = accepted(library.add([pages.url("/rhine"), pages.url("/elbe")])[0]).source_id
    work_meanwhile(lambda: library.documents.remove(source_id))
    assert [source.title for source in library.documents.all()] == ["Elbe"]
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM vector_cache").fetchone() == (0,)
    assert_sound(database)


def test_an_alias_brings_a_failed_page_to_life(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = Page(b"not here", status=404)
    first = accepted(library.add([pages.url("/oder")])[0])
    work()
    assert row(library, first.source_id).state == "failed"
    pages.pages |= {"/oder": article("Oder"), "/alias": Page.redirect("/oder")}
    library.add([pages.url("/alias")])
    work()
    assert row(library, first.source_id).state == "ready"
    assert library.documents.find(pages.url("/alias")).id == first.source_id


def test_what_failed_for_a_passing_reason_is_tried_again_on_demand(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/busy"] = Page(b"busy", status=503)
    library.add([pages.url("/busy"), pages.url("/missing")])
    with database.connection() as conn:  # it was tried often enough
        conn.execute("UPDATE jobs SET postponed = %s", [len(SITE_RETRY_SECONDS)])
    work()
    assert {source.state for source in library.documents.all()} == {"failed"}
    pages.pages["/busy"] = article("Busy")
    assert library.queue.retry_failed() == 1
    work()
    assert {source.title: source.state for source in library.documents.all()} == {
        "Busy": "ready",
        None: "failed",
    }


def test_new_facts_about_an_unchanged_text_are_kept(
    library: StoredLibrary, pages: PageServer, tmp_path: Path, work: Callable[..., int]
) -> None:
    file = tmp_path / "page.html"
    file.write_text(article("Rhine", head='<meta name="description" content="Old words">'), encoding="utf-8")
    source_id = accepted(library.add([str(file)])[0]).source_id
    work()
    file.write_text(article("Rhine", head='<meta name="description" content="New words">'), encoding="utf-8")
    assert accepted(library.add([str(file)])[0]).verdict == "changed"
    work()
    assert row(library, source_id).description == "New words"
