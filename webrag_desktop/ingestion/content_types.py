"""Which format some bytes have: by the bytes themselves first, then by the declared media type, then by the name.

The signatures of the formats that can be read are in :mod:`webrag_desktop.models.formats`; here are those of kinds that
cannot, with what users are advised to do instead.
"""

import codecs
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import ZIP_START, Archive
from webrag_desktop.ingestion.text_decoding import utf16_of
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.formats import FILE_TYPES, FORMAT_BY_SUFFIX, LISTED_IN_WORDS, FileType, Format

# Kinds of files that cannot be read, each with what to do instead.
_PICTURE = ("a picture", "Add the page or the document that it belongs to.")
_VIDEO = ("a video", "Add the page it is shown on, or its transcript.")
_SOUND = ("a sound recording", "Add the page it belongs to, or its transcript.")
_PACKED = ("a packed file", "Unpack it and add the files in it.")
_PROGRAM = ("a program", "Add a text about it instead.")
_DATABASE = ("a database", "Export what you need as text or HTML and add that.")
_FONT = ("a font", "Add a text instead.")
_KINDLE = ("a Kindle book", "Convert it to EPUB and add that.")
_PRESENTATION = ("a presentation", "Save it as PDF and add that.")
_SPREADSHEET = ("a spreadsheet", "Save the tables you need as HTML or PDF and add that.")
_OFFICE = ("a file of an old office program", "Open it there, save it as .docx or PDF, and add that.")
_STARTS: tuple[tuple[bytes, tuple[str, str]], ...] = (
    (b"\x89PNG", _PICTURE), (b"\xff\xd8\xff", _PICTURE), (b"GIF8", _PICTURE), (b"BM\x00", _PICTURE),
    (b"II*\0", _PICTURE), (b"MM\0*", _PICTURE), (b"8BPS", _PICTURE), (b"\0\0\1\0", _PICTURE),
    (b"\xff\x0a", _PICTURE), (b"\0\0\0\x0cJXL ", _PICTURE), (b"\0\0\0\x0cjP  ", _PICTURE),
    (b"\x1aE\xdf\xa3", _VIDEO), (b"\0\0\1\xba", _VIDEO), (b"FLV\1", _VIDEO), (b"0&\xb2u", _VIDEO),
    (b"OggS", _SOUND), (b"fLaC", _SOUND), (b"ID3", _SOUND), (b"\xff\xfb", _SOUND), (b"\xff\xf3", _SOUND),
    (b"MThd", _SOUND), (b"#!AMR", _SOUND),
    (b"PK\5\6", _PACKED), (b"PK\7\x08", _PACKED), (b"\x1f\x8b", _PACKED), (b"BZh", _PACKED), (b"\xfd7zXZ", _PACKED),
    (b"7z\xbc\xaf", _PACKED), (b"Rar!", _PACKED), (b"\x28\xb5\x2f\xfd", _PACKED), (b"\x04\x22\x4d\x18", _PACKED),
    (b"MSCF", _PACKED), (b"LZIP", _PACKED), (b"!<arch>", _PACKED), (b"\x1f\x9d", _PACKED),
    (b"\x7fELF", _PROGRAM), (b"MZ", _PROGRAM), (b"\xca\xfe\xba\xbe", _PROGRAM), (b"\xcf\xfa\xed\xfe", _PROGRAM),
    (b"\0asm", _PROGRAM), (b"dex\n", _PROGRAM),
    (b"SQLite format 3", _DATABASE), (b"\0\1\0\0Standard", _DATABASE),
    (b"wOFF", _FONT), (b"wOF2", _FONT), (b"OTTO", _FONT), (b"\0\1\0\0\0", _FONT), (b"true\0", _FONT),
    (b"{\\rtf", ("an RTF document", "Open it in an office program, save it as .docx, and add that.")),
    (b"%!PS", ("a PostScript file", "Convert it to PDF and add that.")),
    (b"AT&TFORM", ("a DjVu document", "Convert it to a PDF with text and add that.")),
    (b"ITSF", ("a Windows help file", "Unpack it and add the HTML pages in it.")),
    (b"bplist00", ("a property list", "Add a text instead.")),
    (b"WARC/", ("a web archive of many pages", "Open the page you need, save it, and add that.")),
)  # fmt: skip
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_COMPOUND_KINDS = (
    ("EncryptedPackage", ("an office file with a password", "Save it without the password and add that.")),
    ("WordDocument", ("an old Word file", "Open it in an office program, save it as .docx, and add that.")),
    ("PowerPoint Document", _PRESENTATION),
    ("Workbook", _SPREADSHEET),
    ("__substg1.0", ("an e-mail of Outlook", "Save it as text or HTML and add that.")),
)
_BRANDS = (
    (b"heic", _PICTURE), (b"heix", _PICTURE), (b"mif1", _PICTURE), (b"avif", _PICTURE), (b"avis", _PICTURE),
    (b"M4A", _SOUND), (b"M4B", _SOUND),
)  # fmt: skip
_RIFF = {b"WEBP": _PICTURE, b"AVI ": _VIDEO, b"WAVE": _SOUND}
_XML = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?>.*?-->)\s*+)*+(?:<!doctype\s+svg[^>]*+>\s*+)?+"
    rb"<(?:\w++:)?+(svg|rss|feed|rdf|urlset|sitemapindex|plist)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML_KINDS = {
    b"svg": _PICTURE,
    b"rss": ("a news feed", "Add the pages it lists."),
    b"feed": ("a news feed", "Add the pages it lists."),
    b"rdf": ("a data file", "Add the page it belongs to."),
    b"urlset": ("a site map", "Add the pages it lists."),
    b"sitemapindex": ("a site map", "Add the pages it lists."),
    b"plist": ("a property list", "Add a text instead."),
}
_BY_DECLARED = (("image/", _PICTURE), ("video/", _VIDEO), ("audio/", _SOUND), ("font/", _FONT))
_LONGEST_TYPE = 256  # bytes
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_ARCHIVE = ("a ZIP archive", "Unpack it and add the files in it.")
_OPEN_TEXT = ("an OpenDocument text", "Open it in an office program, save it as .docx, and add that.")
_PACKAGE = ("a program package", _PROGRAM[1])
_BY_ENTRY = (
    ("xl/workbook.xml", _SPREADSHEET),
    ("xl/workbook.bin", _SPREADSHEET),
    ("ppt/presentation.xml", _PRESENTATION),
    ("FixedDocSeq.fdseq", ("an XPS document", "Print it to PDF and add that.")),
    ("META-INF/MANIFEST.MF", _PACKAGE),
    ("AndroidManifest.xml", _PACKAGE),
)

