"""Bytes that are no clean text, and characters that deceive the eye or the database."""

import codecs

from tests.hostile.cases import BytesCase, Case, Gives, Outcome, documentation, page
from webrag_desktop.ingestion.reading_process.process import Reading

KEPT = Gives(("before", "after"))


def _bytes(
    name: str, what: str, body: bytes, outcome: Outcome = KEPT, content_type: str = "text/html"
) -> BytesCase:
    return BytesCase(name, what, lambda: body, outcome, content_type=content_type)


def _is_short(read: Reading) -> bool:
    return len(read.document.markdown) < 500_000


CASES: tuple[Case, ...] = (
    _bytes(
        "nul-in-html",
        "NUL bytes in text, tags and attributes",
        b"<p>be\0fore<p cl\0ass='a\0b'>\0after\0",
        Gives(("after",), without=("\0",)),
    ),
    _bytes(
        "nul-in-text",
        "NUL bytes far into a text file",
        b"before " + b"word " * 2000 + b"\0 after",
        Gives(("before", "after"), without=("\0",)),
        "text/plain",
    ),
    _bytes(
        "surrogates-in-utf-8", "lone surrogates written as UTF-8", b"<p>before \xed\xa0\x80\xed\xb0\x80 after"
    ),
    _bytes(
        "surrogate-references",
        "character references to surrogates, NUL and beyond Unicode",
        b"<p>before &#xD800;&#xDFFF;&#0;&#x110000;&#99999999999; after",
    ),
    _bytes(
        "surrogates-in-utf-16",
        "lone surrogates in UTF-16",
        codecs.BOM_UTF16_LE + "<p>before ".encode("utf-16-le") + b"\x00\xd8" + " after".encode("utf-16-le"),
    ),
    _bytes(
        "overlong-utf-8",
        "slashes and NUL in overlong UTF-8",
        b"<p>before \xc0\xaf\xe0\x80\xaf\xc0\x80 after",
        Gives(("before", "after"), without=("\0",)),
    ),
    _bytes(
        "overlong-tag",
        "an overlong < that must not open a tag",
        b"<p>before \xc0\xbcscript\xc0\xbealert(1)\xc0\xbc/script\xc0\xbe after",
        Gives(("before", "after"), without=("<script",)),
    ),
    _bytes(
        "invalid-utf-8",
        "every byte that can begin nothing",
        b"<p>before " + bytes(range(0x80, 0x100)) + b" after",
        content_type="text/html; charset=utf-8",
    ),
    _bytes("utf-8-cut-off", "a text that ends inside a character", "<p>before after 🧭".encode()[:-2]),
    _bytes(
        "two-byte-order-marks",
        "two byte order marks",
        codecs.BOM_UTF8 * 2 + b"<p>before after",
        Gives(("before", "after"), without=("\ufeff",)),
    ),
    _bytes(
        "wrong-byte-order-mark",
        "the mark of UTF-16 before ASCII",
        codecs.BOM_UTF16_LE + b"<p>before after</p>" * 9,
        Gives(()),
    ),
    _bytes(
        "utf-16-without-a-mark",
        "UTF-16 that says it is UTF-8",
        "<p>before after</p>".encode("utf-16-le"),
        content_type="text/html; charset=utf-8",
        outcome=Gives(()),
    ),
    _bytes(
        "utf-8-says-utf-16",
        "a meta element that calls an ASCII page UTF-16",
        b"<meta charset=utf-16><p>before after",
    ),
    _bytes(
        "utf-7-script",
        "a script in UTF-7, which no browser may decode",
        b"<meta charset=utf-7><p>before +ADw-script+AD4-alert(1)+ADw-/script+AD4- after",
        Gives(("before", "+ADw-script", "after"), without=("<script",)),
    ),
    _bytes(
        "utf-7-declared",
        "UTF-7 in the header",
        b"<p>before +ADw-script+AD4- after",
        Gives(("before", "after"), without=("<script",)),
        "text/html; charset=utf-7",
    ),
    _bytes(
        "unknown-charset", "a charset nobody knows", b"<p>before after", KEPT, "text/html; charset=x-evil\x07"
    ),
    _bytes(
        "codec-of-python",
        "names of codecs that only Python has",
        b"<meta charset=unicode_escape><p>before \\x3cscript\\x3e after",
        Gives(("before", "after"), without=("<script",)),
        "text/html; charset=idna",
    ),
    _bytes(
        "iso-2022-kr",
        "an encoding that hides tags behind shifts",
        b"<meta charset=iso-2022-kr><p>before \x0e<b> after",
        Gives(()),
    ),
    _bytes(
        "control-characters",
        "terminal commands and bells",
        b"<p>before \x1b[31m\x1b]0;title\x07\x08\x7f\x9b after",
        Gives(("before", "after"), without=("\x1b", "\x07")),
    ),
    _bytes(
        "line-separators",
        "all the line breaks of Unicode in a text",
        "before\r\rafter\x0b\x0c\x85\u2028\u2029\r\n".encode(),
        KEPT,
        "text/plain",
    ),
    page(
        "bidi-overrides",
        "overrides of the writing direction",
        "<p>before \u202e\u2066gpj.exe\u2069\u202c after",
        Gives(("before", "after")),
    ),
    documentation(
        "zero-width-flood",
        "200,000 characters without width in a word",
        lambda: "<p>before" + "\u200b\u2060\ufeff" * 66_666 + "after",
        Gives(("before", "after"), check=_is_short, also="no longer than it came"),
    ),
    documentation(
        "combining-flood",
        "100,000 accents on one letter",
        lambda: "<p>before a" + "\u0301" * 100_000 + " after",
        KEPT,
    ),
    _bytes(
        "noncharacters",
        "characters that Unicode forbids to exchange",
        b"<p>before \xef\xbf\xbe\xef\xbf\xbf\xef\xb7\x90 after",
    ),
    documentation(
        "private-use-headings",
        "a heading of signs without meaning",
        "<h2>\ue000\uf8ff</h2><p>before<p>after",
        KEPT,
    ),
)
