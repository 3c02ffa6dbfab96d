"""Kinds of files that hold no text for this program, told by their first bytes, and what to do with each."""

import re

from webrag_desktop.errors import ExtractionError

_PICTURE = ("a picture", "Add the page or the document that it belongs to.")
_VIDEO = ("a video", "Add the page it is shown on, or its transcript.")
_SOUND = ("a sound recording", "Add the page it belongs to, or its transcript.")
_PACKED = ("a packed file", "Unpack it and add the files in it.")
_PROGRAM = ("a program", "Add a text about it instead.")
_DATABASE = ("a database", "Export what you need as text or HTML and add that.")
_FONT = ("a font", "Add a text instead.")
_KINDLE = ("a Kindle book", "Convert it to EPUB and add that.")
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
    ("PowerPoint Document", ("a presentation", "Save it as PDF and add that.")),
    ("Workbook", ("a spreadsheet", "Save the tables you need as HTML or PDF and add that.")),
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
_LOOKED_AT = 4096  # bytes


def refusal(body: bytes, declared: str = "") -> ExtractionError | None:
    """The error that names what ``body`` is, where it is of a known kind without text; None for anything else.

    ``declared`` is a media type without parameters; it is asked only where the bytes look like no text.
    """
    found = _kind_of(body) or (_declared_kind(declared) if b"\0" in body[:_LOOKED_AT] else None)
    return unreadable(*found) if found else None


def unreadable(what: str, hint: str) -> ExtractionError:
    """The error for a file that is ``what`` ("a picture"); the hint says what to do instead."""
    return ExtractionError(f"This is {what}, and that cannot be read", hint)


def unreadable_kind() -> ExtractionError:
    """The error for a kind of file that the program neither reads nor knows."""
    return ExtractionError(
        "This kind of file cannot be read",
        "Web pages, Markdown, text, PDF, Word (.docx) and EPUB files can be added.",
    )


def _kind_of(body: bytes) -> tuple[str, str] | None:
    start = body[:_LOOKED_AT]
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