_VAGUE = frozenset(
    {"", "text/plain", "application/octet-stream", "application/binary", "application/unknown"}
)
_ZIPPED = {found: one.zipped for found, one in FILE_TYPES.items() if one.zipped is not None}
_BY_START = sorted(
    ((found, one) for found, one in FILE_TYPES.items() if one.start is not None),
    key=lambda pair: pair[1].start_within,  # exact beginnings first
)
_BY_MEDIA_TYPE = {
    media_type: found
    for found, one in FILE_TYPES.items()
    if one.is_text
    for media_type in one.media_types
    if media_type not in _VAGUE
}
_PROLOG = rb"^\s*+(?:<\?xml[^>]*+>\s*+)?+(?:<!--(?>.*?-->)\s*+)*+"
_HTML_START = re.compile(
    _PROLOG
    + rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p|h[1-6]|table|article|main|section"
    rb"|ul|ol|a|br)\b",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE_PAGE = re.compile(_PROLOG + rb"<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MIME_HEAD = re.compile(rb"(?:[!-9;-~]{1,76}:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*+)++")
_RELATED = re.compile(rb"^content-type:\s*multipart/related\b", re.IGNORECASE | re.MULTILINE)
_MIME_VERSION = re.compile(
    rb"^(?:mime-version|content-(?:location|transfer-encoding)):", re.IGNORECASE | re.MULTILINE
)
_PRINTER_START = b"\x1b%-12345X"  # commands that some printer drivers write before a PDF
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b\x08")
_SNIFFED = 4096  # bytes


def format_of(capture: Capture) -> Format:
    """What a capture holds.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for kinds that cannot be read.
    """
    declared = (capture.header("content-type") or "").partition(";")[0].strip().lower()
    name = capture.filename or PurePosixPath(unquote(urlsplit(capture.final_url).path)).name
    return detect_format(capture.body, declared=declared, name=name)


def detect_format(body: bytes, *, declared: str = "", name: str = "") -> Format:
    """What some bytes are, from them, a media type without parameters, and a file name; both may be empty.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for kinds that cannot be read.
    """
    start = body[:_SNIFFED]
    suffix = PurePosixPath(name).suffix.lower()
    packed = _packed_format(body, start)
    if packed is not None:
        return packed
    if _is_mime(start, declared, suffix):
        return "mhtml"
    known = _refusal(body, declared)
    if known is not None:
        raise known
    return _text_format(start, declared, suffix)


def _packed_format(body: bytes, start: bytes) -> Format | None:
    """The format of bytes that are no text themselves, by their first ones."""
    if start.startswith(ZIP_START):
        return _zip_format(body)
    return next((found for found, one in _BY_START if _has_signature(one, body, start)), None)


def _has_signature(of_type: FileType, body: bytes, start: bytes) -> bool:
    assert of_type.start is not None
    if not of_type.start_within:
        return start.startswith(of_type.start) and of_type.contains in body
    before, found, _ = start[: of_type.start_within].partition(of_type.start)
    junk = before.removeprefix(codecs.BOM_UTF8).strip()
    return bool(found) and (not junk or junk.startswith(_PRINTER_START) or _is_binary(junk))


def _zip_format(body: bytes) -> Format:
    """The format of a ZIP archive.

    Raises :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for every other kind, and for one
    that is damaged.
    """
    archive = Archive(body)
    media_type = _media_type(archive)
    for found, signature in _ZIPPED.items():
        if signature.media_type is not None and media_type.startswith(signature.media_type):
            return found
        if signature.before_others is not None and signature.before_others in archive:
            return found
    if media_type.startswith(_OPEN_DOCUMENT):
        raise _unreadable(*_open_document(media_type.removeprefix(_OPEN_DOCUMENT)))
    for name, kind in _BY_ENTRY:
        if name in archive:
            raise _unreadable(*kind)
    for found, signature in _ZIPPED.items():
        if any(all(name in archive for name in names) for names in signature.entries):
            return found
    raise _unreadable(*_ARCHIVE)


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


def _is_mime(start: bytes, declared: str, suffix: str) -> bool:
    """Whether bytes begin with the headers of a web page saved as a MIME message."""
    head = _MIME_HEAD.match(start.lstrip(b"\r\n"))
    if head is None:
        return False
    if _RELATED.search(head[0]):
        return True
    named = FORMAT_BY_SUFFIX.get(suffix) == "mhtml" or declared in FILE_TYPES["mhtml"].media_types
    return named and _MIME_VERSION.search(head[0]) is not None


def _text_format(start: bytes, declared: str, suffix: str) -> Format:
    """The format of what is no known binary kind."""
    if _BY_MEDIA_TYPE.get(declared) == "html" and start.lstrip().startswith(b"<"):
        return "html"  # stray control characters do not matter here
    if _is_binary(start):
        raise _unreadable_kind()
    if declared in _BY_MEDIA_TYPE:
        return _BY_MEDIA_TYPE[declared]
    by_name = FORMAT_BY_SUFFIX.get(suffix)
    if declared in _VAGUE and by_name is not None and FILE_TYPES[by_name].is_text:
        return by_name
    plain = _as_ascii(start)
    if _WHOLE_PAGE.match(plain) or (declared != "text/plain" and _HTML_START.match(plain)):
        return "html"
    if declared in _VAGUE or declared.startswith("text/"):
        return "text"
    raise _unreadable_kind()


def _as_ascii(start: bytes) -> bytes:
    """The first bytes as if they were in an encoding of single bytes, without a byte order mark."""
    encoding = utf16_of(start)
    if encoding is not None:
        return start.decode(encoding, "ignore").encode("utf-8", "ignore").removeprefix(codecs.BOM_UTF8)
    return start.removeprefix(codecs.BOM_UTF8)


def _is_binary(start: bytes) -> bool:
    """Whether the first bytes of something show that it is not text in any encoding."""
    if utf16_of(start) is not None or start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return False
    controls = len(start) - len(start.translate(None, _CONTROLS))
    return b"\0" in start[:512] or controls > len(start) // 20


def _refusal(body: bytes, declared: str = "") -> ExtractionError | None:
    """The error that names what ``body`` is, where it is of a known kind without text; None for anything else.

    ``declared`` is a media type without parameters; it counts only where the bytes are not text.
    """
    found = _kind_of(body) or (_declared_kind(declared) if b"\0" in body[:_SNIFFED] else None)
    return _unreadable(*found) if found else None


def _unreadable(what: str, hint: str) -> ExtractionError:
    """The error for a file that is ``what`` ("a picture"); the hint says what to do instead."""
    return ExtractionError(f"This is {what}, and that cannot be read", hint)


def _unreadable_kind() -> ExtractionError:
    """The error for a kind of file that the program neither reads nor knows."""
    return ExtractionError(
        "This kind of file cannot be read",
        f"{LISTED_IN_WORDS} can be added.",
    )


def _kind_of(body: bytes) -> tuple[str, str] | None:
    start = body[:_SNIFFED]
    if start.startswith(_COMPOUND):
        return next((kind for name, kind in _COMPOUND_KINDS if name.encode("utf-16-le") in body), _OFFICE)
    named = _of_container(start) or next((kind for magic, kind in _STARTS if start.startswith(magic)), None)
    if named is not None:
        return None if _is_prose(start, named) else named
    markup = _XML.match(start)
    return _XML_KINDS[markup[1].lower()] if markup else None


def _of_container(start: bytes) -> tuple[str, str] | None:
    """The kind of files whose first bytes only say what holds the content."""
    if start[4:8] == b"ftyp":
        return next((kind for brand, kind in _BRANDS if start[8:].startswith(brand)), _VIDEO)
    if start.startswith(b"RIFF"):
        return _RIFF.get(start[8:12])
    if start[257:262] == b"ustar":
        return _PACKED
    return _KINDLE if start[60:68] == b"BOOKMOBI" else None


def _is_prose(start: bytes, kind: tuple[str, str]) -> bool:
    """Whether a text only happens to begin with the letters of a program or a sound file ("MZ", "ID3")."""
    return (
        kind in {_PROGRAM, _SOUND, _PACKED} and start.isascii() and b"\0" not in start and start[:2].isalpha()
    )


def _declared_kind(declared: str) -> tuple[str, str] | None:
    return next((kind for prefix, kind in _BY_DECLARED if declared.startswith(prefix)), None)
