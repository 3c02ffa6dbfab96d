"""Reading again where the newest capture cannot be read: the text of the earlier one stays, and gets better too."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, row
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
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

NEWER = 1_000_000
EMPTY = "<html><body></body></html>"
Read = Callable[[Capture], NormalizedDocument]


def with_another_title(capture: Capture) -> NormalizedDocument:
    return replace(extract(capture), title="A better title")


def with_longer_text(capture: Capture) -> NormalizedDocument:
    body = capture.body.replace(b"</main>", b"<p>Found by the newer reader.</p></main>")
    return extract(capture.model_copy(update={"body": body}))


def nothing(_capture: Capture) -> NormalizedDocument:
    raise ExtractionError("No text was found on the page", "Check it.")


@dataclass
class World:
    """A page that was read once and then came without any text; and a reader that can be exchanged."""

    library: StoredLibrary
    database: Database
    indexer: Indexer
    read: Read = extract
    source: UUID = field(init=False)

    def work(self) -> None:
        with self.database.dedicated() as lock:
            assert jobs.become_runner(lock)
            Runner(self.database, lambda: self.indexer, OPTIONS, self._reading).drain(lock, CancelToken())
            jobs.resign(lock)

    def _reading(self, capture: Capture, _cancel: CancelToken) -> Reading:
        return Reading(self.read(capture), ((capture.url, "given"),))

    def reread(self, read: Read) -> Rereading:
        self.read = read
        before = self.library.documents.reading_states([self.source])
        queued = self.library.documents.reextract([self.source])
        assert queued == [self.source]
        self.work()
        (reported,) = compared(before, self.library.documents.reading_states([self.source]), queued)
        return reported

    def rehearse(self, read: Read, extractor_version: int) -> Rereading:
        given = self.database, [self.source], lambda capture, _cancel: read(capture), extractor_version
        (reported,) = rehearsed(*given)
        return reported

    def versions(self) -> int:
        with self.database.connection() as conn:
            (count,) = conn.execute("SELECT count(*) FROM document_versions").fetchone() or (0,)
        return int(count)

    def captures(self) -> int:
        with self.database.connection() as conn:
            (count,) = conn.execute("SELECT count(*) FROM captures").fetchone() or (0,)
        return int(count)

    def markdown(self) -> str:
        text = self.library.documents.text(self.source)
        assert text is not None
        return text.markdown


@pytest.fixture
def world(
    library: StoredLibrary, database: Database, pages: PageServer, make_indexer: Callable[..., Indexer]
) -> World:
    made = World(library, database, make_indexer(database))
    made.source = accepted(library.add([pages.url("/rhine")])[0]).source_id
    made.work()
    pages.pages["/rhine"] = EMPTY
    library.documents.refresh([made.source])
    made.work()
    assert made.captures() == 2
    return made


@pytest.fixture
def newer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a newer reader reads; ``world`` was read before."""
    monkeypatch.setattr(one_job, "EXTRACTOR_VERSION", NEWER)


def test_it_is_reported_that_the_text_is_of_an_earlier_copy(world: World) -> None:
    found = row(world.library, world.source)
    assert found.state == "failed"
    assert "The text shown is of an earlier copy, and stays." in (found.state_hint or "")
    assert found.searchable
    assert_sound(world.database)


@pytest.mark.usefixtures("newer")
def test_the_earlier_copy_is_read_again_where_the_newest_cannot_be(world: World) -> None:
    before = world.markdown()
    reported = world.reread(with_another_title)
    assert reported.outcome == "kept"
    assert reported.titles == ("Rhine", "A better title")
    assert reported.reason
    assert "earlier copy" in (reported.hint or "")
    assert world.markdown() == before
    assert row(world.library, world.source).state == "failed"
    state = world.library.documents.reading_states([world.source])[world.source]
    assert state.extractor_version == NEWER
    assert state.earlier_copy is not None
    assert (world.versions(), world.captures()) == (1, 2)
    assert_sound(world.database)


@pytest.mark.usefixtures("newer")
def test_a_better_text_of_it_becomes_a_version(world: World) -> None:
    old = world.library.documents.text(world.source)
    assert old is not None
    reported = world.reread(with_longer_text)
    assert reported.outcome == "kept"
    assert "Found by the newer reader." in world.markdown()
    assert reported.characters == (len(old.markdown), len(world.markdown()))
    kept = world.library.documents.version(old.id)
    assert kept is not None
    assert kept.markdown == old.markdown
    assert world.versions() == 2
    assert_sound(world.database)


@pytest.mark.usefixtures("newer")
def test_what_the_newer_reader_cannot_read_at_all_stays_as_it_was(world: World) -> None:
    before = world.markdown()
    reported = world.reread(nothing)
    assert (reported.outcome, reported.titles) == ("kept", ("Rhine", "Rhine"))
    assert world.markdown() == before
    state = world.library.documents.reading_states([world.source])[world.source]
    assert state.extractor_version == EXTRACTOR_VERSION
    assert_sound(world.database)


def test_the_same_reader_reads_the_earlier_copy_no_second_time(world: World) -> None:
    reads = []

    def counted(capture: Capture) -> NormalizedDocument:
        reads.append(capture.body)
        return extract(capture)

    assert world.reread(counted).outcome == "kept"
    assert reads == [EMPTY.encode()]


@pytest.mark.usefixtures("newer")
def test_a_newest_copy_that_a_better_reader_reads_comes_first(world: World) -> None:
    def better(capture: Capture) -> NormalizedDocument:
        return extract(capture.model_copy(update={"body": article("Found").encode()}))

    reported = world.reread(better)
    assert (reported.outcome, reported.titles) == ("changed", ("Rhine", "Found"))
    found = row(world.library, world.source)
    assert (found.state, found.state_reason) == ("ready", None)


def test_older_ones_are_found_and_then_no_more(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webrag_desktop.ingestion.extract.EXTRACTOR_VERSION", NEWER)
    monkeypatch.setattr(one_job, "EXTRACTOR_VERSION", NEWER)
    assert world.library.documents.read_by_older() == [world.source]
    world.reread(extract)
    assert world.library.documents.read_by_older() == []


@pytest.mark.parametrize(
    ("read", "extractor_version", "title"),
    [
        (with_another_title, NEWER, "A better title"),
        (with_another_title, EXTRACTOR_VERSION, "Rhine"),
        (nothing, NEWER, "Rhine"),
    ],
)
def test_a_rehearsal_tells_the_same_and_writes_nothing(
    world: World, read: Read, extractor_version: int, title: str
) -> None:
    before = world.library.documents.reading_states([world.source])
    reported = world.rehearse(read, extractor_version)
    assert (reported.outcome, reported.titles) == ("kept", ("Rhine", title))
    assert reported.characters == (len(world.markdown()), len(world.markdown()))
    assert "earlier copy" in (reported.hint or "")
    assert world.library.documents.reading_states([world.source]) == before
