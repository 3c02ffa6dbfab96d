"""What is known of a document besides its text: declared once, for readers, storage, JSON and the window.

A new field takes a line here, a column of its name in ``documents`` (a migration), a reader in
:mod:`webrag_desktop.ingestion` that fills it, and a place where it is shown. Everything between copies all fields.
"""

from dataclasses import dataclass, fields
from typing import Any

from webrag_desktop.models.formats import DocType


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """What a document says of itself; None where it says nothing, and while there is no text.

    Times are ISO 8601 to the year, month, day or second that is known; those marked ``guessed`` are not stated by the
    source. ``saved_from`` is the address that a saved page says it was saved from: a claim, never an address of the
    document. ``page_count`` counts the pages of a paged document.
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


NO_METADATA = DocumentMetadata()
METADATA_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(DocumentMetadata))
FLAG_FIELDS: frozenset[str] = frozenset(
    field.name for field in fields(DocumentMetadata) if field.default is False
)


def metadata_values(of: DocumentMetadata) -> dict[str, Any]:
    """The metadata of a document, or of anything that has them, by name."""
    return {name: getattr(of, name) for name in METADATA_FIELDS}


def metadata_of(other: DocumentMetadata) -> DocumentMetadata:
    """The metadata alone of anything that has them."""
    return DocumentMetadata(**metadata_values(other))
