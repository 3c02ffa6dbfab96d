"""The library's markdown mended where it is words: spaces, names in underscores, code that begins a list item."""

import re
from collections.abc import Callable

_FENCE = (
    r"^[ >\t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+(?P<fence>`{3,})[^\n]*\n(?:.*\n)*?[ >\t]*+(?P=fence)[ \t]*+$"
)
_SPAN = r"(?<![`\\])(?P<ticks>`+)(?!`)[^\n]{1,5000}?(?<!`)(?P=ticks)(?!`)"
_TARGET = r"\]\((?:[^()\s]|\([^()\s]*\))*+(?:[ ]\"[^\"\n]*\")?\)"
_ADDRESS = r"https?://[^\s<>()\[\]]++"
_FORMULA = r"\$\$[^$]++\$\$|\$[^$\n]++\$"
_CODE = re.compile(f"{_FENCE}|{_SPAN}", re.MULTILINE)
_NOT_WORDS = re.compile(f"{_FENCE}|{_SPAN}|{_TARGET}|{_ADDRESS}|{_FORMULA}", re.MULTILINE)
_CHARACTER = re.compile(r"(?<!\\)&#(\d{2,7});")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_NO_WIDTH = re.compile("[\u00ad\u200b\u2060\ufeff]")
_BREAK_HINT = re.compile(r"(?<=\w)\u200b(?=\()|(?<=,)\u200b(?=[A-Z?])")  # Javadoc's, in signatures
_OPENING = re.compile(r"_(?<![^\W_]_)(?<![\\_]_)_*+(?=\S)")
_CLOSING = re.compile(r"_(?<=[^\s_\\]_)_*+(?![^\W_])")
_GAP = re.compile(
    r"^([ >]*+)([-*+]|\d{1,9}[.)])[ ]*+\n(?:[ >]*+\n)*+(?P<indent>[ >]*+)(?=`{3}|\||\$\$)", re.MULTILINE
)


def mend(markdown: str) -> str:
    """Markdown of a block as CommonMark readers should read it; code in it stays as it is, blanks aside."""
    text = markdown
    if not text.isascii():
        text = _SPACES.sub(" ", text)
        if _NO_WIDTH.search(text):
            text = _outside(_CODE, _BREAK_HINT.sub("", text), lambda words: _NO_WIDTH.sub("", words))
    if "&#" in text:
        text = _outside(_CODE, text, lambda words: _CHARACTER.sub(_plain_space, words))
    if "_" in text and _OPENING.search(text) and _CLOSING.search(text) and _could_emphasize(text):
        text = _outside(_NOT_WORDS, text, _escape_names)
    if "\n" in text and not text.startswith(("```", "|")) and ("```" in text or "|" in text or "$$" in text):
        text = _GAP.sub(_join_item, text)
    return text


def _outside(kept: re.Pattern[str], text: str, change: Callable[[str], str]) -> str:
    parts, position = [], 0
    for match in kept.finditer(text):
        parts += [change(text[position : match.start()]), match[0]]
        position = match.end()
    return "".join([*parts, change(text[position:])])


def _plain_space(match: re.Match[str]) -> str:
    """The library writes blanks it must not lose as references; nobody needs them kept."""
    code = int(match[1])
    character = chr(code) if code < 0x110000 else ""
    if _NO_WIDTH.match(character):
        return ""
    return " " if _SPACES.match(character) or character == " " else match[0]


def _could_emphasize(text: str) -> bool:
    words = _NOT_WORDS.sub(" ", text)
    return _OPENING.search(words) is not None and _CLOSING.search(words) is not None


def _escape_names(words: str) -> str:
    """``__init__`` is a name: only underscores that could open emphasis need a backslash."""
    return _OPENING.sub(lambda match: "\\_" * len(match[0]), words)


def _join_item(match: re.Match[str]) -> str:
    """A list item that begins with code: a blank line behind its marker would end it."""
    before, marker, indent = match[1], match[2], match["indent"]
    if len(indent) != len(before) + len(marker) + 1:
        return match[0]
    return f"{before}{marker} "
