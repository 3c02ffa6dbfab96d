"""What a drop or a paste brings: links and files, in whatever shape browsers and file managers send them."""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMimeData, QUrl

from webrag_desktop.gui.adding.link_text import (
    LINK_SUFFIXES,
    address_in_sections,
    addresses_in_html,
    addresses_in_text,
    is_bare,
    is_whole_address,
    link_in,
    trimmed,
)
from webrag_desktop.gui.data.import_report import Unlinked
from webrag_desktop.models.formats import READABLE_SUFFIXES

LARGEST = 8_000_000  # bytes of one format that are read
# Seen in the wild: Firefox sends ``text/x-moz-url`` in UTF-16, for a folder of bookmarks with many pairs of lines;
# Chromium ``text/uri-list`` and ``_NETSCAPE_URL``; file managers ``text/uri-list`` with CRLF and comments, GNOME's and
# KDE's their own beside it; Windows ``UniformResourceLocatorW`` or the contents of a ``.url`` file that is not yet on
# disk; Safari ``public.url``, which Qt turns into ``text/uri-list``.
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
    """What was given as links or files; the same one may come several times."""
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
    """Bytes that are UTF-8 or UTF-16, with or without a byte order mark, up to their first NUL character."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif content[1:2] == b"\x00":
        encoding = "utf-16-le"
    elif content[:1] == b"\x00":
        encoding = "utf-16-be"
    else:
        encoding = "utf-8-sig"
    return content.decode(encoding, errors="replace").removeprefix("\ufeff").partition("\x00")[0]


READABLE_NAMES = " ".join(f"*{suffix}" for suffix in READABLE_SUFFIXES)
"""Patterns of the names of readable files, as dialogs that choose files want them."""

LONGEST_TEXT = 2_000_000  # characters of a dropped text that are searched
MOST_ITEMS = 10_000
_MOST_LOOKED_AT = 6 * MOST_ITEMS  # the same ones come in several formats
_LONGEST_NAME = 4096  # characters of a path; systems allow no more
_SHOWN_NAME = 56
_MOST_NAMED = 5  # lines without a link that are named one by one

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)  # of two letters or more: "C:" is a drive
_ENDING = re.compile(r"\.[a-z][a-z0-9]{1,4}")  # of a file; names of folders seldom end so
ROOTED = re.compile(r"/|~/|\\\\|[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Dropped:
    """Links, paths of files and of folders, each once and in order; ``refused`` says in sentences what cannot be taken.

    ``unlinked`` names all that is left out, texts that are no link among it.

    At first sight a folder is whatever may be one. ``unread`` is everything that came, where files of it have yet to be
    looked at (:func:`looked_into`). ``into`` names the collection that it was dropped on.
    """

    links: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    unlinked: tuple[Unlinked, ...] = ()
    unread: tuple[str, ...] = ()
    into: str = ""

    @property
    def given(self) -> tuple[str, ...]:
        """What is added at once; folders are previewed first."""
        return self.links + self.files

    @property
    def is_wanted(self) -> bool:
        """Whether there is something to add, or to look through."""
        return bool(self.links or self.files or self.folders)

    def counted(self) -> str:
        """ "3 links, 1 file and 1 folder"; empty where there is nothing."""
        parts = [
            _counted(len(self.links), _tr("1 link"), _tr("{0} links")),
            _counted(len(self.files), _tr("1 file"), _tr("{0} files")),
            _counted(len(self.folders), _tr("1 folder"), _tr("{0} folders")),
        ]
        *before, last = list(filter(None, parts)) or [""]
        return _tr("{0} and {1}").format(_tr(", ").join(before), last) if before else last

    def sentence(self) -> str:
        """What letting go will do."""
        if self.given and self.into:
            return _tr("Release to add {0} to “{1}”.").format(self.counted(), self.into)
        if self.given:
            return _tr("Release to add {0}.").format(self.counted())
        if self.folders:
            return _tr("Release to see what is in {0}.").format(self.counted())
        return self.refused[0] if self.refused else _tr("There is no link or file in this.")


def looked_into(seen: Dropped) -> Dropped:
    """The same, with whether files are folders, and the links in files that only hold one (at most 64 KB).

    On a network drive that may take long; any thread.
    """
    if not seen.unread:
        return seen
    texts = tuple(one for one in seen.unlinked if one.reason not in seen.refused)
    found = _sorted(seen.unread, looks=True)
    return replace(found, unlinked=found.unlinked + texts, into=seen.into)


def at_first_sight(mime: QMimeData | None) -> Dropped:
    """What seems to be in it by shapes and names: quick, since no file is touched."""
    if mime is None:
        return Dropped()
    for addresses in (explicit_addresses(mime), _of_html(mime)):
        found = _sorted(addresses, looks=False)
        if found.is_wanted or found.refused:
            return found
    text = text_of(mime)
    found = _sorted(_of_text(text), looks=False)
    if not found.is_wanted and not found.refused:
        promised = _sorted(promised_addresses(mime), looks=False)
        if promised.is_wanted or promised.refused:
            return promised
    return replace(found, unlinked=found.unlinked + _unlinked(text))


def from_text(text: str) -> Dropped:
    """The links of a text; hosts and the paths of files count where they are alone on a line."""
    return _sorted(_of_text(text), looks=True)


def _of_html(mime: QMimeData) -> Iterator[str]:
    if mime.hasHtml():
        yield from addresses_in_html(mime.html()[:LONGEST_TEXT])


def _of_text(text: str) -> Iterator[str]:
    for line in text[:LONGEST_TEXT].splitlines():
        alone = line.strip().strip("\"'<>")
        if len(alone) <= _LONGEST_NAME and (_is_path(alone) or _is_other_scheme(alone)):
            yield alone
        elif is_bare(bare := trimmed(alone)) and not is_whole_address(bare):
            yield bare
        else:
            yield from addresses_in_text(line)


def _unlinked(text: str) -> tuple[Unlinked, ...]:
    """The lines of a text that hold no link; prose of many lines is named by its beginning, once."""
    lines = [line for line in text[:LONGEST_TEXT].splitlines() if line.strip()]
    left = [" ".join(line.split()) for line in lines if next(_of_text(line), None) is None]
    if not left:
        return ()
    if len(left) > _MOST_NAMED:
        reason = _tr("{0} lines hold no link. They begin: “{1}”")
        return (Unlinked("\n".join(left), reason.format(f"{len(left):,}", _first_words(left[0]))),)
    reason = _tr("“{0}” is no link or file.")
    return tuple(Unlinked(line, reason.format(_first_words(line))) for line in left)


def _first_words(line: str) -> str:
    """The beginning of a text, cut after a word."""
    if len(line) <= _SHOWN_NAME:
        return line
    cut = line[:_SHOWN_NAME]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _is_other_scheme(text: str) -> bool:
    """Whether a text is nothing but an address that no page has, so that it is worth saying so."""
    return " " not in text and bool(
        re.match(r"(?:javascript|data|blob|about|mailto|ftp):\S", text, re.IGNORECASE)
    )


# -- Sorting --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Sorting:
    """Links and files by what makes them the same, and the sentences of what was refused."""

    looks: bool  # at files; else their names must do
    links: dict[str, str] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    folders: dict[str, None] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    has_files: bool = False

    def take(self, address: str) -> None:
        if is_whole_address(address) or is_bare(address):
            self.links.setdefault(_key(address), address)
        elif (path := _local_path(address)) is not None:
            self.has_files = True
            self._take_file(path)
        elif address.lower().startswith("file:"):
            self._refuse(_tr("This file is on another computer; copy it to this one first."), address)
        elif _SCHEME.match(address):
            self._refuse(_tr("Only addresses of web pages (http and https) can be added."), address)

    def _refuse(self, sentence: str, given: str) -> None:
        self.refused.setdefault(sentence, []).append(given)

    def _take_file(self, path: Path) -> None:
        suffix = path.suffix.lower()
        if _is_unreadable(path, looks=self.looks):
            sentence = _tr(
                "The name of {0} holds something that cannot be read (it is not UTF-8). Rename it first."
            )
            self._refuse(sentence.format(_name(path)), _name(path))
        elif self.looks and _is_folder(path):
            self.folders[str(path)] = None
        elif suffix in READABLE_SUFFIXES:  # a missing one is reported when it is read
            self.files[str(path)] = None
        elif suffix in LINK_SUFFIXES:
            self._take_link_file(path)
        elif not self.looks and not _ENDING.fullmatch(suffix):
            self.folders[str(path)] = None
        else:
            self._refuse(_tr("This kind of file cannot be read: {0}").format(_name(path)), str(path))

    def _take_link_file(self, path: Path) -> None:
        if not self.looks:
            self.files[str(path)] = None
            return
        held = link_in(path)
        if held is not None and is_whole_address(held):
            self.links.setdefault(_key(held), held)
        else:
            self._refuse(_tr("{0} holds no link to a web page.").format(_name(path)), str(path))


def _sorted(addresses: Iterable[str], *, looks: bool) -> Dropped:
    sorting = _Sorting(looks)
    came = list(islice(addresses, _MOST_LOOKED_AT))
    for address in came:
        sorting.take(address)
        if len(sorting.links) + len(sorting.files) > MOST_ITEMS:
            (sorting.links or sorting.files).popitem()
            sorting.refused[_tr("Only the first {0} were taken.").format(f"{MOST_ITEMS:,}")] = [address]
            break
    unread = tuple(came) if sorting.has_files and not looks else ()
    return Dropped(
        links=tuple(sorting.links.values()),
        files=tuple(sorting.files),
        folders=tuple(sorting.folders),
        refused=tuple(sorting.refused),
        unlinked=tuple(
            Unlinked(given, reason) for reason, all_given in sorting.refused.items() for given in all_given
        ),
        unread=unread,
    )


def _key(address: str) -> str:
    """The same for two spellings of one address, such as an escaped and a plain one."""
    url = QUrl(address if "://" in address else f"https://{address}")
    if not url.path():
        url.setPath("/")
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded) or address


def _is_path(text: str) -> bool:
    if text.lower().startswith("file:"):
        return True
    return bool(ROOTED.match(text)) and Path(text).suffix.lower() in (*READABLE_SUFFIXES, *LINK_SUFFIXES)


def _local_path(address: str) -> Path | None:
    if address.lower().startswith("file:"):
        url = QUrl(address)
        here = url.isLocalFile() and (url.host() in {"", "localhost"} or sys.platform == "win32")
        local = url.toLocalFile() if here else ""
        return Path(local) if local and "\x00" not in local else None
    if not _is_path(address) or "\x00" in address:
        return None
    try:
        return Path(address).expanduser()
    except RuntimeError:  # no such home
        return None


def _name(path: Path) -> str:
    """The name of a file, its middle left out where it would fill a sentence."""
    name = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", path.name)
    return name if len(name) <= _SHOWN_NAME else f"{name[: _SHOWN_NAME - 16]}…{name[-15:]}"


def _is_unreadable(path: Path, *, looks: bool) -> bool:
    """Whether the system's name was not UTF-8: what replaces its bytes here names no file."""
    if any("\ud800" <= character <= "\udfff" for character in str(path)):
        return True
    try:
        return looks and "\N{REPLACEMENT CHARACTER}" in str(path) and not path.exists()
    except OSError:
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # too long a name, or one that no system allows
        return False


def _counted(count: int, one: str, many: str) -> str:
    if not count:
        return ""
    return one if count == 1 else many.format(f"{count:,}")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Dropped", text)
