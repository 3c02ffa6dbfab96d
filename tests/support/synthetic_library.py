"""A library whose passages have exactly the similarities a test asks for."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

from tests.support.new_source import new_source
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.errors import EmbeddingError
from webrag_desktop.models.documents import Capture, Chunk, ContentFlags, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.captures import save_capture
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library.sources import remove_source
from webrag_desktop.storage.searching.words import identifier_terms
from webrag_desktop.storage.spaces import space_tables
from webrag_desktop.storage.texts import documents

MODEL = EmbeddingModel(backend="test", model="angles", dimensions=3, tokenizer="words", max_tokens=512)
SPACE = EmbeddingSpace(model=MODEL, chunking_id="synthetic")
FETCHED_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def vector_at(similarity: float, turn: float = 0.0, dimensions: int = 3) -> list[float]:
    """A unit vector of that cosine to every question; ``turn`` sets otherwise equal ones apart."""
    side = math.sqrt(max(0.0, 1 - similarity**2))
    return [similarity, side * math.cos(turn), side * math.sin(turn), *[0.0] * (dimensions - 3)]


class AngleEmbedder:
    """Embeds every question as the axis that :func:`vector_at` measures from; may be told to fail."""

    def __init__(self, model: EmbeddingModel = MODEL, *, failure: EmbeddingError | None = None) -> None:
        self._model = model
        self._failure = failure
        self.questions: list[str] = []

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        return [vector_at(0.0) for _ in texts]

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        self.questions.append(text)
        if self._failure:
            raise self._failure
        return [1.0] + [0.0] * (self._model.dimensions - 1)

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class Passage:
    """A child: its text, and the cosine between it and any question."""

    text: str
    similarity: float = 0.0


@dataclass(frozen=True)
class Section:
    """A parent of those passages."""

    passages: Sequence[Passage]
    heading: str | None = None
    html: str | None = None
    flags: ContentFlags = field(default_factory=ContentFlags)


def cut(sections: Sequence[Section]) -> tuple[str, list[Chunk], list[float]]:
    """Markdown, its chunks (parents, then children) and the children's similarities; chunks partition it."""
    texts = [[passage.text + "\n\n" for passage in section.passages] for section in sections]
    markdown = "".join(text for section in texts for text in section)
    parents: list[Chunk] = []
    children: list[Chunk] = []
    end = _Place(0, 0)
    for index, (section, pieces) in enumerate(zip(sections, texts, strict=True)):
        start = end
        for piece in pieces:
            children.append(_chunk("child", len(children), index, section, end, piece))
            end = end.after(piece)
        text = markdown[start.characters : end.characters]
        parents.append(_chunk("parent", index, None, section, start, text))
    similarities = [passage.similarity for section in sections for passage in section.passages]
    return markdown, parents + children, similarities


@dataclass(frozen=True)
class _Place:
    """A border between pieces of the text; no token reaches over it."""

    characters: int
    tokens: int

    def after(self, text: str) -> "_Place":
        return _Place(self.characters + len(text), self.tokens + WordTokenizer().count(text))


def _chunk(level: str, index: int, parent: int | None, section: Section, start: _Place, text: str) -> Chunk:
    end = start.after(text)
    return Chunk(
        level=level,  # type: ignore[arg-type]
        chunk_index=index,
        parent_index=parent,
        section_heading=section.heading,
        heading_path=(section.heading,) if section.heading else (),
        anchor=None,
        page=None,
        chunk_text=text,
        html_text=section.html,
        flags=section.flags,
        char_start=start.characters,
        char_end=end.characters,
        token_start=start.tokens,
        token_end=end.tokens,
        html_tokens=WordTokenizer().count(section.html) if section.html and level == "parent" else None,
    )


class SyntheticLibrary:
    """Writes documents through the storage functions; every call of :meth:`add` is one transaction."""

    def __init__(self, database: Database, space: EmbeddingSpace = SPACE) -> None:
        self.database = database
        with database.connection() as conn:
            self.space = space_tables.ensure_space(conn, space)
            space_tables.activate_space(conn, self.space)

    def add(
        self,
        url: str,
        sections: Sequence[Section],
        *,
        depth: int = 0,
        language: str = "en",
        title: str | None = None,
        embedded: bool = True,
    ) -> UUID:
        """A new document; without ``embedded`` its vectors are not there yet."""
        with self.database.connection() as conn:
            source = new_source(conn, "url", url, url, depth=depth)
            self._write(conn, source, url, sections, language, title, embedded=embedded)
        return source

    def replace(self, source: UUID, url: str, sections: Sequence[Section]) -> None:
        """Another text for a document."""
        with self.database.connection() as conn:
            self._write(conn, source, url, sections, "en", None, embedded=True)

    def remove(self, source: UUID) -> None:
        with self.database.connection() as conn:
            remove_source(conn, source)

    def _write(
        self,
        conn: Connection,
        source: UUID,
        url: str,
        sections: Sequence[Section],
        language: str,
        title: str | None,
        *,
        embedded: bool,
    ) -> None:
        markdown, chunks, similarities = cut(sections)
        document = NormalizedDocument(
            url=url,
            source_url=url,
            title=title,
            language=language,
            doc_type="html",
            content_hash=hashlib.sha256(markdown.encode()).hexdigest(),
            fetched_at=FETCHED_AT,
            markdown=markdown,
        )
        capture = save_capture(conn, source, Capture(url=url, final_url=url, body=b"", fetched_at=FETCHED_AT))
        version = uuid4()
        documents.save_version(
            conn,
            source,
            documents.NewVersion(version, document, capture.id, capture.raw_hash, 1, markdown, ()),
        )
        facts = documents.PublishedFacts(None, language)
        documents.publish(conn, source, version, document, facts, chunks)
        ids = documents.write_chunks(
            conn,
            source,
            version,
            self.space.space.chunking_id,
            chunks,
            source_url=url,
            search_language=language,
            contexts=[chunk.section_heading or "" for chunk in chunks],
            extra_terms=[identifier_terms(chunk.chunk_text) for chunk in chunks],
        )
        if embedded:
            size = self.space.space.model.dimensions
            landing = [
                space_tables.ChunkVector(
                    id_, hashlib.sha256(id_.bytes).digest(), vector_at(similarity, n, size)
                )
                for n, (id_, similarity) in enumerate(
                    zip(ids[-len(similarities) :], similarities, strict=True)
                )
            ]
            space_tables.land_vectors(conn, self.space, source, landing)
