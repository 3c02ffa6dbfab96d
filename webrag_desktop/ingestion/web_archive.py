"""Pages saved by Safari (``.webarchive``): a binary property list that holds the page and its parts."""

import plistlib
import struct
from typing import Any

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import damaged_file
from webrag_desktop.ingestion.saved_pages import SavedPage, saved_page
from webrag_desktop.models.documents import Capture

_TRAILER = struct.Struct(">6xBBQQQ")  # sizes of offsets and references, number of objects, root, offset table
_DAMAGE = (plistlib.InvalidFileException, ValueError, RecursionError, OverflowError, MemoryError, TypeError)


def read_web_archive(capture: Capture) -> SavedPage:
    """The page in a web archive as a capture of its own; frames and parts are left out.

    Raises :class:`~webrag_desktop.errors.ExtractionError` for a damaged file and for one without a page.
    """
    main = _main_resource(capture.body)
    body, kind = main.get("WebResourceData"), main.get("WebResourceMIMEType")
    if not isinstance(body, bytes) or kind not in {"text/html", "application/xhtml+xml"}:
        raise ExtractionError(
            "No page was found in this web archive", "Open it in a browser, save it as HTML, and add that."
        )
    charset, address = main.get("WebResourceTextEncodingName"), main.get("WebResourceURL")
    declared = f"text/html; charset={charset}" if isinstance(charset, str) else "text/html"
    inner = capture.model_copy(update={"body": body, "headers": (("Content-Type", declared),)})
    return saved_page(inner, address if isinstance(address, str) else None)


def _main_resource(body: bytes) -> dict[str, Any]:
    if len(body) < _TRAILER.size or _TRAILER.unpack(body[-_TRAILER.size :])[2] > len(body):
        raise damaged_file()  # more objects than bytes: the library would make room for all of them
    try:
        archive = plistlib.loads(body, fmt=plistlib.FMT_BINARY)
    except _DAMAGE as error:
        raise damaged_file() from error
    main = archive.get("WebMainResource") if isinstance(archive, dict) else None
    if not isinstance(main, dict):
        raise damaged_file()
    return main
