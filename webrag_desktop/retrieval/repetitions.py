"""Leaves out sentences that a document says twice: in two chunks, on two pages, with other markup."""

import re
from collections.abc import Hashable, Sequence

from webrag_desktop.retrieval.models import MatchedSpan

_NOTE = re.compile(r"(?<=[.!?…,;])\\?\[\^?[^\s\[\]\\]{1,12}\\?\](?:\([^)\s]*\))?")
_LINK_TARGET = re.compile(r"(?<=\])(?:\([^)\s]*\)|\[[^\[\]]*\])")
_MARKUP = re.compile(r"[\\*_`~|>]+")
_PUNCTUATION = re.compile(r"[\s.,;:!?…。！？、，()\[\]{}\"'“”‘’„«»]+")


def without_repeats(found: Sequence[tuple[Hashable, Sequence[MatchedSpan]]]) -> list[list[MatchedSpan]]:
    """The spans of each passage without those that a better one of the same document repeats.

    ``found`` names the document of each passage. Only markup, punctuation, spacing, case and note marks may differ: a
    number or a "not" makes another sentence. A passage of nothing but repetition keeps its best span.
    """
    candidates = sorted(
        (-span.score, place, span.char_start, span)
        for place, (_, spans) in enumerate(found)
        for span in spans
    )
    said: set[tuple[Hashable, str]] = set()
    kept: list[list[MatchedSpan]] = [[] for _ in found]
    for _, place, _, span in candidates:
        key = (found[place][0], _wording(span.text))
        if key not in said:
            said.add(key)
            kept[place].append(span)
    return [own or list(spans[:1]) for own, (_, spans) in zip(kept, found, strict=True)]


def _wording(text: str) -> str:
    """The words as they are read; the text itself where there are none."""
    bare = _LINK_TARGET.sub("", _NOTE.sub("", text)) if "]" in text else text
    return _PUNCTUATION.sub(" ", _MARKUP.sub("", bare)).strip().casefold() or text
