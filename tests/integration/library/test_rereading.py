"""Kept captures read again by a newer reader: what is renewed, what becomes a new version, and never the network."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import ExtractionError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.jobs import one_job
from webrag_desktop.jobs.rereading import rehearsed
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.versions import Rereading, compared
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

NEWER = 1_000_000
Change = Callable[[NormalizedDocument], NormalizedDocument]


def other_text(document: NormalizedDocument) -> NormalizedDocument:
    """The same with a word more at its end."""
    markdown = document.markdown + " Indeed."
    blocks = (*document.blocks[:-1], document.blocks[-1].model_copy(update={"char_end": len(markdown)}))
    hashed = hashlib.sha256(markdown.encode()).hexdigest()
    return replace(document, markdown=markdown, blocks=blocks, content_hash=hashed)


def other_anchors(document: NormalizedDocument) -> NormalizedDocument:
    """The same text, whose blocks have other anchors."""
    blocks = tuple(block.model_copy(update={"anchor": "found-now"}) for block in document.blocks)
    return replace(document, blocks=blocks)


def other_title(document: NormalizedDocument) -> NormalizedDocument:
    return replace(document, title="A better title")


def as_it_was(document: NormalizedDocument) -> NormalizedDocument:
    return document


def unreadable(_document: NormalizedDocument) -> NormalizedDocument:
    raise ExtractionError("No text was found on the page", "Check it.")


class CountingEmbedder:
    def __init__(self, real: Embedder) -> None:
        self._real, self.model, self.count = real, real.model, 0

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.count += len(texts)
        return self._real.embed_texts(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        self._real.close()


@dataclass
class World:
    """A library with a page that was read once, its server gone, and a reader that can be exchanged."""

    library: StoredLibrary
    database: Database
    embedder: CountingEmbedder
    make_indexer: Callable[..., Indexer]
    ids: list[UUID] = field(default_factory=list)
    change: Change = as_it_was
    prepare: Callable[[Capture], Capture] = lambda capture: capture

    def read(self, capture: Capture, _cancel: CancelToken) -> Reading:
        return Reading(self.change(extract(self.prepare(capture))), ((capture.url, "given"),))

    def work(self, cancel: CancelToken | None = None) -> int:
        with self.database.dedicated() as lock:
            assert jobs.become_runner(lock)
            indexer = self.make_indexer(self.database, self.embedder)
            closed = Runner(self.database, lambda: indexer, OPTIONS, self.read).drain(
                lock, cancel or CancelToken()
            )
            jobs.resign(lock)
            return closed

    def reread(self, change: Change) -> list[Rereading]:
        self.change = change
        before = self.library.documents.reading_states(self.ids)
        queued = self.library.documents.reextract(self.ids)
        self.work()
        return compared(before, self.library.documents.reading_states(self.ids), queued)

    def rehearse(self, change: Change, steps: list[Step] | None = None) -> list[Rereading]:
        self.change = change
        reported = steps if steps is not None else []
        return list(
            rehearsed(
                self.database,
                self.ids,
                lambda *given: self.read(*given).document,
                EXTRACTOR_VERSION,
                reported.append,
            )
        )


@pytest.fixture
def world(
    library: StoredLibrary, database: Database, embedder: Embedder, make_indexer: Callable[..., Indexer]
) -> World:
    made = World(library, database, CountingEmbedder(embedder), make_indexer)
    link = "<p>See <a href='/elbe'>Elbe</a>, <em>too</em>.</p><h2 id=low>Low water</h2><p>It is low in August.</p>"
    page = Page(article("Rhine").replace("</main>", f"{link}</main><nav><a href='/weser'>Weser</a></nav>"))
    elbe = article("Elbe").replace("<main>", "<nav><a href='/rhine' rel=prev>The Rhine</a></nav><main>")
    with PageServer({"/rhine": page, "/elbe": elbe}) as server:
        made.ids = [
            accepted(one).source_id for one in library.add([server.url("/rhine"), server.url("/elbe")])
        ]
        made.work()
    made.embedder.count = 0
    return made


@pytest.fixture
def newer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a newer reader reads."""
    monkeypatch.setattr(one_job, "EXTRACTOR_VERSION", NEWER)


def chunk_ids(world: World) -> list[UUID]:
    return [chunk.id for id_ in world.ids for chunk in world.library.documents.chunks(id_)]


def versions(world: World) -> int:
    with world.database.connection() as conn:
        (count,) = conn.execute("SELECT count(*) FROM document_versions").fetchone() or (0,)
    return int(count)


@pytest.mark.usefixtures("newer")
def test_the_same_text_is_vouched_for_and_keeps_chunks_and_vectors(world: World) -> None:
    before = chunk_ids(world)
    assert [one.outcome for one in world.reread(as_it_was)] == ["renewed", "renewed"]
    assert chunk_ids(world) == before
    assert (versions(world), world.embedder.count) == (2, 0)
    assert {
        state.extractor_version for state in world.library.documents.reading_states(world.ids).values()
    } == {NEWER}
    assert [one.outcome for one in world.reread(as_it_was)] == ["same", "same"]
    assert_sound(world.database)


