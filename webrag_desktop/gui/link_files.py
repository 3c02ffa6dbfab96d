"""Files that only hold a link: ``.url`` (Windows), ``.webloc`` (macOS), ``.desktop`` (Linux). Read, never run."""

import configparser
import plistlib
from pathlib import Path
from xml.parsers.expat import ExpatError

LINK_SUFFIXES = (".url", ".webloc", ".desktop")
LARGEST = 64 * 1024  # bytes; a link file has a few hundred


def link_in(path: Path) -> str | None:
    """The address such a file holds; None where it holds none, is too large or cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError:
        return None
    if len(content) > LARGEST:
        return None
    if path.suffix.lower() == ".webloc":
        return _of_webloc(content)
    return _of_sections(content)


def _of_webloc(content: bytes) -> str | None:
    try:
        held = plistlib.loads(content)
    except (plistlib.InvalidFileException, ExpatError, ValueError, OverflowError, RecursionError):
        return None
    address = held.get("URL") if isinstance(held, dict) else None
    return address if isinstance(address, str) else None


def _of_sections(content: bytes) -> str | None:
    """The ``URL`` of ``[InternetShortcut]``, or of a ``[Desktop Entry]`` that is a link."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(content.decode("utf-8-sig", errors="replace"))
    except configparser.Error:
        return None
    if parser.get("Desktop Entry", "Type", fallback="") == "Link":
        return parser.get("Desktop Entry", "URL", fallback=None)
    return parser.get("InternetShortcut", "URL", fallback=None)
