"""What a fetched file is by its own bytes, whatever its server says: only what shows a page is kept."""

import re

from webrag_desktop.models.documents import Capture
from webrag_desktop.models.subresources import SubresourceKind

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO", "font/otf"),
    (b"\0\1\0\0", "font/ttf"),
    (b"true", "font/ttf"),
)
_SVG = re.compile(
    rb"\s*+(?:<\?xml[^>]{0,300}>\s*+)?(?:<!--[^>]{0,2000}>\s*+){0,5}(?:<!DOCTYPE svg[^>]{0,300}>\s*+)?<svg[\s>]",
    re.IGNORECASE,
)
_BEGINNING = 4096
_MARKUP = re.compile(rb"\s*+(?:<!doctype|<html|<\?xml|<head|<body|<script)", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([-\w.:]{1,40})")


def media_type_of(capture: Capture, wanted: SubresourceKind) -> str | None:
    """The media type of what came, where it is of the kind that was ``wanted``; None where it is something else.

    A stylesheet may refer to a font outside of the rule for fonts, and the other way round: either is taken.
    """
    beginning = capture.body[:_BEGINNING].removeprefix(b"\xef\xbb\xbf")
    if wanted == "stylesheet":
        declared = (capture.header("content-type") or "text/css").lower()
        fits = declared.startswith(
            ("text/css", "text/plain", "application/octet-stream", "application/x-css")
        )
        if not fits or _MARKUP.match(beginning) or b"\0" in beginning:
            return None
        charset = _CHARSET.search(declared)
        return f"text/css; charset={charset[1]}" if charset else "text/css"
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    if beginning[4:8] == b"ftyp" and beginning[8:12] in {b"avif", b"avis"}:
        return "image/avif"
    if _SVG.match(beginning):
        return "image/svg+xml"
    return next((name for signature, name in _SIGNATURES if beginning.startswith(signature)), None)
