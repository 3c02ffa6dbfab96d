"""The context header put before a chunk's text when it is embedded; the stored text is untouched."""

from collections.abc import Sequence

from webrag_desktop.embedding.base import Tokenizer

SEPARATOR = " › "
# Far more than a token has in any language: what stands behind cannot matter for the header.
LONGEST_TOKEN = 40


def context_header(
    title: str | None, heading_path: Sequence[str], tokenizer: Tokenizer, max_tokens: int
) -> str:
    """``title › heading › heading`` in at most ``max_tokens``, the line break after it included.

    A heading that repeats the one before it is left out. Where it is too long, the headings next to the
    title go first, since the deepest says most about the chunk; what is still too long is cut at the end. Of
    every part only the first ``40 * max_tokens`` characters are read.
    """
    parts: list[str] = []
    for part in (title or "", *heading_path):
        words = " ".join(part.lstrip()[: LONGEST_TOKEN * max_tokens].split())
        if words and words not in parts[-1:]:
            parts.append(words)
    del parts[1 : max(1, len(parts) - max_tokens)]  # a heading is at least one token
    header = SEPARATOR.join(parts)
    while _too_long(header, tokenizer, max_tokens):
        if len(parts) <= 2:
            return _cut(header, tokenizer, max_tokens)
        del parts[1]
        header = SEPARATOR.join(parts)
    return header


def embed_text(header: str, chunk_text: str) -> str:
    """What the embedding model is given for a chunk."""
    return f"{header}\n{chunk_text}" if header else chunk_text


def _too_long(header: str, tokenizer: Tokenizer, max_tokens: int) -> bool:
    return tokenizer.count(header + "\n") > max_tokens


def _cut(header: str, tokenizer: Tokenizer, max_tokens: int) -> str:
    allowed = max_tokens
    while header and _too_long(header, tokenizer, max_tokens):
        starts = tokenizer.token_starts(header)
        allowed = min(allowed, len(starts) - 1)
        header = header[: starts[allowed]].rstrip(" ›") if allowed > 0 else ""
        allowed -= 1
    return header
