"""Bytes of text files and plain pages as text that may be stored, by the charset labels that the web uses."""

import codecs
import re

import turbohtml

from webrag_desktop.text.printable import SURROGATES

# Where Python's codec of the standard's name is missing, or narrower than what pages so labelled hold.
_CODECS = {
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "x-mac-cyrillic": "mac-cyrillic",
    "macintosh": "mac-roman",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "big5": "big5hkscs",
}


def codec_of(label: str) -> str | None:
    """The name of the codec for a charset label of the WHATWG Encoding Standard, None for any other label.

    Labels for which the standard forbids decoding, or which only it knows, have none either.
    """
    try:
        name = (turbohtml.parse(b"", encoding=label).encoding or "").lower()
        return codecs.lookup(_CODECS.get(name, name)).name
    except (LookupError, ValueError):
        return None


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
FORBIDDEN = rf"\x00-\x08\x0e-\x1b\x1f\x7f{SURROGATES}"  # for a class of a pattern
_FORBIDDEN = re.compile(f"[{FORBIDDEN}]")
_FORBIDDEN_BYTES = bytes([*range(9), *range(0x0E, 0x1C), 0x1F, 0x7F])
_UTF16_SAMPLE = 1024  # bytes
_FEWEST_PAIRS = 4
_LARGEST_GUESS = 65_536  # bytes that a guess is made from
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_SPAN = 8192  # bytes read around a character beyond ASCII
_MARKUP = bytes.maketrans(b"<>&", b"   ")


def decode_text(body: bytes, content_type: str = "") -> str:
    """The text of ``body``: byte order mark, declared charset, UTF-16 by its zeros, UTF-8, then a guess.

    The guess goes by the frequencies of letters in the languages of each charset, and falls back to Windows-1252.
    Newlines become ``\\n``; byte order marks (files that were joined have them in mid-text, too), NUL, other control
    characters and lone surrogates are dropped.
    """
    text = _decode(body, content_type)
    return storable(_BREAKS.sub("\n", text)).replace("\ufeff", "")


def storable(text: str, instead: str = "") -> str:
    """``text`` without NUL, other control characters and lone surrogates; ``instead`` takes their places."""
    return _FORBIDDEN.sub(instead, text)


def utf16_of(start: bytes) -> str | None:
    """The byte order of UTF-16 text (``utf-16-le`` or ``utf-16-be``) by its mark or its zeros; None for any other."""
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return None
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if start.startswith(mark):
            return encoding
    sample = start[: min(_UTF16_SAMPLE, len(start) // 2 * 2)]
    pairs = len(sample) // 2
    if pairs < _FEWEST_PAIRS:
        return None
    first, second = sample[::2].count(0), sample[1::2].count(0)
    if first == 0 and second > pairs // 2:
        return _without_controls(sample, "utf-16-le")
    if second == 0 and first > pairs // 2:
        return _without_controls(sample, "utf-16-be")
    return None


def _without_controls(sample: bytes, encoding: str) -> str | None:
    """``encoding`` if what it makes of the sample is text."""
    text = sample.decode(encoding, "ignore")
    return (
        None if any(ord(character) < 32 and character not in "\t\n\r\f" for character in text) else encoding
    )


def is_storable(text: str) -> bool:
    """Whether :func:`storable` would leave ``text`` as it is; faster than asking it to."""
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return len(data.translate(None, _FORBIDDEN_BYTES)) == len(data)


def _decode(body: bytes, content_type: str) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    declared = _CHARSET.search(content_type)
    for name in (codec_of(declared[1]) if declared else None, utf16_of(body), "utf-8"):
        try:
            if name:
                return body.decode(name)
        except UnicodeError:
            continue
    return body.decode(_guess(body), "replace")


def _guess(body: bytes) -> str:
    """The codec that bytes beyond ASCII most likely are in: nearly clean UTF-8, or as browsers guess it."""
    sample = b"\n".join(_lines_beyond_ascii(body))
    if _is_nearly_utf8(sample):
        return "utf-8"
    page = turbohtml.parse(sample.translate(_MARKUP), detect_encoding=True, positions=False)
    codec = codec_of(page.encoding or "")
    return codec if codec and codec != "utf-8" and not codec.startswith("utf-16") else "cp1252"


def _lines_beyond_ascii(body: bytes) -> list[bytes]:
    """Spans with characters beyond ASCII, cut at line ends so that no character is cut in two."""
    found: list[bytes] = []
    size, end = 0, 0
    while size < _LARGEST_GUESS and (beyond := _NOT_ASCII.search(body, end)):
        start = max(end, beyond.start() - _SPAN // 8, body.rfind(b"\n", end, beyond.start()))
        end = beyond.start() + _SPAN
        line_end = body.find(b"\n", end, end + _SPAN)
        end = line_end if line_end >= 0 else end
        found.append(body[start:end])
        size += end - start
    return found


def _is_nearly_utf8(sample: bytes) -> bool:
    """Whether damage is rare (one character of a hundred beyond ASCII), as in a text cut in mid-character."""
    text = sample.decode("utf-8", "replace")
    beyond = sum(character > "\x7f" for character in text)
    return text.count("\ufffd") * 100 <= beyond


def strip_line_ends(text: str) -> str:
    """The text without blanks and tabs at the ends of its lines and empty lines around it."""
    if " \n" in text or "\t\n" in text or text[-1:] in " \t":
        text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return text.strip("\n")
