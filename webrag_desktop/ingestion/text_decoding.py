"""Bytes of text files and plain pages to text that may be stored."""

import codecs
import re

from webrag_desktop.ingestion.charsets import codec_of

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_FORBIDDEN = re.compile("[\0-\x08\x0e-\x1b\x1f\x7f\ud800-\udfff]")


def decode_text(body: bytes, content_type: str = "") -> str:
    """The text of ``body``: byte order mark, then the declared charset, UTF-8, and Windows-1252.

    Newlines become ``\\n``; the byte order mark, NUL, other control characters and lone surrogates are dropped.
    """
    text = _decode(body, content_type)
    return storable(_BREAKS.sub("\n", text)).removeprefix("\ufeff")


def storable(text: str, instead: str = "") -> str:
    """``text`` without NUL, other control characters and lone surrogates; ``instead`` takes their places."""
    return _FORBIDDEN.sub(instead, text)


def _decode(body: bytes, content_type: str) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    declared = _CHARSET.search(content_type)
    for name in (codec_of(declared[1]) if declared else None, "utf-8"):
        try:
            if name:
                return body.decode(name)
        except UnicodeError:
            continue
    return body.decode("cp1252", "replace")


def strip_line_ends(text: str) -> str:
    """The text without blanks and tabs at the ends of its lines and empty lines around it."""
    if " \n" in text or "\t\n" in text or text[-1:] in " \t":
        text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return text.strip("\n")
