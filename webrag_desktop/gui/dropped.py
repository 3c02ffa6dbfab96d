"""What a drop or a paste brings: links and files, in whatever shape browsers and file managers send them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QMimeData, QUrl

from webrag_desktop.gui.link_files import LINK_SUFFIXES, link_in

READABLE_SUFFIXES = (".html", ".htm", ".xhtml", ".md", ".markdown", ".txt")
LONGEST_TEXT = 2_000_000  # characters of a dropped text that are looked through
MOST_ITEMS = 10_000

# Each holds one address per odd line and its title on the even ones; UTF-16 where the browser is Firefox.
_ADDRESS_AND_TITLE = ("text/x-moz-url", "_NETSCAPE_URL")
_ADDRESSES = ("text/x-moz-url-data", "text/x-moz-url-priv", "public.url", "x-special/gnome-copied-files")
_WINDOWS = (
    'application/x-qt-windows-mime;value="UniformResourceLocatorW"',
    'application/x-qt-windows-mime;value="UniformResourceLocator"',
)

_IN_TEXT = re.compile(r"(?:https?://|www\.)[^\s<>\"“”«»\x00-\x1f]+", re.IGNORECASE)
_BARE = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?:[:/?#]\S*)?", re.IGNORECASE)
_TRAILING = ".,;:!?'’…*_|"
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Dropped:
    """Links and paths of files, each once and in order; ``refused`` says in sentences what cannot be taken."""

    links: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def given(self) -> tuple[str, ...]:
        """Everything to add."""
        return self.links + self.files

    def counted(self) -> str:
        """ "3 links and 1 file"; empty where there is nothing."""
        parts = []
        if self.links:
            parts.append(_tr("1 link") if len(self.links) == 1 else _tr("{0} links").format(len(self.links)))
        if self.files:
            parts.append(_tr("1 file") if len(self.files) == 1 else _tr("{0} files").format(len(self.files)))
        return _tr(" and ").join(parts)

    def sentence(self) -> str:
        """What letting go will do."""
        if self.given:
            return _tr("Release to add {0}.").format(self.counted())
        return self.refused[0] if self.refused else _tr("There is no link or file in this.")


def links_and_files(mime: QMimeData | None) -> Dropped:
    """Everything that can be added of what was dropped or copied. Explicit links win over text that holds some."""
    if mime is None:
        return Dropped()
    addresses = list(_explicit(mime))
    if not addresses and mime.hasHtml():
        addresses = list(_of_html(mime.html()[:LONGEST_TEXT]))
    if not addresses and mime.hasText():
        return from_text(mime.text())
    return _sorted(addresses)


def from_text(text: str) -> Dropped:
    """The links of a text, and the paths of files that stand alone on a line."""
    return _sorted(_of_text(text[:LONGEST_TEXT]))


# -- Shapes ---------------------------------------------------------------------------------------------------


def _explicit(mime: QMimeData) -> Iterator[str]:
    yield from (url.toString(QUrl.ComponentFormattingOption.FullyEncoded) for url in mime.urls())
    for name in _ADDRESS_AND_TITLE:
        yield from _lines(mime, name)[::2]
    for name in (*_ADDRESSES, *_WINDOWS):
        yield from _lines(mime, name)


def _lines(mime: QMimeData, name: str) -> list[str]:
    if not mime.hasFormat(name):
        return []
    content = bytes(mime.data(name).data())[: 4 * LONGEST_TEXT]
    return [line.strip() for line in _decoded(content).splitlines() if line.strip()]


def _decoded(content: bytes) -> str:
    """Bytes that are UTF-8 or UTF-16, with or without a mark that tells so."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace").replace("\x00", "")
    if b"\x00" in content[1:2] or content[1:4:2] == b"\x00\x00":
        return content.decode("utf-16-le", errors="replace").partition("\x00")[0]
    return content.decode("utf-8-sig", errors="replace").partition("\x00")[0]


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.addresses += [value for name, value in attrs if name == "href" and value]


def _of_html(html: str) -> Iterator[str]:
    anchors = _Anchors()
    anchors.feed(html)
    anchors.close()
    yield from (address for address in anchors.addresses if _is_web(address))


def _of_text(text: str) -> Iterator[str]:
    for line in text.splitlines():
        alone = line.strip().strip("\"'<>")
        if _is_path(alone) or (_BARE.fullmatch(alone) and not alone.lower().endswith(READABLE_SUFFIXES)):
            yield alone
        else:
            yield from (_trimmed(found[0]) for found in _IN_TEXT.finditer(line))


def _trimmed(address: str) -> str:
    """Without the punctuation of the sentence around it; a bracket stays where the address opened it."""
    while address:
        last = address[-1]
        if last in _TRAILING or (last in _PAIRS and address.count(last) > address.count(_PAIRS[last])):
            address = address[:-1]
        else:
            break
    return address


# -- Sorting --------------------------------------------------------------------------------------------------


def _sorted(addresses: Iterable[str]) -> Dropped:
    links: dict[str, None] = {}
    files: dict[str, None] = {}
    refused: dict[str, None] = {}
    for address in addresses:
        if len(links) + len(files) >= MOST_ITEMS:
            refused[_tr("Only the first {0} were taken.").format(f"{MOST_ITEMS:,}")] = None
            break
        _sort(address, links, files, refused)
    return Dropped(tuple(links), tuple(files), tuple(refused))


def _sort(address: str, links: dict[str, None], files: dict[str, None], refused: dict[str, None]) -> None:
    if not address or address.startswith("#"):
        return
    if _is_web(address) or _BARE.fullmatch(address):
        links[address] = None
    elif (path := _local_path(address)) is not None:
        _sort_file(path, links, files, refused)
    elif "://" in address or address.partition(":")[0].lower() in {
        "javascript",
        "data",
        "blob",
        "about",
        "mailto",
    }:
        refused[_tr("Only addresses of web pages (http and https) can be added.")] = None


def _sort_file(path: Path, links: dict[str, None], files: dict[str, None], refused: dict[str, None]) -> None:
    suffix = path.suffix.lower()
    if suffix in LINK_SUFFIXES and path.is_file():
        held = link_in(path)
        if held is not None and _is_web(held):
            links[held] = None
        else:
            refused[_tr("{0} holds no link to a web page.").format(path.name)] = None
    elif suffix in READABLE_SUFFIXES and not path.is_dir():
        files[str(path)] = None
    elif path.is_dir():
        refused[_tr("Folders cannot be added yet; drop the files in them.")] = None
    else:
        refused[_tr("This kind of file cannot be read yet: {0}").format(path.name)] = None


def _is_web(address: str) -> bool:
    lowered = address[:8].lower()
    if lowered.startswith("www."):
        return True
    if not lowered.startswith(("http://", "https://")):
        return False
    try:
        return bool(urlsplit(address).hostname)
    except ValueError:
        return False


def _is_path(text: str) -> bool:
    if text.lower().startswith("file:"):
        return True
    rooted = text.startswith(("/", "~/", "\\\\")) or re.match(r"[A-Za-z]:[\\/]", text) is not None
    return rooted and Path(text).suffix.lower() in (*READABLE_SUFFIXES, *LINK_SUFFIXES)


def _local_path(address: str) -> Path | None:
    if address.lower().startswith("file:"):
        url = QUrl(address)
        return Path(url.toLocalFile()) if url.isLocalFile() else None
    return Path(address).expanduser() if _is_path(address) else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("Dropped", text)
