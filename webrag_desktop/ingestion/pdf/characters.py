"""Characters as PDFs encode them, made into text: ligatures, presentation forms, private codes, odd blanks."""

import re
import unicodedata
from collections.abc import Callable

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
    """Whether a line end between two characters stands for nothing, as in Chinese and Japanese."""
    return bool(_IDEOGRAPHIC.match(before) and _IDEOGRAPHIC.match(after))


def is_set_close(text: str) -> bool:
    """Whether a text holds characters of a script in which gaps do not part words, or that runs from the right."""
    return not text.isascii() and bool(_IDEOGRAPHIC.search(text) or _RIGHT_TO_LEFT.search(text))


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    return not text.isascii() and len(_RIGHT_TO_LEFT.findall(text)) * 2 > sum(map(str.isalpha, text))


def in_logical_order(text: str, left_of: Callable[[int], float]) -> str:
    """``text`` with those right-to-left words turned round that come in the order in which the page shows them.

    ``left_of`` tells where the character of an index stands. The library turns most words round, but not all.
    """

    def turned(match: re.Match[str]) -> str:
        ascends = left_of(match.start()) < left_of(match.end() - 1)
        return match[0][::-1] if ascends else match[0]

    return text if text.isascii() else _FROM_RIGHT.sub(turned, text)
