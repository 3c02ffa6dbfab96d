"""Files that only hold a link: ``.url`` (Windows), ``.webloc`` (macOS), ``.desktop`` (Linux). Read, never run."""

import re
from pathlib import Path

from webrag_desktop.errors.opening import file_content

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
