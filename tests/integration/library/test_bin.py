"""Removed documents rest in a bin: nothing that searches finds them, and they come back as they were."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Thread
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import NotFoundError
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.jobs.site_capturing import SiteCapturing
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.maintenance import upkeep
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.maintenance.upkeep import Housekeeping, delete_expired
from webrag_desktop.models.citations import StoredCitation
from webrag_desktop.models.sources import Belongings, Labels
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage import removal
from webrag_desktop.storage.checks import repair
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.library import visits as stored_visits
from webrag_desktop.storage.library.sources import key_hash
from webrag_desktop.storage.library.visits import known_keys

Work = Callable[..., int]
SENTENCE = "The river carries cold water to the sea."


@pytest.fixture
def rhine(library: StoredLibrary, pages: PageServer, work: Work) -> UUID:
    """A page that is ready, tagged and in a collection, beside another one."""
    labels = Labels(("cold",), ("Rivers",))
    source_id = accepted(library.add([pages.url("/rhine")], labels=labels)[0]).source_id
    library.add([pages.url("/elbe")])
    work()
    return source_id


def cite(library: StoredLibrary, source_id: UUID, words: str) -> StoredCitation:
    text = library.documents.text(source_id)
    assert text is not None
    start = text.markdown.index(words)
    return library.citations.cite(text.id, start, start + len(words))


def age(database: Database, source_id: UUID, days: int) -> None:
    """Have something been in the bin for so many days."""
    with database.connection() as conn:
        conn.execute(
            "UPDATE sources SET removed_at = removed_at - make_interval(days => %s) WHERE id = %s",
            [days, source_id],
        )


def vectors_of(database: Database, source_id: UUID) -> dict[UUID, bytes]:
    with database.connection() as conn:
        row = conn.execute("SELECT table_name FROM embedding_spaces").fetchone()
        assert row is not None
        found = conn.execute(
            f"SELECT chunk_id, embedding::text FROM {row[0]} WHERE document_id = %s", [source_id]
        )
        return dict(found.fetchall())


def test_what_is_removed_is_found_by_nothing_that_searches_or_lists(
    database: Database, library: StoredLibrary, rhine: UUID, embedder: Embedder, pages: PageServer
) -> None:
    library.documents.remove(rhine)
    for mode in ("auto", "chunk", "full_context"):
        with database.connection() as conn:
            found = retrieve(conn, "sentence number 3 about Rhine", embedder=embedder, mode=mode)
        assert {one.document_id for one in found.chunks}.isdisjoint({rhine})
        assert found.chunks  # the other page
    quotes = Quotes(database, library.documents)
    assert quotes.verify("This is sentence number 3 about Rhine.", older_versions=True).grade != "exact"
    (other,) = library.documents.all()
    assert [library.documents.listing(), library.documents.listing("bin")] == [[other.id], [rhine]]
    assert library.documents.listing("site", "127.0.0.1") == [] or rhine not in library.documents.listing(
        "site"
    )
    overview = library.documents.overview()
    assert (overview.documents, overview.states, [count for _site, count in overview.sites]) == (
        1,
        {"ready": 1},
        [1],
    )
    assert [count for _site, count in library.documents.facets().doc_types] == [1]
    assert library.labels.tags() == []
    assert [one.documents for one in library.labels.collections()] == [0]
    assert library.documents.rows([rhine]) == {}
    assert library.documents.get(rhine) is None
    assert library.links.at(pages.url("/rhine")) is None
    with database.connection() as conn:
        assert known_keys(conn, [key_hash(url_key(pages.url("/rhine")))]) == set()
    with pytest.raises(NotFoundError, match="in the bin"):
        library.documents.find(pages.url("/rhine"))
    assert library.queue.retry([rhine]) == 0
    assert library.documents.reextract([rhine]) == []
    assert library.documents.refresh([rhine]).queued == ()
    library.schedule.set(timedelta(hours=1))
    assert rhine not in library.schedule.queue_due()
    assert_sound(database)


def test_what_is_restored_is_what_it_was_without_the_network_or_the_model(
    database: Database, library: StoredLibrary, rhine: UUID, pages: PageServer, work: Work
) -> None:
    cited = cite(library, rhine, SENTENCE)
    before, vectors = row(library, rhine), vectors_of(database, rhine)
    chunks = library.documents.chunks(rhine)
    library.documents.remove(rhine)
    assert vectors_of(database, rhine) == {}
    (in_bin,) = library.bin.all()
    assert (in_bin.title, in_bin.url, in_bin.state) == (before.title, before.url, "ready")
    assert in_bin.removed_at is not None
    requests = len(pages.requests)
    assert library.bin.restore([rhine]) == [rhine]
    assert library.bin.restore([rhine]) == []
    assert row(library, rhine).state == "queued"
    assert_sound(database)
    work()
    after = row(library, rhine)
    assert after == replace(before, indexed_at=after.indexed_at)
    assert library.documents.chunks(rhine) == chunks
    assert vectors_of(database, rhine) == vectors
    assert len(library.versions.of(rhine)) == 1
    assert library.citations.all() == [cited]
    assert library.labels.of(rhine) == Labels(("cold",), ("Rivers",))
    assert len(pages.requests) == requests
    assert_sound(database)


def test_restoring_embeds_nothing_again(
    database: Database, library: StoredLibrary, rhine: UUID, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.documents.remove(rhine)
    library.bin.restore([rhine])
    embedded: list[object] = []
    monkeypatch.setattr(
        "webrag_desktop.storage.spaces.space_tables.cache_vectors",
        lambda _conn, _space, _id, vectors: embedded.extend(vectors),
    )
    work()
    assert embedded == []
    assert row(library, rhine).state == "ready"


def test_citations_of_the_bin_keep_their_place_and_say_where_their_document_is(
    database: Database, library: StoredLibrary, rhine: UUID, work: Work
) -> None:
    cited = cite(library, rhine, SENTENCE)
    assert library.bin.citations_of([rhine]) == {rhine: 1}
    library.documents.remove(rhine)
    (now,) = library.citations.all()
    assert now == replace(cited, in_bin=True)
    assert now.version_id is not None
    text = library.documents.version(now.version_id)
    assert text is not None
    assert text.markdown[now.char_start : now.char_end] == SENTENCE
    library.bin.restore([rhine])
    assert library.citations.all() == [cited]  # also before it was read again
    work()
    assert library.citations.all() == [cited]


def test_a_page_that_waited_goes_on_waiting_and_one_that_failed_stays_so(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    failed = accepted(library.add([pages.url("/nowhere")])[0]).source_id
    work()
    waiting = accepted(library.add([pages.url("/rhine")])[0]).source_id
    before = row(library, failed)
    assert library.documents.remove_all([failed, waiting]) == 2
    assert work() == 0
    assert_sound(database)
    assert set(library.bin.restore([failed, waiting])) == {failed, waiting}
    assert row(library, failed) == before
    assert row(library, waiting).state == "queued"
    work()
    assert row(library, waiting).state == "ready"
    assert_sound(database)


def test_the_text_of_an_earlier_copy_comes_back_where_the_newest_cannot_be_read(
    database: Database, library: StoredLibrary, rhine: UUID, pages: PageServer, work: Work
) -> None:
    text = library.documents.text(rhine)
    pages.pages["/rhine"] = "<html><body></body></html>"
    library.documents.refresh([rhine])
    work()
    before = row(library, rhine)
    assert (before.state, library.documents.text(rhine)) == ("failed", text)
    library.documents.remove(rhine)
    library.bin.restore([rhine])
    work()
    assert library.documents.text(rhine) == text
    assert row(library, rhine).state_reason == before.state_reason
    assert_sound(database)


def test_a_page_added_again_leaves_the_bin_with_what_the_user_made_of_it(
    database: Database, library: StoredLibrary, rhine: UUID, pages: PageServer, work: Work
) -> None:
    cited = cite(library, rhine, SENTENCE)
    library.documents.remove(rhine)
    pages.pages["/rhine"] = article("Rhine again")
    again = accepted(library.add([pages.url("/rhine")])[0])
    assert (again.source_id, again.verdict) == (rhine, "restored")
    work()
    assert row(library, rhine).title == "Rhine again"  # it was fetched, too
    assert library.labels.of(rhine) == Labels(("cold",), ("Rivers",))
    (now,) = library.citations.all()
    assert (now.id, now.document_id, now.in_bin) == (cited.id, rhine, False)
    assert now.state in ("exact", "moved")
    assert_sound(database)


def test_a_page_added_again_while_its_site_is_away_has_its_kept_text(
    library: StoredLibrary, rhine: UUID, pages: PageServer, work: Work
) -> None:
    text = library.documents.text(rhine)
    library.documents.remove(rhine)
    pages.pages.pop("/rhine")
    library.add([pages.url("/rhine")])
    work()
    assert library.documents.text(rhine) == text


@pytest.mark.parametrize("changed", [False, True])
def test_a_file_added_again_leaves_the_bin(
    library: StoredLibrary, tmp_path: Path, work: Work, changed: bool
) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Notes\n\nLimpets clamp their shells.\n")
    source_id = accepted(library.add([str(file)])[0]).source_id
    work()
    library.documents.remove(source_id)
    if changed:
        file.write_text("# Notes\n\nLimpets clamp their shells. Crabs walk.\n")
    again = accepted(library.add([str(file)])[0])
    assert (again.source_id, again.verdict) == (source_id, "restored")
    work()
    text = library.documents.text(source_id)
    assert text is not None
    assert ("Crabs" in text.markdown) is changed
    assert len(library.versions.of(source_id)) == 1 + changed


def test_after_the_bin_was_emptied_a_page_added_again_has_its_citations(
    database: Database, library: StoredLibrary, rhine: UUID, pages: PageServer, work: Work
) -> None:
    kept, lost = cite(library, rhine, SENTENCE), cite(library, rhine, "number 3 about Rhine")
    library.documents.remove(rhine)
    assert library.bin.empty() == 1
    assert library.bin.all() == []
    assert [(one.state, one.document_id, one.in_bin) for one in library.citations.all()] == [
        ("lost", None, False)
    ] * 2
    assert_sound(database)
    pages.pages["/rhine"] = article("Rhine again").replace("number 3 about", "number three about")
    again = accepted(library.add([pages.url("/rhine#below")])[0])  # compared as addresses are
    assert (again.verdict, again.source_id != rhine) == ("added", True)
    work()
    found, gone = library.citations.all()
    text = library.documents.text(again.source_id)
    assert text is not None
    assert (found.id, found.state, found.document_id, found.version_id) == (
        kept.id,
        "exact",
        again.source_id,
        text.id,
    )
    assert text.markdown[found.char_start : found.char_end] == found.verbatim == SENTENCE
    assert (gone.id, gone.state, gone.document_id) == (lost.id, "lost", None)
    assert_sound(database)


def test_words_in_other_markup_are_re_attached_as_they_stand_now(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Work
) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Notes\n\nAt low tide *limpets clamp* their shells to the rock.\n")
    source_id = accepted(library.add([str(file)])[0]).source_id
    work()
    cited = cite(library, source_id, "*limpets clamp* their shells")
    library.documents.delete_all([source_id])
    file.write_text("# Notes\n\nAn introduction. At low tide limpets **clamp** their shells to the rock.\n")
    library.add([str(file)])
    work()
    (now,) = library.citations.all()
    assert (now.state, now.verbatim, now.quote) == ("exact", "limpets **clamp** their shells", cited.quote)
    assert_sound(database)


def test_a_capture_of_its_site_leaves_what_is_in_the_bin_there(
    database: Database, library: StoredLibrary, pages: PageServer, rhine: UUID, work: Work
) -> None:
    pages.pages["/"] = Page('<h1>Rivers</h1><p><a href="/rhine">Rhine</a> <a href="/old">Elbe</a></p>' * 9)
    pages.pages["/old"] = Page.redirect("/elbe")
    (elbe,) = (one.id for one in library.documents.all() if one.id != rhine)
    library.documents.remove_all([rhine, elbe])
    start = accepted(library.add([pages.url("/")], links=1)[0])
    assert start.capture_id is not None
    capturing, never = SiteCapturing(database, OPTIONS, NoIdleTask()), CancelToken()
    while work() or capturing.step(never, never):
        pass
    assert [one.id for one in library.documents.all()] == [start.source_id]
    assert {one.id for one in library.bin.all()} == {rhine, elbe}
    with database.connection() as conn:
        figures = stored_visits.figures(conn, start.capture_id)
        assert (figures.found, figures.ended, figures.in_bin, figures.fetched) == (3, 3, 2, 1)
    assert accepted(library.add([pages.url("/old")])[0]).source_id == elbe, "the user's own word restores it"
    assert [one.id for one in library.bin.all()] == [rhine]
    assert_sound(database)


def test_a_capture_puts_nothing_into_the_bin_that_the_user_added(
    database: Database, library: StoredLibrary, pages: PageServer, rhine: UUID, work: Work
) -> None:
    (elbe,) = (one.id for one in library.documents.all() if one.id != rhine)
    given = accepted(library.add([pages.url("/old")])[0])
    while work():
        pass
    assert row(library, given.source_id).state == "failed"
    library.documents.remove(elbe)
    pages.pages["/"] = Page('<h1>Rivers</h1><p><a href="/old">Elbe</a></p>' * 9)
    pages.pages["/old"] = Page.redirect("/elbe")
    start = accepted(library.add([pages.url("/")], links=1)[0])
    capturing, never = SiteCapturing(database, OPTIONS, NoIdleTask()), CancelToken()
    while work() or capturing.step(never, never):
        pass
    assert {one.id for one in library.documents.all()} == {rhine, start.source_id, elbe}
    assert library.bin.all() == []
    assert_sound(database)


def test_only_what_has_rested_long_enough_is_deleted_by_itself(
    database: Database, library: StoredLibrary, rhine: UUID
) -> None:
    (elbe,) = (one.id for one in library.documents.all() if one.id != rhine)
    library.documents.remove_all([rhine, elbe])
    age(database, rhine, 8)
    never = CancelToken()
    assert delete_expired(database, 9, never) == 0
    Housekeeping(database, NoIdleTask(), BinOptions(days=7)).step(never, never)
    assert [one.id for one in library.bin.all()] == [elbe]
    assert library.bin.delete([rhine]) == 0
    assert_sound(database)


def test_what_the_user_made_of_documents_is_counted(library: StoredLibrary, rhine: UUID) -> None:
    cite(library, rhine, SENTENCE)
    cite(library, rhine, "number 3 about Rhine")
    text = library.documents.text(rhine)
    assert text is not None
    assert library.documents.keep_place(rhine, text.id, 40)
    everything = [one.id for one in library.documents.all()]
    had = Belongings(cited=1, citations=2, tags=1, filed=1, places=1)
    assert library.bin.belongings(everything) == had
    library.documents.remove_all(everything)
    assert library.bin.belongings(everything) == had
    assert library.bin.belongings([]) == Belongings(0, 0, 0, 0, 0)


def test_what_was_restored_and_removed_again_meanwhile_has_its_time_before_it(
    database: Database, library: StoredLibrary, rhine: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.documents.remove(rhine)
    age(database, rhine, 8)
    found = removal.expired

    def found_before(conn: Connection, days: int) -> list[UUID]:
        ids = found(conn, days)
        library.bin.restore(ids)
        library.documents.remove_all(ids)
        return ids

    monkeypatch.setattr(removal, "expired", found_before)
    assert delete_expired(database, 7, CancelToken()) == 0
    assert [one.id for one in library.bin.all()] == [rhine]


def test_expiry_is_interrupted_in_the_middle_of_a_document(
    database: Database, library: StoredLibrary, rhine: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elbe,) = (one.id for one in library.documents.all() if one.id != rhine)
    library.documents.remove_all([rhine, elbe])
    age(database, rhine, 9)
    age(database, elbe, 8)
    monkeypatch.setattr(upkeep, "REMOVED_AT_ONCE", 1)
    vacuumed: list[Database] = []
    monkeypatch.setattr(upkeep, "vacuum_in_background", vacuumed.append)
    cancel, remove = CancelToken(), sources.remove_sources
    asleep = "SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'"

    def cancel_once_asleep() -> None:
        while True:
            with database.connection() as conn:
                if conn.execute(asleep).fetchone() is not None:
                    break
        cancel.cancel()

    def remove_slowly(conn: Connection, ids: Sequence[UUID]) -> list[UUID]:
        if elbe in ids:
            Thread(target=cancel_once_asleep).start()
            conn.execute("SELECT pg_sleep(600)")
        return remove(conn, ids)

    monkeypatch.setattr(sources, "remove_sources", remove_slowly)
    assert delete_expired(database, 7, cancel) == 1
    assert vacuumed == [], "nothing goes on once it was interrupted"
    assert [one.id for one in library.bin.all()] == [elbe]
    assert_sound(database)


def test_what_is_deleted_from_the_bin_must_be_in_it(library: StoredLibrary, rhine: UUID) -> None:
    assert library.bin.delete([rhine]) == 0
    assert row(library, rhine).state == "ready"
    assert library.documents.remove(rhine)
    assert not library.documents.remove(rhine)
    assert library.bin.delete([rhine]) == 1


def test_work_in_hand_ends_when_its_document_is_removed_and_restored(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work, work_meanwhile: Work
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id

    def meddle() -> None:
        library.documents.remove(source_id)
        library.bin.restore([source_id])

    work_meanwhile(meddle)
    work()
    assert row(library, source_id).state == "ready"
    assert len(library.versions.of(source_id)) == 1
    assert_sound(database)


def test_a_crash_between_restoring_and_reading_costs_nothing(
    database: Database, library: StoredLibrary, rhine: UUID, work: Work, work_meanwhile: Work
) -> None:
    library.documents.remove(rhine)
    library.bin.restore([rhine])

    def end() -> None:
        raise SystemExit("killed")

    with pytest.raises(SystemExit):
        work_meanwhile(end)
    assert_sound(database)
    work()
    assert row(library, rhine).state == "ready"
    assert len(library.versions.of(rhine)) == 1
    assert_sound(database)


def test_a_removal_that_is_interrupted_leaves_the_document_whole(
    database: Database, library: StoredLibrary, rhine: UUID
) -> None:
    def removed_halfway() -> None:
        with database.connection() as conn:
            removal.to_bin(conn, [rhine])
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        removed_halfway()
    assert row(library, rhine).searchable
    assert library.bin.all() == []
    assert_sound(database)


def test_what_is_shown_or_queued_of_the_bin_is_damage_that_is_mended(
    database: Database, library: StoredLibrary, rhine: UUID
) -> None:
    with database.connection() as conn:
        conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [rhine])
        conn.execute("INSERT INTO jobs (source_id, wish) VALUES (%s, 'reread')", [rhine])
    with pytest.raises(AssertionError):
        assert_sound(database)
    with database.connection() as conn:
        repair.requeue_lost_work(conn)
        repair.drop_stale_cache(conn)
    assert_sound(database)


def test_a_page_that_turns_out_to_be_one_in_the_bin_is_that_one(
    database: Database, library: StoredLibrary, rhine: UUID, pages: PageServer, work: Work
) -> None:
    library.documents.remove(rhine)
    pages.pages["/old"] = Page.redirect("/rhine")
    library.add([pages.url("/old")])
    work()
    assert row(library, rhine).state == "ready"
    assert library.documents.find(pages.url("/old")).id == rhine
    assert_sound(database)
