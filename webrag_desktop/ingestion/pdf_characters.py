"""Characters as PDFs encode them, made into text: ligatures, presentation forms, private codes, odd blanks."""

import re
import unicodedata

SOFT_HYPHEN = "\xad"
_ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff\ufffe\uffff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]+")
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\ufb00-\ufb4f\ufb50-\ufdfb\ufe70-\ufefc]+")
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


def clean_characters(text: str) -> str:
    """``text`` with ligatures and presentation forms spelled out, symbol-font bullets named, the rest dropped.

    Dropped are control characters, lone surrogates, marks without width and private codes that nobody can read.
    Soft hyphens stay, since line ends need them.
    """
    if _CLEAN.fullmatch(text):
        return text
    plain = _COMPATIBLE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), _ZERO_WIDTH.sub("", text))
    plain = _PRIVATE.sub(lambda match: _SYMBOLS.get(match[0], ""), plain)
    return unicodedata.normalize("NFC", plain)


def without_space_between(before: str, after: str) -> bool:
    """Whether a line end between two characters stands for nothing, as in Chinese and Japanese."""
    return bool(_IDEOGRAPHIC.match(before) and _IDEOGRAPHIC.match(after))


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    return not text.isascii() and len(_RIGHT_TO_LEFT.findall(text)) * 2 > sum(map(str.isalpha, text))
