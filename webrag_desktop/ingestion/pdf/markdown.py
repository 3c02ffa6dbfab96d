"""Plain words written as Markdown, so that they read as they were and mean nothing else."""

import re

_INLINE = re.compile(
    r"[\\`*]|<(?=[A-Za-z/!?])|\](?=\(|:|\[)|&(?=#?\w{1,31};)|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|~~"
)
_OPENING = re.compile(
    r"(?P<mark>#{1,6}(?=\s|$)|>|[-+](?=\s|$)|={1,}\s*$|-{1,}\s*$|~{3}|\|)|(?P<number>\d{1,9})(?P<dot>[.)](?=\s|$))"
)


def escape_inline(text: str) -> str:
    """``text`` with backslashes before the characters that would be markup within a line."""
    return _INLINE.sub(r"\\\g<0>", text)


def escape_line(text: str) -> str:
    """``text`` as a line of prose: escaped within, and at its start where it looks like a list or heading."""
    escaped = escape_inline(text)
    opening = _OPENING.match(escaped)
    return _escaped_opening(opening) + escaped[opening.end() :] if opening else escaped


def _escaped_opening(match: re.Match[str]) -> str:
    if match["number"]:
        return f"{match['number']}\\{match['dot']}"
    return f"\\{match[0]}"


def fenced(lines: list[str]) -> str:
    """A fenced code block, with a fence longer than any inside."""
    longest = max((len(run) for line in lines for run in re.findall(r"`{3,}", line)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join([fence, *lines, fence])
