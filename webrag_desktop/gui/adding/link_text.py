"""Finds addresses in text, HTML and link files. Every step is linear: what is dropped may be hostile."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from webrag_desktop.errors.opening import file_content
from webrag_desktop.models.formats import DOCUMENT_SUFFIXES
from webrag_desktop.text.links import is_web
from webrag_desktop.text.printable import CONTROLS
from webrag_desktop.text.skeletons import unescaped

LONGEST_ADDRESS = 8192  # characters; servers refuse longer request lines
_NO_PART = r"\s<>\"“”„«»「」『』【】《》。，、；！？…" + CONTROLS
# What begins with another scheme is passed over whole: the address inside "blob:https://…" is no page.
_IN_TEXT = re.compile(
    r"(?<![a-z0-9])(?:javascript|vbscript|data|blob|about|filesystem|view-source|(?:chrome|moz)-extension)"
    rf":[^\s<>\"]+|(?<![a-z0-9+.@/-])((?:https?://|www\.)[^{_NO_PART}]+)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:(?:[\w-]+\.)+(?:[^\W\d_]{2,}|xn--[\w-]+)(?::\d{1,5})?(?:[/?#]\S*)?"
    r"|(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?:/\S*|:\d{1,5}(?:[/?#]\S*)?))",
    re.IGNORECASE,
)
# "notes.md" and "Node.js" are names of files and things, although their endings are those of countries.
_NO_HOST = re.compile(
    rf"[^/?#:]*(?:{'|'.join(map(re.escape, sorted(DOCUMENT_SUFFIXES)))}|\.(?:xlsx?|pptx?|ods|csv|json|ya?ml|toml"
    r"|xml|ini|cfg|js|ts|py|rs|rb|sh|pl|cs|cpp|hpp|java|css|sql|zip|gz|tar|exe|dll|app|so|png|jpe?g|gif|svg|webp|ico"
    r"|mp[34]|mov|avi|wav|url|webloc|desktop|lnk))",
    re.IGNORECASE,
)
_WWW = re.compile(r"www\.[^\s./]+\.[^\s.]", re.IGNORECASE)
_TRAILING = ".,;:!?'’*|"
_PAIRS = {")": "(", "]": "[", "}": "{", "）": "（"}
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+)>", re.IGNORECASE)
_HREF = re.compile(r"(?<![\w-])href\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_SILENT = frozenset(("script", "style", "title", "head", "template", "noscript", "a"))
_INLINE = frozenset("abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup u wbr".split())


def is_whole_address(address: str) -> bool:
    """Whether it is a whole address of a page: http, https, or beginning with "www."."""
    if len(address) > LONGEST_ADDRESS or re.search(rf"[\s{CONTROLS}]", address):
        return False
    if _WWW.match(address):
        address = f"https://{address}"
    elif not is_web(address):
        return False
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket without its partner, or a port beyond all ports
        return False


def is_bare(text: str) -> bool:
    """Whether a text by itself is an address without its scheme, as "example.org/page"."""
    return len(text) <= LONGEST_ADDRESS and bool(_BARE.fullmatch(text)) and not _NO_HOST.fullmatch(text)


def addresses_in_text(text: str) -> Iterator[str]:
    """The addresses with a scheme, or beginning with "www.", anywhere in a text."""
    for found in _IN_TEXT.finditer(text):
        if found[1] and is_whole_address(address := trimmed(found[1])):
            yield address


def trimmed(address: str) -> str:
    """Without the punctuation of the sentence around it; a bracket stays where the address opened it."""
    counts, end = Counter(address), len(address)
    while end:
        last = address[end - 1]
        if last in _PAIRS and counts[last] > counts[_PAIRS[last]]:
            counts[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def addresses_in_html(html: str) -> Iterator[str]:
    """The targets of its links, and the addresses in the text beside them, in order."""
    html = _without_comments(html)
    words: list[str] = []
    silent, position = "", 0
    for tag in _TAG.finditer(html):
        closes, name = bool(tag[1]), tag[2].lower()
        if not silent:
            words.append(html[position : tag.start()])
            if name not in _INLINE:
                words.append("\n")
        position = tag.end()
        if closes and name == silent:
            silent = ""
        elif not closes and name in _SILENT and silent in {"", "a"}:
            silent = name
        if name == "a" and not closes and silent == "a":
            yield from addresses_in_text(unescaped("".join(words)))
            words.clear()
            yield from _target(tag[3])
    if not silent:
        words.append(html[position:])
    yield from addresses_in_text(unescaped("".join(words)))


def _target(attributes: str) -> Iterator[str]:
    found = _HREF.search(attributes)
    if found is not None:
        address = unescaped(found[1] or found[2] or found[3] or "").strip()
        if is_whole_address(address):
            yield address


def _without_comments(html: str) -> str:
    kept: list[str] = []
    position = 0
    while (start := html.find("<!--", position)) >= 0:
        kept.append(html[position:start])
        end = html.find("-->", start + 4)
        if end < 0:
            return "".join(kept)
        position = end + 3
    return "".join([*kept, html[position:]])


LINK_SUFFIXES = (".url", ".webloc", ".desktop")
LARGEST = 64 * 1024  # bytes; a link file has a few hundred
_URL = re.compile(r"URL(?:\[\$e\])?")  # KDE marks addresses in which variables would be expanded


def link_in(path: Path) -> str | None:
    """The address such a file holds; None where it holds none, is too large or cannot be read.

    Reads at most ``LARGEST`` bytes of a regular file; on a network drive even that may take long.
    """
    try:
        content = file_content(path, LARGEST)
    except (OSError, ValueError):
        return None
    return _of_webloc(content) if path.suffix.lower() == ".webloc" else address_in_sections(content)


def _of_webloc(content: bytes) -> str | None:
    import plistlib  # seldom needed, and the window would wait for it
    from xml.parsers.expat import ExpatError

    broken = (ExpatError, AttributeError, LookupError, MemoryError, OverflowError, RecursionError, TypeError)
    try:
        held = plistlib.loads(content)
    except (*broken, ValueError):  # of which InvalidFileException is one
        return None
    address = held.get("URL") if isinstance(held, dict) else None
    return address if isinstance(address, str) else None


def address_in_sections(content: bytes) -> str | None:
    """The ``URL`` of ``[InternetShortcut]``, or of a ``[Desktop Entry]`` that is a link."""
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    section, found = "", dict[tuple[str, str], str]()
    for line in content.decode("utf-16" if wide else "utf-8-sig", errors="replace").splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            section = stripped[1:-1]
        name, equals, value = stripped.partition("=")
        if equals:
            name = "URL" if _URL.fullmatch(name.strip()) else name.strip()
            found.setdefault((section, name), value.strip())
    if found.get(("Desktop Entry", "Type")) == "Link":
        return found.get(("Desktop Entry", "URL"))
    return found.get(("InternetShortcut", "URL"))
