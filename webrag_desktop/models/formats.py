"""The one table of the file types that can be read.

A new type is a line in :data:`FILE_TYPES` (and in :data:`Format`), a module that reads it, and that reader's
registration in :mod:`webrag_desktop.ingestion.extract`. A new :data:`DocType` also takes a migration, since the
database checks the values. Detection, folder scans, dialogs, filters and the texts of the window are derived from here.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

DocType = Literal["html", "pdf", "markdown", "text", "docx", "epub"]
"""What a document is, as it is stored and filtered."""
DOC_TYPES: tuple[DocType, ...] = get_args(DocType)

Format = Literal["html", "markdown", "text", "pdf", "docx", "epub", "mhtml", "webarchive"]
"""The formats that can be read, one reader each."""


@dataclass(frozen=True, slots=True)
class ZipSignature:
    """How a ZIP archive of a format is recognised: by the ``mimetype`` entry it begins with, or by its entries.

    ``before_others`` is an entry that decides before the kinds of archives that cannot be read are looked for;
    ``entries`` are looked for after them: every one of a group must be there.
    """

    media_type: bytes | None = None
    before_others: str | None = None
    entries: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class FileType:
    """One format. The first of ``media_types`` is stored for files; ``suffixes`` are in lower case, with the dot.

    Bytes of the format begin with ``start`` (within the first ``start_within`` bytes, after what is no text, where
    that is not 0) and contain ``contains``, or are the archive that ``zipped`` describes. An ``is_text`` format has no
    signature: its name counts where the declared media type is vague. ``is_publication`` marks what publishers offer
    beside a web page that only presents it. ``listed_as`` is its name in a list of what can be added.
    """

    suffixes: tuple[str, ...]
    media_types: tuple[str, ...]
    doc_type: DocType
    listed_as: str | None = None
    start: bytes | None = None
    start_within: int = 0
    contains: bytes = b""
    zipped: ZipSignature | None = None
    is_text: bool = False
    is_publication: bool = False


FILE_TYPES: dict[Format, FileType] = {
    "html": FileType(
        (".html", ".htm", ".xhtml", ".shtml"),
        ("text/html", "application/xhtml+xml"),
        "html",
        "Web pages",
        is_text=True,
    ),
    "markdown": FileType(
        (".md", ".markdown", ".mdown", ".mkd", ".mkdn"),
        ("text/markdown", "text/x-markdown"),
        "markdown",
        "Markdown",
        is_text=True,
    ),
    "text": FileType(
        (".txt", ".text", ".log", ".rst", ".asc"), ("text/plain",), "text", "text", is_text=True
    ),
    "pdf": FileType(
        (".pdf",),
        ("application/pdf",),
        "pdf",
        "PDF",
        start=b"%PDF-",
        start_within=1024,  # as readers of PDF do
        is_publication=True,
    ),
    "docx": FileType(
        (".docx",),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",),
        "docx",
        "Word (.docx)",
        zipped=ZipSignature(entries=(("word/document.xml",), ("[Content_Types].xml", "_rels/.rels"))),
        is_publication=True,
    ),
    "epub": FileType(
        (".epub",),
        ("application/epub+zip",),
        "epub",
        "EPUB",
        zipped=ZipSignature(b"application/epub+zip", before_others="META-INF/container.xml"),
        is_publication=True,
    ),
    "mhtml": FileType(
        (".mhtml", ".mht"), ("multipart/related", "message/rfc822", "application/x-mimearchive"), "html"
    ),
    "webarchive": FileType(
        (".webarchive",),
        ("application/x-webarchive",),
        "html",
        start=b"bplist00",
        contains=b"WebMainResource",
    ),
}


@dataclass(frozen=True, slots=True)
class DocTypeLook:
    """What users see of a type of documents: its name in a word or two, and its icon in the window."""

    word: str
    icon: str


DOC_TYPE_LOOKS: dict[DocType, DocTypeLook] = {
    "html": DocTypeLook("Web page", "globe"),
    "pdf": DocTypeLook("PDF", "file-type"),
    "markdown": DocTypeLook("Markdown", "file-text"),
    "text": DocTypeLook("Text", "file-text"),
    "docx": DocTypeLook("Word document", "file-text"),
    "epub": DocTypeLook("EPUB", "book-open"),
}

LISTED: tuple[str, ...] = tuple(one.listed_as for one in FILE_TYPES.values() if one.listed_as)
"""What can be added, for people."""
LISTED_IN_WORDS = f"{', '.join(LISTED[:-1])} and {LISTED[-1]} files"

MANUSCRIPTS: dict[Format, str] = {"markdown": "Markdown", "docx": "Word", "text": "text"}
"""The formats of manuscripts, whose quotations can be checked, each as messages name it."""
MANUSCRIPTS_IN_WORDS = f"{', '.join([*MANUSCRIPTS.values()][:-1])} or {[*MANUSCRIPTS.values()][-1]} file"
MANUSCRIPT_SUFFIXES: tuple[str, ...] = tuple(
    suffix for found in MANUSCRIPTS for suffix in FILE_TYPES[found].suffixes
)

FORMAT_BY_SUFFIX: dict[str, Format] = {
    suffix: found for found, of_type in FILE_TYPES.items() for suffix in of_type.suffixes
}

READABLE_SUFFIXES: tuple[str, ...] = tuple(FORMAT_BY_SUFFIX)
"""Endings of names of files that can be read; files of other names may turn out to be text."""

DOCUMENT_SUFFIXES: frozenset[str] = frozenset((*READABLE_SUFFIXES, ".doc", ".odt", ".rtf"))
"""Endings that names of files have and names of sites do not, including documents that cannot be read."""

PUBLICATIONS: frozenset[DocType] = frozenset(
    one.doc_type for one in FILE_TYPES.values() if one.is_publication
)


def _accepted() -> str:
    """Registered types of text, plain text after those that have structure, then anything."""
    names = [
        name for one in FILE_TYPES.values() if one.is_text for name in one.media_types if "/x-" not in name
    ]
    plain = FILE_TYPES["text"].media_types
    return ",".join([*(f"{name};q=0.9" if name in plain else name for name in names), "*/*;q=0.5"])


ACCEPT = _accepted()
"""The Accept header of requests for pages."""


def doc_type_of(found: Format) -> DocType:
    """The type of the document that is made of a format."""
    return FILE_TYPES[found].doc_type


def suffixes_of(wanted: Format) -> tuple[str, ...]:
    """The endings of a format's files, in lower case and with the dot."""
    return FILE_TYPES[wanted].suffixes


def kind_of_name(name: str) -> DocType | None:
    """The type of document that a file's ending suggests; None where nothing of that ending can be read."""
    found = FORMAT_BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
    return None if found is None else doc_type_of(found)


def media_type_of(found: Format) -> str:
    """The Content-Type that is stored for a file of a format."""
    return FILE_TYPES[found].media_types[0]
