"""Which kind of document a ZIP archive is, told by the entries in it."""

from typing import Literal

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import Archive
from webrag_desktop.ingestion.signatures import unreadable

_EPUB_TYPE = b"application/epub+zip"
_LONGEST_TYPE = 256  # bytes
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_ARCHIVE = ("a ZIP archive", "Unpack it and add the files in it.")
_PRESENTATION = ("a presentation", "Save it as PDF and add that.")
_SPREADSHEET = ("a spreadsheet", "Save the tables you need as HTML or PDF and add that.")
_OPEN_TEXT = ("an OpenDocument text", "Open it in an office program, save it as .docx, and add that.")
_PROGRAM = ("a program package", "Add a text about it instead.")
_BY_ENTRY = (
    ("xl/workbook.xml", _SPREADSHEET),
    ("xl/workbook.bin", _SPREADSHEET),
    ("ppt/presentation.xml", _PRESENTATION),
    ("FixedDocSeq.fdseq", ("an XPS document", "Print it to PDF and add that.")),
    ("META-INF/MANIFEST.MF", _PROGRAM),
    ("AndroidManifest.xml", _PROGRAM),
)
_RELATIONS = "_rels/.rels"


def zip_format(body: bytes) -> Literal["docx", "epub"]:
    """The format of a ZIP archive.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for every other kind, and for one
    that is damaged.
    """
    archive = Archive(body)
    media_type = _media_type(archive)
    if media_type.startswith(_EPUB_TYPE) or "META-INF/container.xml" in archive:
        return "epub"
    if media_type.startswith(_OPEN_DOCUMENT):
        raise unreadable(*_open_document(media_type.removeprefix(_OPEN_DOCUMENT)))
    for name, kind in _BY_ENTRY:
        if name in archive:
            raise unreadable(*kind)
    if "word/document.xml" in archive or ("[Content_Types].xml" in archive and _RELATIONS in archive):
        return "docx"
    raise unreadable(*_ARCHIVE)


def _media_type(archive: Archive) -> bytes:
    if "mimetype" not in archive:
        return b""
    try:
        return archive.read("mimetype", at_most=_LONGEST_TYPE).strip()
    except ExtractionError:  # not the small entry that documents begin with
        return b""


def _open_document(kind: bytes) -> tuple[str, str]:
    if kind.startswith(b"text"):
        return _OPEN_TEXT
    if kind.startswith(b"spreadsheet"):
        return _SPREADSHEET
    return _PRESENTATION if kind.startswith(b"presentation") else _ARCHIVE
