"""A library that moves between spaces of a stand-in server, and the worker's work done inside the test."""

from dataclasses import dataclass
from threading import Event
from uuid import UUID

from pydantic import SecretStr

from tests.support.corpus import captured
from tests.support.embedding_server import EmbeddingServer, Json, Reply, json_reply
from tests.support.new_source import new_source
from tests.support.queue_work import OPTIONS, article, assert_sound, read_here
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.indexing.open_spaces import OpenSpaces
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.maintenance.move_control import MoveControl
from webrag_desktop.maintenance.space_move import SpaceMover
from webrag_desktop.models.documents import ChunkRow
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.spaces.space_tables import active_space
from webrag_desktop.storage.texts import documents

MODEL = "text-embedding-3-small"  # makes vectors as short as one likes
OLD_CHUNKS, NEW_CHUNKS = ChunkTargets(64, 200), ChunkTargets(32, 120)
OTHER_MODEL, OTHER_CHUNKS, OTHER_BOTH = "model", "chunks", "both"
RIVERS = ("Rhine", "Elbe", "Oder", "Weser", "Danube")


def embedding(server: EmbeddingServer, dimensions: int) -> EmbeddingOptions:
    """Settings that ask for vectors of that length."""
    return EmbeddingOptions(
        backend="openai", base_url=server.url, model=MODEL, api_key=SecretStr("k"), dimensions=dimensions
    )


@dataclass
class MovingLibrary:
    """A library with the settings of the moment."""

    database: Database
    options: EmbeddingOptions
    targets: ChunkTargets

    @property
    def spaces(self) -> OpenSpaces:
        return OpenSpaces(self.database, self.options, self.targets)

    @property
    def moving(self) -> MoveControl:
        return MoveControl(self.database, self.options, self.targets)

    def add(self, name: str, text: str | None = None, *, page: str | None = None) -> UUID:
        """Give a page, fetched already; the next :meth:`work` indexes it."""
        url = f"https://example.org/{name}"
        body = page or (article(name, text) if text else article(name))
        with self.database.connection() as conn:
            source_id = new_source(conn, "url", url, url)
            stored = captures.save_capture(conn, source_id, captured(url, body.encode()))
            jobs.enqueue(conn, source_id, stored.id)
        return source_id

    def change(self, source_id: UUID, name: str, text: str, *, page: str | None = None) -> None:
        """Give another text of a page, fetched already."""
        url = f"https://example.org/{name}"
        with self.database.connection() as conn:
            stored = captures.save_capture(
                conn, source_id, captured(url, (page or article(name, text)).encode())
            )
            sources.set_state(conn, source_id, "queued")
            jobs.enqueue(conn, source_id, stored.id)

    def work(self, cancel: CancelToken | None = None) -> int:
        """Be the worker until nothing is left to do."""
        spaces = self.spaces
        runner = Runner(
            self.database, spaces.indexer, OPTIONS, read_here, SpaceMover(self.database, spaces.indexer_of)
        )
        with self.database.dedicated() as lock:
            assert jobs.become_runner(lock)
            try:
                return runner.drain(lock, cancel or CancelToken())
            finally:
                jobs.resign(lock)
                spaces.close()

    def step(self, steps: int = 1, *, impatient: bool = False) -> list[bool]:
        """Take some steps of the move and nothing else; the ``impatient`` do not wait after a failure."""
        spaces = self.spaces
        mover = SpaceMover(self.database, spaces.indexer_of)
        taken = []
        for _ in range(steps):
            taken.append(mover.step(CancelToken(), CancelToken()))
            if impatient:
                self.moving.resume()
        spaces.close()
        return taken

    def search(self, question: str) -> RetrievalResult:
        """Ask in the space that the library is in."""
        spaces = self.spaces
        opened = spaces.searched()
        try:
            with self.database.connection() as conn:
                return retrieve(
                    conn, question, embedder=opened.embedder, tokenizer=opened.tokenizer, mode="chunk"
                )
        finally:
            spaces.close()

    def run(self, statement: str) -> None:
        """Do something to the database."""
        with self.database.connection() as conn:
            conn.execute(statement.encode())

    def count(self, statement: str) -> int:
        """One number from the database."""
        with self.database.connection() as conn:
            row = conn.execute(statement.encode()).fetchone()
        assert row is not None
        return int(row[0])


def ask_for(library: MovingLibrary, models: EmbeddingServer, what: str) -> MovingLibrary:
    """The same library with settings that ask for something else."""
    dimensions = 48 if what == OTHER_CHUNKS else 64
    targets = OLD_CHUNKS if what == OTHER_MODEL else NEW_CHUNKS
    return MovingLibrary(library.database, embedding(models, dimensions), targets)


def shape(library: MovingLibrary) -> tuple[int, str]:
    """Dimensions and chunking of the space in use."""
    with library.database.connection() as conn:
        stored = active_space(conn)
    assert stored is not None
    return stored.space.model.dimensions, stored.space.chunking_id


def tables(library: MovingLibrary) -> int:
    """How many tables of vectors there are."""
    return library.count("SELECT count(*) FROM pg_class WHERE relname ~ '^embeddings_[0-9a-f]{12}$'")


def assert_moved(library: MovingLibrary) -> None:
    """The library is where its settings want it, whole, and nothing is left over."""
    move, progress = library.moving.progress()
    assert move is not None
    assert (move.state, progress) == ("done", None)
    assert library.spaces.settle().space == move.space
    assert tables(library) == 1
    assert library.count("SELECT count(DISTINCT chunking_id) FROM chunks") <= 1
    assert library.count("SELECT count(*) FROM vector_cache") == 0
    assert library.count("SELECT count(*) FROM embedding_spaces") == 1
    assert_sound(library.database)


def library_chunks(library: MovingLibrary) -> list[ChunkRow]:
    """All chunks as they are listed."""
    with library.database.connection() as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM documents ORDER BY id")]
        return [chunk for id_ in ids for chunk in documents.chunks_of(conn, id_)]


def of_length(models: EmbeddingServer, dimensions: int) -> list[str]:
    """Texts that were sent for vectors of that length."""
    return [
        text
        for request in models.embedding_requests
        if request.payload["dimensions"] == dimensions
        for text in request.payload["input"]
    ]


def refusing(models: EmbeddingServer, word: str) -> Event:
    """Have the server refuse texts that hold the word, until the event is set."""
    over, real = Event(), models._embeddings

    def answer(payload: Json) -> Reply:
        if not over.is_set() and any(word in text for text in payload["input"]):
            return json_reply({"error": {"message": "no", "type": "invalid_request_error"}}, status=400)
        return real(payload)

    models._embeddings = answer  # type: ignore[method-assign]
    return over