@pytest.mark.usefixtures("newer")
def test_blocks_are_renewed_in_place(world: World) -> None:
    before = chunk_ids(world)
    assert [one.outcome for one in world.reread(other_anchors)] == ["renewed", "renewed"]
    assert chunk_ids(world) == before
    assert {chunk.anchor for id_ in world.ids for chunk in world.library.documents.chunks(id_)} == {
        "found-now"
    }
    text = world.library.documents.text(world.ids[0])
    assert text is not None
    assert {block.anchor for block in text.blocks} == {"found-now"}
    assert (versions(world), world.embedder.count) == (2, 0)
    assert_sound(world.database)


def test_links_of_kept_captures_are_filled_in_and_nothing_else_changes(world: World) -> None:
    with world.database.connection() as conn:  # as a library from before links were data is
        conn.execute("UPDATE page_links SET links = '[]', content_keys = '{}', navigation_keys = '{}'")
        conn.execute("UPDATE document_versions SET extractor_version = 5")
    rhine, elbe = world.ids
    before = [(one.id, one.char_start, one.char_end) for one in world.library.documents.chunks(rhine)]
    text = world.library.documents.text(rhine)
    assert not world.library.links.of(rhine) + world.library.links.to(rhine)
    assert [one.outcome for one in world.reread(as_it_was)] == ["renewed", "renewed"]
    links = world.library.links
    assert [(link.place, link.text, link.document_id) for link in links.of(rhine)] == [
        ("content", "Elbe", elbe),
        ("navigation", "Weser", None),
    ]
    assert [(link.place, link.source_id) for link in links.to(elbe)] == [("content", rhine)]
    assert [(link.place, link.source_id, link.rel) for link in links.to(rhine)] == [
        ("navigation", elbe, ("prev",))
    ]
    assert set(links.graph().edges) == {(rhine, elbe)}
    assert set(links.graph(navigation=True).edges) == {(rhine, elbe), (elbe, rhine)}
    after = [(one.id, one.char_start, one.char_end) for one in world.library.documents.chunks(rhine)]
    assert (after, world.library.documents.text(rhine)) == (before, text)
    assert (versions(world), world.embedder.count) == (2, 0)
    assert_sound(world.database)


@pytest.mark.usefixtures("newer")
def test_another_title_is_embedded_again_without_another_version(world: World) -> None:
    before = chunk_ids(world)
    outcomes = world.reread(other_title)
    assert [one.outcome for one in outcomes] == ["renewed", "renewed"]
    assert outcomes[0].titles == ("Rhine", "A better title")
    assert chunk_ids(world) == before
    assert versions(world) == 2
    assert world.embedder.count > 0
    assert row(world.library, world.ids[0]).title == "A better title"
    assert_sound(world.database)


@pytest.mark.usefixtures("newer")
def test_another_text_becomes_a_version_and_citations_keep_the_old_one(world: World) -> None:
    old = world.library.documents.text(world.ids[0])
    assert old is not None
    cited = world.library.citations.cite(old.id, 0, 7)
    (changed, other) = world.reread(other_text)
    assert (changed.outcome, other.outcome) == ("changed", "changed")
    assert changed.characters == (len(old.markdown), len(old.markdown) + len(" Indeed."))
    assert versions(world) == 4
    new = world.library.documents.text(world.ids[0])
    assert new is not None
    assert new.id != old.id
    kept = world.library.documents.version(old.id)
    assert kept is not None
    assert kept.markdown == old.markdown
    assert [one.id for one in world.library.citations.all()] == [cited.id]
    assert world.library.citations.all()[0].version_id == old.id
    assert_sound(world.database)


OLDER_WORDS = "Skip to the text."


def as_an_older_reader_reads(capture: Capture) -> Capture:
    """With words of a menu, which a newer one leaves out."""
    menu = f"</h1><p>{OLDER_WORDS}</p>".encode()
    return capture.model_copy(update={"body": capture.body.replace(b"</h1>", menu)})


def cited_sentence(library: StoredLibrary, source_id: UUID) -> UUID:
    """A citation of the second sentence about a river."""
    text = library.documents.text(source_id)
    assert text is not None
    sentence = "This is sentence number 2"
    start = text.markdown.index(sentence)
    return library.citations.cite(text.id, start, start + len(sentence)).id


