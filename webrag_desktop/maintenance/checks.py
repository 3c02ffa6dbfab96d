"""Every check of the library in one table: what SQL finds, and what deriving again from the stored texts finds."""

import hashlib
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.indexing.batch import is_as_cut
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.sanitizing import is_harmless
from webrag_desktop.maintenance.checking import Deep, DeepCheck, Rows
from webrag_desktop.storage.checks import deep_reads
from webrag_desktop.storage.checks.declared import SQL_CHECKS
from webrag_desktop.storage.checks.deep_reads import StoredText
from webrag_desktop.storage.checks.statements import TABLES, table_exists
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.storage.spaces.space_tables import active_space, damaged_space
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.plain_text import project

_OF_TEXTS = frozenset(("document_versions", "chunks"))


def _texts(check: DeepCheck) -> Rows:
    with check.database.connection() as conn:
        for text in deep_reads.stored_texts(conn, check.most):
            yield text.id, text


def _is_projected(text: StoredText) -> bool:
    plain = project(text.markdown)
    return (plain.text, plain.runs) == (text.plain_text, text.plain_map)


def _has_harmless_html(text: StoredText) -> bool:
    local = text.source_url.startswith("file:")
    return all(is_harmless(html, local=local) for html in text.html)


def _captures(check: DeepCheck) -> Rows:
    with check.database.connection() as conn:
        for id_, stored_hash, body in deep_reads.captured_bodies(conn, check.most):
            yield id_, (stored_hash, body)


def _is_as_received(captured: tuple[bytes, bytes | None]) -> bool:
    stored_hash, body = captured
    return body is not None and hashlib.sha256(body).digest() == stored_hash


def _subresources(check: DeepCheck) -> Rows:
    with check.database.connection() as conn:
        for sha256, body in deep_reads.subresource_bodies(conn, check.most):
            yield sha256.hex(), (sha256, body)


def _wrong_postings(check: DeepCheck) -> Rows:
    check.next("words", 1)
    with check.database.connection() as conn:
        for id_ in deep_reads.children_with_other_postings(conn, check.most):
            yield id_, False


@dataclass(frozen=True, slots=True)
class _Cut:
    """A document as its chunks are compared with what the indexer makes of its text."""

    check: DeepCheck
    indexer: Indexer
    document_id: UUID

    def is_as_stored(self) -> bool:
        with self.check.database.connection() as conn, snapshot(conn, self.check.cancel):
            if active_space(conn) != self.indexer.space or not table_exists(conn, self.indexer.space.table):
                return (
                    True  # the library moved, and drops the chunks of this space; or another check reports it
                )
            try:
                version = documents.load_version(conn, self.document_id)
            except ValidationError:  # its blocks are damaged
                return False
            if version is None or not version.markdown.strip():
                return True  # other checks report it
            return is_as_cut(conn, self.indexer, version, self.check.cancel)


def _cut_documents(check: DeepCheck) -> Rows | None:
    with check.database.connection() as conn:
        if damaged_space(conn) is not None:
            return None  # how texts are to be cut is unknown; another check reports it
        shown, space = deep_reads.shown_versions(conn, check.most), active_space(conn)
    try:
        indexer = check.indexer() if shown and space is not None else None
    except (ConfigurationError, EmbeddingError):  # doctor reports the state of the model elsewhere
        return None
    return ((document, _Cut(check, indexer, document)) for document, _version in shown if indexer)


# In the order of the report.
CHECKS: Final = (
    *SQL_CHECKS,
    Deep(
        "plain-text-true",
        "The text in which quotations are searched is what a reader sees.",
        ("projections",),
        _texts,
        _is_projected,
        _OF_TEXTS,
        "texts",
    ),
    Deep(
        "html-safe",
        "Stored HTML holds no scripts and loads nothing.",
        ("html",),
        _texts,
        _has_harmless_html,
        _OF_TEXTS,
        "texts",
    ),
    Deep(
        "chunks-placed",
        "Dividing a text again gives the stored passages, with the same details and the same words to find them by.",
        ("chunks",),
        _cut_documents,
        _Cut.is_as_stored,
        frozenset(TABLES),
        "chunks",
    ),
    Deep(
        "captures-unaltered",
        "What was fetched is kept as it was received.",
        ("lost_captures",),
        _captures,
        _is_as_received,
        frozenset(("captures",)),
        "kept copies",
        by_refreshing=True,
    ),
    Deep(
        "subresources-unaltered",
        "The stylesheets, images and fonts of pages are kept as they were received.",
        ("subresources",),
        _subresources,
        _is_as_received,
        frozenset(("subresource_bodies", "subresources")),
        "files of pages",
    ),
    Deep(
        "word-index-true",
        "The index of words agrees with the words of the passages.",
        ("word_index",),
        _wrong_postings,
        bool,
        frozenset(("chunks", "lexical_postings", "lexical_removals", "lexical_segments")),
        "words",
    ),
)
