"""What the name and the flags of a font tell: bold, monospaced."""

import ctypes
import re
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18  # PDF 32000-1, table 123
_BOLD = re.compile(
    r"bold|black|heavy|demi|^(?:cm|sf|ec)(?:ss)?bx|(?<=[-,])(?:bd|b|bi)$|nimbusromno9l-medi", re.IGNORECASE
)
_MONOSPACED = re.compile(
    r"courier|mono(?!type)|typewriter|consol|^(?:cm|sf|ec|lm|tx)\w?tt|^cmsltt|inconsolata|menlo|fixed|nimbusmon|terminal|lucidacons",
    re.IGNORECASE,
)
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_LONGEST_NAME = 256


class FontStyle(NamedTuple):
    """How a font looks, as far as structure goes."""

    bold: bool = False
    monospaced: bool = False


def font_style(font: Any) -> FontStyle:
    """The style of a font handle."""
    buffer = ctypes.create_string_buffer(_LONGEST_NAME)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, _LONGEST_NAME)
    name = _SUBSET.sub("", buffer.value.decode("utf-8", "replace"))
    flags = max(0, pdfium.FPDFFont_GetFlags(font))
    return FontStyle(
        bold=bool(flags & _FORCE_BOLD or _BOLD.search(name)),
        monospaced=bool(flags & _FIXED_PITCH or _MONOSPACED.search(name)),
    )
