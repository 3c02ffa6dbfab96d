"""The formats that can be read, with the endings and media types by which they go."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from webrag_desktop.models.documents import DocType

Format = Literal["html", "markdown", "text", "pdf", "docx", "epub", "mhtml", "webarchive"]
"""What can be read, one reader each."""

FORMAT_BY_SUFFIX: dict[str, Format] = {
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml"), "html"),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mkdn"), "markdown"),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".asc"), "text"),
    ".pdf": "pdf",
    ".docx": "docx",
    ".epub": "epub",
    **dict.fromkeys((".mhtml", ".mht"), "mhtml"),
    ".webarchive": "webarchive",
}
"""By the endings of names, in lower case and with the dot."""

READABLE_SUFFIXES: tuple[str, ...] = tuple(FORMAT_BY_SUFFIX)
"""Endings of names, in lower case and with the dot, of files that can be read; others may turn out to be text."""

DOCUMENT_SUFFIXES: frozenset[str] = frozenset((*READABLE_SUFFIXES, ".doc", ".odt", ".rtf"))
"""Endings that names of files have and names of sites do not, those of documents that cannot be read included."""

_MEDIA_TYPES: dict[Format, str] = {
    "html": "text/html",
    "markdown": "text/markdown",
    "text": "text/plain",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
    "mhtml": "multipart/related",
    "webarchive": "application/x-webarchive",
}


def doc_type_of(found: Format) -> "DocType":
    """The kind of document that is made of a format: saved pages are pages."""
    return "html" if found in {"mhtml", "webarchive"} else cast("DocType", found)


def suffixes_of(wanted: Format) -> tuple[str, ...]:
    """The endings by which a format goes, in lower case and with the dot."""
    return tuple(suffix for suffix, found in FORMAT_BY_SUFFIX.items() if found == wanted)


def kind_of_name(name: str) -> "DocType | None":
    """The kind of document that a file's ending promises; None where nothing of that ending can be read."""
    found = FORMAT_BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
    return None if found is None else doc_type_of(found)


def media_type_of(found: Format) -> str:
    """The Content-Type that stands for a format."""
    return _MEDIA_TYPES[found]
