"""What is known of a document besides its text: declared once, for readers, storage, JSON and the window.

A new field takes a line here, a column of its name in ``documents`` (a migration), a reader in
:mod:`webrag_desktop.ingestion` that fills it, and a place where it is shown. Everything between copies all fields.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from webrag_desktop.models.formats import DocType

FactSource = Literal[
    "citation meta",
    "json-ld",
    "dublin core",
    "open graph",
    "meta",
    "microdata",
    "byline",
    "text",
    "address",
    "front matter",
    "xmp",
    "pdf",
    "epub",
    "docx",
    "guess",
    "user",
]
"""Where a fact was read: elements of a page's head, marked or plain words of its body, its address, what a file says
of itself (``pdf``: its information dictionary), a guess, or the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """What a document says of itself; None where it says nothing, and while there is no text.

    Times are ISO 8601 to the year, month, day or second that is known; those marked ``guessed`` are not stated by the
    source. ``saved_from`` is the address that a saved page says it was saved from: a claim, never an address of the
    document. ``page_count`` counts the pages of a paged document. ``incomplete`` says, in a sentence without its full
    stop, what of the source its text lacks.

    ``authors`` are in the order stated, given names first. ``publisher`` is who publishes it, of a page the name of its
    site; ``journal`` what it appeared in, with ``volume``, ``issue`` and ``pages`` (``12–34``). ``doi`` is in lower
    case, ``isbn`` 13 digits, ``arxiv_id`` without its version, ``licence`` a short name such as ``CC BY 4.0``, else the
    address or words that were stated. ``fact_sources`` says of each of these, and of both times, where it was read.
    """

    title: str | None = None
    description: str | None = None
    language: str | None = None
    doc_type: DocType | None = None
    published_time: str | None = None
    published_guessed: bool = False
    modified_time: str | None = None
    modified_guessed: bool = False
    saved_from: str | None = None
    page_count: int | None = None
    incomplete: str | None = None
    authors: Sequence[str] = ()
    publisher: str | None = None
    journal: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    doi: str | None = None
    isbn: str | None = None
    arxiv_id: str | None = None
    licence: str | None = None
    fact_sources: Mapping[str, FactSource] = field(default_factory=dict)


NO_METADATA = DocumentMetadata()
METADATA_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(DocumentMetadata))
FLAG_FIELDS: frozenset[str] = frozenset(
    field.name for field in fields(DocumentMetadata) if field.default is False
)
FactName = Literal[
    "authors",
    "publisher",
    "published_time",
    "modified_time",
    "journal",
    "volume",
    "issue",
    "pages",
    "doi",
    "isbn",
    "arxiv_id",
    "licence",
]
FACT_NAMES: tuple[FactName, ...] = get_args(FactName)
"""The fields whose source is kept, and which a user may set: who wrote a document, when and where it appeared."""


def metadata_values(of: DocumentMetadata) -> dict[str, Any]:
    """The metadata of a document, or of anything that has them, by name."""
    return {name: getattr(of, name) for name in METADATA_FIELDS}


def metadata_of(other: DocumentMetadata) -> DocumentMetadata:
    """The metadata alone of anything that has them."""
    return DocumentMetadata(**metadata_values(other))
