"""Plain words and code written as Markdown, so that they read as they were and mean nothing else."""

import re

from webrag_desktop.text.markdown_grammar import HASHES

_INLINE = re.compile(
    r"[\\`*]|<(?=[A-Za-z/!?])|\](?=\(|:|\[)|&(?=#?\w{1,31};)|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|~~"
)
_OPENING = re.compile(
    rf"(?P<mark>{HASHES}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|-+\s*$|~~~|\|)|(?P<number>\d{{1,9}})(?P<dot>[.)](?=\s|$))"
)


def escape_inline(text: str) -> str:
    """``text`` with backslashes before the characters that would be markup within a line."""
    return _INLINE.sub(r"\\\g<0>", text)


def escape_line(text: str) -> str:
    """``text`` as a line of prose: escaped within, and at its start where it would be read as a list or heading."""
    escaped = escape_inline(text)
    opening = _OPENING.match(escaped)
    return _escaped_opening(opening) + escaped[opening.end() :] if opening else escaped


def _escaped_opening(match: re.Match[str]) -> str:
    if match["number"]:
        return f"{match['number']}\\{match['dot']}"
    return f"\\{match[0]}"


def fence_around(code: str) -> str:
    """The backticks that a fence around a code needs: more than any run of them inside, at least three."""
    return "`" * max(3, 1 + max(map(len, re.findall("`{3,}", code)), default=2))


def fenced(lines: list[str]) -> str:
    """The lines as a fenced code block."""
    code = "\n".join(lines)
    fence = fence_around(code)
    return f"{fence}\n{code}\n{fence}"