def test_a_library_is_renewed_while_it_answers_and_goes_on_after_a_stop(
    library: StoredLibrary, database: Database, embedder: Embedder, make_indexer: Callable[..., Indexer]
) -> None:
    world = World(library, database, CountingEmbedder(embedder), make_indexer)
    pages = {f"/{name}": Page(article(name)) for name in ("Rhine", "Elbe", "Weser", "Oder", "Main", "Isar")}
    with PageServer(pages) as server:
        world.ids = [accepted(one).source_id for one in library.add([server.url(path) for path in pages])]
        world.prepare = as_an_older_reader_reads
        world.work()
    cited = {cited_sentence(library, id_) for id_ in world.ids}
    with database.connection() as conn:
        conn.execute("UPDATE document_versions SET extractor_version = %s", [EXTRACTOR_VERSION - 1])
    assert library.documents.reextract(library.documents.read_by_older()) == world.ids
    stopped, answers = CancelToken(), []

    def after_a_question(document: NormalizedDocument) -> NormalizedDocument:
        with database.connection() as conn:
            answers.append(retrieve(conn, "What is said about the Weser?", embedder=embedder, mode="chunk"))
        if len(answers) == 3:
            stopped.cancel()
        return document

    world.prepare, world.change = lambda capture: capture, after_a_question
    world.work(stopped)
    assert 0 < len(library.documents.read_by_older()) < len(world.ids)
    world.work()
    assert library.documents.read_by_older() == []
    assert len(answers) >= len(world.ids)
    assert all("Weser" in answer.chunks[0].chunk_text for answer in answers)
    texts = [text for id_ in world.ids if (text := library.documents.text(id_)) is not None]
    assert not any(OLDER_WORDS in text.markdown for text in texts)
    found = {one.id: (one.state, one.moved_by) for one in library.citations.all()}
    assert found == dict.fromkeys(cited, ("moved", -len(f"{OLDER_WORDS}\n\n")))
    assert_sound(database)


def test_a_reader_that_fails_leaves_the_text(world: World) -> None:
    first, _second = world.reread(unreadable)
    assert (first.outcome, first.reason) == ("failed", "No text was found on the page")
    assert row(world.library, world.ids[0]).state == "failed"
    assert world.library.documents.text(world.ids[0]) is not None
    assert [one.outcome for one in world.reread(as_it_was)] == ["same", "same"]
    assert row(world.library, world.ids[0]).state == "ready"
    assert_sound(world.database)


def test_what_failed_before_is_read_by_a_better_reader(library: StoredLibrary, world: World) -> None:
    with PageServer({"/empty": "<html><body></body></html>"}) as server:
        world.ids = [accepted(library.add([server.url("/empty")])[0]).source_id]
        world.work()
    assert row(library, world.ids[0]).state == "failed"

    world.prepare = lambda capture: capture.model_copy(update={"body": article("Found").encode()})
    assert [one.outcome for one in world.reread(as_it_was)] == ["changed"]
    assert row(library, world.ids[0]).title == "Found"


def test_many_wait_behind_what_is_added_and_survive_a_stop(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.models.queue.FEW", 1)
    assert world.library.documents.reextract(world.ids) == world.ids
    assert world.library.documents.reextract(world.ids) == []
    assert row(world.library, world.ids[0]).state == "queued"
    added = accepted(world.library.add(["https://example.org/new"])[0]).source_id
    with world.database.connection() as conn:
        assert jobs.open_sources(conn) == [added, *world.ids]
    world.library.queue.cancel([added])
    stopped = CancelToken()
    stopped.cancel()
    world.work(stopped)
    assert world.library.queue.unfinished() == world.ids
    assert world.work() == 2
    assert_sound(world.database)


def test_stopping_it_leaves_everything_ready(world: World) -> None:
    world.library.documents.reextract(world.ids)
    assert set(world.library.queue.cancel(world.ids)) == set(world.ids)
    assert {row(world.library, id_).state for id_ in world.ids} == {"ready"}
    assert_sound(world.database)


def test_of_what_nothing_was_kept_nothing_is_read(world: World) -> None:
    world.ids = [accepted(world.library.add(["http://localhost:1/gone"])[0]).source_id]
    world.library.queue.cancel(world.ids)
    assert [one.outcome for one in world.rehearse(as_it_was)] == ["nothing kept"]
    assert [one.outcome for one in world.reread(as_it_was)] == ["nothing kept"]


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (as_it_was, "same"),
        (other_anchors, "renewed"),
        (other_title, "renewed"),
        (other_text, "changed"),
        (unreadable, "failed"),
    ],
)
def test_a_rehearsal_tells_and_writes_nothing(world: World, change: Change, outcome: str) -> None:
    before = world.library.documents.reading_states(world.ids)
    steps: list[Step] = []
    assert [one.outcome for one in world.rehearse(change, steps)] == [outcome, outcome]
    assert [(step.done, step.total) for step in steps] == [(0, 2), (1, 2)]
    assert world.library.documents.reading_states(world.ids) == before


def test_what_an_older_reader_read_is_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.library.documents.read_by_older() == []
    monkeypatch.setattr("webrag_desktop.ingestion.extract.EXTRACTOR_VERSION", NEWER)
    assert world.library.documents.read_by_older() == world.ids
