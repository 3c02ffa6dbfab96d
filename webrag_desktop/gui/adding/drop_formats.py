"""The formats in which browsers and file managers hand over links and files, read into plain addresses.

Seen in the wild: Firefox sends ``text/x-moz-url`` in UTF-16, for a folder of bookmarks with many pairs of lines;
Chromium ``text/uri-list`` and ``_NETSCAPE_URL``; file managers ``text/uri-list`` with CRLF and comments, GNOME's and
KDE's their own beside it; Windows ``UniformResourceLocatorW`` or the contents of a ``.url`` file that is not yet on
disk; Safari ``public.url``, which Qt turns into ``text/uri-list``.
"""

from collections.abc import Iterator

from PySide6.QtCore import QMimeData

from webrag_desktop.gui.adding.link_files import address_in_sections

LARGEST = 8_000_000  # bytes of one format that are looked at
_ADDRESSES = (
    "text/uri-list",
    "application/x-kde4-urilist",
    "x-special/gnome-copied-files",
    "text/x-moz-url-data",
    "text/x-moz-text-internal",  # a tab of Firefox
    "public.url",
    "public.file-url",
    'application/x-qt-windows-mime;value="UniformResourceLocatorW"',
    'application/x-qt-windows-mime;value="UniformResourceLocator"',
)
_ADDRESS_AND_TITLE = ("text/x-moz-url", "_NETSCAPE_URL")
_PROMISED = "application/x-moz-file-promise-url"
_FILE_CONTENTS = 'application/x-qt-windows-mime;value="FileContents"'
_GNOME_VERBS = frozenset(("copy", "cut"))
_TEXTS = ("text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "text/unicode", "STRING", "TEXT")


def explicit_addresses(mime: QMimeData) -> Iterator[str]:
    """What was handed over as links or files; the same one may come several times."""
    for name in _ADDRESSES:
        yield from (line for line in _lines(mime, name) if line[0] != "#" and line not in _GNOME_VERBS)
    for name in _ADDRESS_AND_TITLE:
        yield from _lines(mime, name)[::2]
    if mime.hasFormat(_FILE_CONTENTS):
        yield from filter(None, [address_in_sections(_content(mime, _FILE_CONTENTS))])


def promised_addresses(mime: QMimeData) -> Iterator[str]:
    """Where a browser would fetch the file from that it offers; only of use where it sends nothing else."""
    yield from _lines(mime, _PROMISED)


def text_of(mime: QMimeData) -> str:
    """The plain text, whatever its format is called."""
    for name in _TEXTS:
        if mime.hasFormat(name) and (text := decoded(_content(mime, name))):
            return text
    return mime.text()


def _lines(mime: QMimeData, name: str) -> list[str]:
    if not mime.hasFormat(name):
        return []
    return [stripped for line in decoded(_content(mime, name)).splitlines() if (stripped := line.strip())]


def _content(mime: QMimeData, name: str) -> bytes:
    return bytes(mime.data(name).data())[:LARGEST]


def decoded(content: bytes) -> str:
    """Bytes that are UTF-8 or UTF-16, with or without a mark that tells so, up to their first NUL character."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif content[1:2] == b"\x00":
        encoding = "utf-16-le"
    elif content[:1] == b"\x00":
        encoding = "utf-16-be"
    else:
        encoding = "utf-8-sig"
    return content.decode(encoding, errors="replace").removeprefix("\ufeff").partition("\x00")[0]
