"""Documents are looked after: what did not change costs nothing, what changed becomes a new version."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.pages import Page, PageServer, RequestHandler
from tests.support.queue_work import accepted, article, assert_sound, row
from webrag_desktop.embedding.server_errors import ServerUnreachableError
from webrag_desktop.errors import EmbeddingError, WebragError
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.database import Database


def counted(database: Database, table: str) -> int:
    with database.connection() as conn:
        found = conn.execute(f"SELECT count(*) FROM {table}").fetchone()
    assert found is not None
    return int(found[0])


def with_etag(text: str) -> Callable[[RequestHandler], None]:
    """A page whose server answers 304 to whoever has it."""

    def answer(handler: RequestHandler) -> None:
        if handler.headers.get("If-None-Match") == '"v1"':
            handler.send_page(Page(status=304, headers=(("Content-Length", "0"),)))
        else:
            headers = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"v1"'))
            handler.send_page(Page(text, headers=headers))

    return answer


def test_a_page_that_its_site_calls_unchanged_stays_as_it_is(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = with_etag(article("Oder"))
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    before = row(library, added)
    assert library.documents.refresh([added]).queued == (added,)
    assert work() == 1
    after = row(library, added)
    assert pages.requests[-1].headers["if-none-match"] == '"v1"'
    assert after.state == "ready"
    assert before.checked_at is not None
    assert after.checked_at is not None
    assert after.checked_at > before.checked_at
    assert (after.fetched_at, after.indexed_at) == (before.fetched_at, before.indexed_at)
    assert (counted(database, "captures"), counted(database, "document_versions")) == (1, 1)
    assert_sound(database)


def test_the_same_bytes_are_neither_stored_nor_read_again(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    added = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    before = row(library, added)
    headers = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"new"'))
    pages.pages["/rhine"] = Page(article("Rhine"), headers=headers)
    library.documents.refresh([added])
    work()
    assert (counted(database, "captures"), counted(database, "document_versions")) == (1, 1)
    assert row(library, added).indexed_at == before.indexed_at
    library.documents.refresh([added])
    work()
    assert pages.requests[-1].headers["if-none-match"] == '"new"'


def test_the_same_bytes_of_another_kind_or_from_elsewhere_are_read_again(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    text = "# Oder\n\nA river."
    pages.pages["/oder"] = Page(text, headers=(("Content-Type", "text/plain"),))
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    pages.pages["/oder"] = Page(text, headers=(("Content-Type", "text/markdown"),))
    library.documents.refresh([added])
    work()
    assert row(library, added).doc_type == "markdown"
    pages.pages |= {"/moved": pages.pages["/oder"], "/oder": Page.redirect("/moved")}
    library.documents.refresh([added])
    work()
    assert library.documents.find(pages.url("/moved")).id == added
    assert row(library, added).source_url == pages.url("/moved")
    assert_sound(database)


def test_a_changed_page_becomes_a_new_version(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    added = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    pages.pages["/rhine"] = article("Rhine", "The river is a meadow now.")
    library.documents.refresh([added])
    work()
    text = library.documents.text(added)
    assert text is not None
    assert "meadow" in text.markdown
    assert (counted(database, "captures"), counted(database, "document_versions")) == (2, 2)
    library.documents.reextract([added])
    work()
    assert library.documents.text(added) == text  # what came last is what is read again
    assert_sound(database)


def test_a_page_that_is_gone_keeps_its_text(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    added = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    del pages.pages["/rhine"]
    library.documents.refresh([added])
    work()
    after = row(library, added)
    assert after.state == "failed"
    assert after.searchable
    assert after.state_reason == "The page is gone from this address (404)"
    assert "text that was read before stays" in (after.state_hint or "")
    assert "typing" not in (after.state_hint or "")
    assert library.documents.text(added) is not None
    assert_sound(database)


def test_what_failed_to_be_read_is_fetched_whole(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = with_etag("<html><body></body></html>")
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    assert row(library, added).state == "failed"
    library.documents.refresh([added])
    work()
    assert "if-none-match" not in pages.requests[-1].headers


@pytest.mark.parametrize(
    ("error", "asked_meanwhile"),
    [
        (ServerUnreachableError("Nothing answers.", "Start it."), False),
        (EmbeddingError("The model refuses this.", "Report it."), True),
    ],
)
def test_a_changed_page_that_was_fetched_but_not_read_yet_is_no_unchanged_one(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    work_meanwhile: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    error: WebragError,
    asked_meanwhile: bool,
) -> None:
    monkeypatch.setattr("webrag_desktop.storage.queue.jobs.MODEL_PATIENCE_SECONDS", 20.0)
    added = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()

    def break_off() -> None:
        if asked_meanwhile:
            library.documents.refresh([added])
        raise error

    pages.pages["/rhine"] = article("Rhine", "The river is a meadow now.")
    library.documents.refresh([added])
    work_meanwhile(break_off)
    if not asked_meanwhile:
        library.documents.refresh([added])
        library.queue.retry_failed()
        work()
    assert row(library, added).state == "ready"
    text = library.documents.text(added)
    assert text is not None
    assert "meadow" in text.markdown
    assert (counted(database, "captures"), counted(database, "document_versions")) == (2, 2)
    library.documents.refresh([added])
    work()
    library.documents.refresh([added])
    work()
    assert (counted(database, "captures"), counted(database, "document_versions")) == (2, 2)
    assert_sound(database)


def test_a_page_that_cannot_be_read_is_kept_once_however_often_it_is_looked_at(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    added = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    pages.pages["/rhine"] = "<html><body></body></html>"
    for _ in range(3):
        library.documents.refresh([added])
        work()
        assert row(library, added).state == "failed"
        assert counted(database, "captures") == 2
    with database.connection() as conn:
        conn.execute(
            "UPDATE captures SET body_zstd = 'damaged' WHERE number = (SELECT max(number) FROM captures)"
        )
    library.documents.refresh([added])
    work()
    assert counted(database, "captures") == 3


@pytest.mark.parametrize("title", ["Rhine", "The Rhine"])
def test_nothing_waits_to_land_of_a_change_that_was_taken_back(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int], title: str
) -> None:
    added = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    with database.connection() as conn:
        conn.execute(
            "INSERT INTO vector_cache (space_id, text_hash, document_id, embedding)"
            " SELECT active_space, sha256('of a change'), %s, '' FROM corpus",
            [added],
        )
    pages.pages["/rhine"] = article("Rhine", head="<!-- as it was -->").replace("<h1>Rhine", f"<h1>{title}")
    library.documents.refresh([added])
    work()
    assert row(library, added).state == "ready"
    assert_sound(database)


def test_files_are_read_again_where_they_still_are(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    kept, changed, gone = (tmp_path / name for name in ("kept.txt", "changed.txt", "gone.txt"))
    for file in (kept, changed, gone):
        file.write_text(f"The text of {file.name}, about rivers.", encoding="utf-8")
    ids = [accepted(one).source_id for one in library.add([str(kept), str(changed), str(gone)])]
    work()
    checked = row(library, ids[0]).checked_at
    changed.write_text("Another text, about mountains.", encoding="utf-8")
    gone.unlink()
    outcome = library.documents.refresh(ids)
    assert (outcome.queued, outcome.unchanged) == ((ids[1],), (ids[0],))
    assert [(id_, error.message) for id_, error in outcome.unreadable] == [
        (ids[2], f"There is no file {gone}")
    ]
    work()
    assert [row(library, id_).state for id_ in ids] == ["ready"] * 3
    text = library.documents.text(ids[1])
    assert text is not None
    assert "mountains" in text.markdown
    after = row(library, ids[0]).checked_at
    assert checked is not None
    assert after is not None
    assert after > checked
    assert_sound(database)


def test_a_file_that_is_gone_or_empty_is_noted_until_it_is_back(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    gone, emptied = tmp_path / "gone.txt", tmp_path / "emptied.txt"
    for file in (gone, emptied):
        file.write_text(f"The text of {file.name}, about rivers.", encoding="utf-8")
    ids = [accepted(one).source_id for one in library.add([str(gone), str(emptied)])]
    work()
    before = [len(library.documents.history(id_)) for id_ in ids]
    gone.unlink()
    emptied.write_text("", encoding="utf-8")
    library.documents.refresh(ids)
    for id_, reported in zip(ids, (f"There is no file {gone}", "The file emptied.txt is empty"), strict=True):
        after, events = row(library, id_), library.documents.history(id_)
        assert (after.state, after.state_reason, events[-1].reason) == ("ready", reported, reported)
        assert [event.kind for event in events[-2:]] == ["refreshed", "failed"]
        assert (after.state_hint or "").endswith("The stored text stays.")
        assert after.state_hint == events[-1].hint
    assert_sound(database)
    gone.write_text("The text of gone.txt, about rivers.", encoding="utf-8")
    assert library.documents.refresh(ids[:1]).unchanged == (ids[0],)
    assert (row(library, ids[0]).state, row(library, ids[0]).state_reason) == ("ready", None)
    assert [len(library.documents.history(id_)) for id_ in ids] == [number + 2 for number in before]


def test_what_is_gone_is_left_out_and_what_is_open_counts(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    first, second = (
        accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])
    )
    library.documents.remove(first)
    assert library.documents.refresh([first, second]).queued == (second,)
    assert work() == 1


def test_a_sign_in_page_for_all_of_a_site_swallows_no_document(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    ids = [accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])]
    work()
    away = Page.redirect("/login")
    pages.pages |= {"/rhine": away, "/elbe": away, "/login": article("Login", "Please sign in.")}
    library.documents.refresh(ids)
    work()
    states = {row(library, id_).state: row(library, id_) for id_ in ids}
    assert set(states) == {"ready", "failed"}
    kept = states["failed"]
    assert kept.title in ("Rhine", "Elbe")
    assert "leads to another page" in (kept.state_reason or "")
    assert f"“{pages.url('/login')}”. The text that was read before stays." in (kept.state_hint or "")
    assert library.documents.reextract([kept.id]) == [kept.id]
    work()
    text = library.documents.text(kept.id)
    assert text is not None
    assert f"about {kept.title}" in text.markdown
    assert_sound(database)


def test_a_page_that_calls_itself_another_one_stays_a_document_of_its_own(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    rhine, elbe = (accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")]))
    work()
    pages.pages["/elbe"] = article("Elbe", "It is low.", head='<link rel="canonical" href="/rhine">')
    library.documents.refresh([elbe])
    work()
    text = library.documents.text(elbe)
    assert text is not None
    assert "It is low." in text.markdown
    assert library.documents.find(pages.url("/rhine")).id == rhine
    assert_sound(database)
