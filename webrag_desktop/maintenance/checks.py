"""Every check of the library in one table, and the order in which damage is mended."""

import hashlib
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.indexing.batch import is_as_cut
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.sanitizing import is_harmless
from webrag_desktop.maintenance import mends
from webrag_desktop.maintenance.checking import (
    Check,
    EachCapture,
    EachDocument,
    EachText,
    Mend,
    Query,
    Sampled,
)
from webrag_desktop.models.checks import TABLES_CHECK
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.checks import statements
from webrag_desktop.storage.checks.deep_reads import StoredText, children_with_other_postings
from webrag_desktop.storage.checks.statements import OF_THE_SPACE, missing_tables
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.spaces.space_tables import damaged_space
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.plain_text import project


def _space_damaged(conn: Connection) -> list[str]:
    damaged = damaged_space(conn)
    return [] if damaged is None else [damaged]


def _is_projected(text: StoredText) -> bool:
    plain = project(text.markdown)
    return (plain.text, plain.runs) == (text.plain_text, text.plain_map)


def _has_harmless_html(text: StoredText) -> bool:
    local = text.source_url.startswith("file:")
    return all(is_harmless(html, local=local) for html in text.html)


def _is_as_received(stored_hash: bytes, body: bytes | None) -> bool:
    return body is not None and hashlib.sha256(body).digest() == stored_hash


def _is_cut_as_stored(conn: Connection, indexer: Indexer, document_id: UUID, cancel: CancelToken) -> bool:
    try:
        version = documents.load_version(conn, document_id)
    except ValidationError:  # its blocks are damaged
        return False
    if version is None or not version.markdown.strip():
        return True  # other checks report it
    return is_as_cut(conn, indexer, version, cancel)


# In the order of the report.
CHECKS: Final = (
    Check(
        TABLES_CHECK,
        "Every table of the library exists.",
        Query(missing_tables),
        (),  # reported before anything is mended, since each of the others needs some of them
    ),
    Check(
        "chunks-verbatim",
        "Every passage is, character for character, the part of its document that it was cut from.",
        statements.CHUNKS_VERBATIM,
        (mends.chunks,),
    ),
    Check(
        "parents-partition",
        "The large chunks cover their document from its first character to its last, without gap or overlap.",
        statements.PARENTS_PARTITION,
        (mends.chunks,),
    ),
    Check(
        "children-partition",
        "The small chunks cover their large chunk from its first character to its last, without gap or overlap.",
        statements.CHILDREN_PARTITION,
        (mends.chunks,),
    ),
    Check(
        "chunks-current",
        "Passages belong to the text that their document shows.",
        statements.CHUNKS_CURRENT,
        (mends.chunks,),
    ),
    Check(
        "words-indexed",
        "Every small chunk can be found by its words, in the language of its document.",
        statements.WORDS_INDEXED,
        (mends.chunks,),
    ),
    Check(
        "words-scored",
        "The index of words lists every passage that can be found by its words exactly once, and nothing else.",
        statements.WORDS_SCORED,
        (mends.word_index,),
    ),
    Check(
        "texts-unaltered",
        "Every stored text has the hash it was stored with.",
        statements.TEXTS_UNALTERED,
        (mends.texts,),
    ),
    Check(
        "blocks-inside",
        "The blocks of a text (headings, paragraphs, tables) are inside the text and in order.",
        statements.BLOCKS_INSIDE,
        (mends.texts,),
    ),
    Check(
        "queue-legal",
        "Everything that is not ready, failed or cancelled has exactly one open job, and nothing else has one.",
        statements.QUEUE_LEGAL,
        (mends.queue,),
    ),
    Check(
        "no-orphans",
        "Ready documents have a text, every source has an address, and a copy of what each text was read from is kept.",
        statements.NO_ORPHANS,
        (mends.spaces, mends.queue, mends.addresses, mends.texts, mends.lost_captures, mends.chunks),
        by_refreshing=True,
    ),
    Check(
        "figures-true",
        "The stored figures of the library equal what counting gives.",
        statements.FIGURES_TRUE,
        (mends.figures,),
    ),
    Check(
        "spaces-accounted",
        "Every embedding space is in use or being moved to and has its table, and every passage belongs to a space.",
        statements.SPACES_ACCOUNTED,
        (mends.spaces, mends.figures),
    ),
    Check(
        "citations-verbatim",
        "Every citation quotes its text character for character, and belongs to the document of that text.",
        statements.CITATIONS_VERBATIM,
        (mends.texts,),
    ),
    Check(
        "vectors-complete",
        "Every small chunk of a ready document has one vector of length 1 in the library's space; nothing else has.",
        statements.VECTORS_COMPLETE,
        (mends.spaces, mends.chunks),
    ),
    Check(
        "space-known",
        "The library knows which model and settings its vectors were made with.",
        Query(_space_damaged, OF_THE_SPACE),
        (mends.definition,),
    ),
    Check(
        "plain-text-true",
        "The text in which quotations are searched is what a reader sees.",
        EachText(_is_projected),
        (mends.projections,),
    ),
    Check(
        "html-safe",
        "Stored HTML holds no scripts and loads nothing.",
        EachText(_has_harmless_html),
        (mends.html,),
    ),
    Check(
        "chunks-placed",
        "Dividing a text again gives the stored passages, with the same details and the same words to find them by.",
        EachDocument(_is_cut_as_stored),
        (mends.chunks,),
    ),
    Check(
        "captures-unaltered",
        "What was fetched is kept as it was received.",
        EachCapture(_is_as_received),
        (mends.lost_captures,),
        by_refreshing=True,
    ),
    Check(
        "word-index-true",
        "The index of words agrees with the words of the passages.",
        Sampled(
            children_with_other_postings,
            frozenset(("chunks", "lexical_postings", "lexical_removals", "lexical_segments")),
            "words",
        ),
        (mends.word_index,),
    ),
)

# Each works with what those before it have mended: spaces, texts, what is derived from texts, figures.
MENDING_ORDER: Final[tuple[Mend, ...]] = (
    mends.definition,
    mends.spaces,
    mends.queue,
    mends.addresses,
    mends.texts,
    mends.projections,
    mends.html,
    mends.lost_captures,
    mends.chunks,
    mends.figures,
    mends.word_index,
)
# The others must know how texts are divided.
WITHOUT_SPACE: Final = frozenset((mends.definition, mends.queue, mends.addresses))
