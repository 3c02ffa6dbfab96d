"""Charset labels as the web knows them, and the codecs that read them; codecs only Python knows are not used."""

import codecs

import turbohtml

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
