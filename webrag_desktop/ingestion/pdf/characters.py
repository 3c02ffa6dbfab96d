"""Characters of PDFs as text: ligatures, private codes, bold and monospaced fonts, raised ones."""

import ctypes
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

SOFT_HYPHEN = "\xad"
_ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff\ufffe\uffff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]+")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\ufb00-\ufb4f\ufb50-\ufdfb\ufe70-\ufefc\U0001d400-\U0001d7ff]+")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_SYMBOLS = {
    "\uf0b7": "•", "\uf0a7": "▪", "\uf0a8": "▫", "\uf0d8": "➢", "\uf0fc": "✓", "\uf076": "❖", "\uf06c": "●",
    "\uf06e": "■", "\uf06f": "□", "\uf071": "❑", "\uf0e0": "→", "\uf0ae": "→", "\uf0ac": "←", "\uf0b0": "°",
    "\uf0b1": "±", "\uf0b4": "×", "\uf0a3": "≤", "\uf0b3": "≥", "\uf0b9": "≠", "\uf02d": "−", "\uf02b": "+",
    "\uf03d": "=", "\uf020": " ",
}  # fmt: skip
_CLEAN = re.compile(r"[ -~]*")
_IDEOGRAPHIC = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FROM_RIGHT = re.compile(  # letters: neither digits nor punctuation
    "[\u0590-\u05bd\u05bf-\u05f2\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u08ff\ufb1d-\ufd3d\ufd50-\ufdff\ufe70-\ufefc]{2,}"
)


def clean_characters(text: str) -> str:
    """``text`` with ligatures, presentation forms and the letters of formulas made plain, symbol-font bullets named.

    Surrogate pairs, which the library counts as two characters, become one. Dropped are control characters, lone
    surrogates, marks without width and private codes that nobody can read. Soft hyphens stay, since line ends need
    them.
    """
    if _CLEAN.fullmatch(text):
        return text
    whole = _PAIR.sub(lambda match: match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
    plain = _COMPATIBLE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), _ZERO_WIDTH.sub("", whole))
    plain = _PRIVATE.sub(lambda match: _SYMBOLS.get(match[0], ""), plain)
    return unicodedata.normalize("NFC", plain)


def without_space_between(before: str, after: str) -> bool:
    """Whether a line end between two characters means no blank, as in Chinese and Japanese."""
    return bool(_IDEOGRAPHIC.match(before) and _IDEOGRAPHIC.match(after))


def is_set_close(text: str) -> bool:
    """Whether a text holds characters of a script in which gaps do not part words, or that runs from the right."""
    return not text.isascii() and bool(_IDEOGRAPHIC.search(text) or _RIGHT_TO_LEFT.search(text))


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    return not text.isascii() and len(_RIGHT_TO_LEFT.findall(text)) * 2 > sum(map(str.isalpha, text))


def in_logical_order(text: str, left_of: Callable[[int], float]) -> str:
    """``text`` with those right-to-left words turned round that come in the order in which the page shows them.

    ``left_of`` gives the position of the character of an index. The library turns most words round, but not all.
    """

    def turned(match: re.Match[str]) -> str:
        ascends = left_of(match.start()) < left_of(match.end() - 1)
        return match[0][::-1] if ascends else match[0]

    return text if text.isascii() else _FROM_RIGHT.sub(turned, text)


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
_NARROW, _WIDE = "ilj", "mwMW"
_EM = 1000.0
_SLIM, _BROAD = (
    400.0,
    750.0,
)  # of an em; letters of typewriter fonts have 500 to 620, those of other scripts all of it
_EQUAL = 5.0


class FontStyle(NamedTuple):
    """The style of a font, as far as it shows structure."""

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
        monospaced=bool(flags & _FIXED_PITCH or _MONOSPACED.search(name)) or _has_one_width(font),
    )


def _has_one_width(font: Any) -> bool:
    """Whether narrow and wide letters are equally wide, as far as the font has them; it need not say so."""
    narrow, wide = _widths(font, _NARROW), _widths(font, _WIDE)
    every = [*narrow, *wide]
    if not narrow or not wide or not _SLIM < every[0] < _BROAD:
        return False
    return max(every) - min(every) <= _EQUAL


def _widths(font: Any, letters: str) -> list[float]:
    """The widths of those letters that the font has, in thousandths of an em."""
    width, size = ctypes.c_float(0), ctypes.c_float(_EM)
    found = [
        width.value for letter in letters if pdfium.FPDFFont_GetGlyphWidth(font, ord(letter), size, width)
    ]
    return [value for value in found if value > 0]


SMALLER = 0.9  # of the size of the characters beside it, at most
_RAISED, _HIGHEST = 0.15, 0.8  # of that size, above its baseline
_NUMBER = re.compile(r"[-+−–]?\d+(?:[.,]\d+)?")


class BaselineRun(NamedTuple):
    """Characters of one word on one baseline."""

    text: str
    size: float
    y: float


def with_marks(baseline_runs: Sequence[BaselineRun]) -> str:
    """The text of a word; a number that is raised after a letter, a digit or a bracket is written ``^n``."""
    base = max(baseline_runs, key=lambda part: part.size)
    text = ""
    for index, part in enumerate(baseline_runs):
        before, after = baseline_runs[max(0, index - 1)], baseline_runs[index + 1 : index + 2]
        if part.y < before.y and is_raised(part.size, part.y, base.size, base.y):
            text += _power(text, part.text, after[0].text if after else "")
        else:
            text += part.text
    return text


def is_raised(size: float, y: float, base_size: float, base_y: float) -> bool:
    """Whether characters of that size and baseline are above the line of larger ones beside them."""
    return size <= SMALLER * base_size and _RAISED * base_size <= base_y - y <= _HIGHEST * base_size


def _power(before: str, raised: str, after: str) -> str:
    if not _NUMBER.fullmatch(raised) or not (before[-1:].isalnum() or before[-1:] in {")", "]"}):
        return raised
    return f"^({raised})" if after[:1].isalnum() else f"^{raised}"
