"""Excerpts with the number of their source above each, which no excerpt can fake."""

import html
import re
import unicodedata
from collections.abc import Sequence

from webrag_desktop.citations.printable import title_line
from webrag_desktop.retrieval.answer_models import ScoredChunk

LONGEST_NAME = 200  # characters of a title or heading; a page may call itself anything, at any length

# Every way to write a bracket that a reader, or a model, takes for a square one.
_OPENING = re.compile(r"[\[［【〔〖〚⟦❲｢「『]|&(?:#0*91|#x0*5b|lbrack|lsqb);?", re.IGNORECASE)
_CLOSING = re.compile(r"[\]］】〕〗〛⟧❳｣」』]|&(?:#0*93|#x0*5d|rbrack|rsqb);?", re.IGNORECASE)
_BRACKET = re.compile(f"({_OPENING.pattern}|{_CLOSING.pattern})", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_NAMES_A_SOURCE = re.compile(r"sources?(?:number|no|nr)?\d")
_ENOUGH = 24  # letters and digits to see that by
# Letters of other scripts that look like those of "source".
_LOOK_ALIKE = str.maketrans("ѕꜱоοօᴏυսᴜгᴦʀсϲᴄеҽᴇ", "ssoooouuurrrccceee")


def format_context_with_citations(chunks: Sequence[ScoredChunk]) -> str:
    """The texts, each below a line ``[Source n: title - section]``, counted from 1, with a blank line between.

    What is not known of title and section is left out; without a title the address stands for it. What looks like such
    a mark in a text, a title or a heading gets round brackets, so that only ours say where a text comes from.
    """
    return "\n\n".join(_excerpt(number, chunk) for number, chunk in enumerate(chunks, start=1))


def _excerpt(number: int, chunk: ScoredChunk) -> str:
    text = without_marks(chunk.text).strip("\n").rstrip()
    return f"[Source {number}: {_name(chunk)}]\n{text}"


def without_marks(text: str) -> str:
    """The text, where brackets that name a source are round; everything else stays as it is.

    However it is written: in full-width or look-alike letters, with markup, escapes or invisible characters between.
    """
    pieces = _BRACKET.split(text)  # every other one is a bracket
    if not (fakes := _openings_of_marks(pieces)):
        return text
    open_brackets: list[bool] = []  # whether each was made round
    for place in range(1, len(pieces), 2):
        if _OPENING.fullmatch(pieces[place]):
            open_brackets.append(place in fakes)
            pieces[place] = "(" if place in fakes else pieces[place]
        elif open_brackets and open_brackets.pop():
            pieces[place] = ")"
    return "".join(pieces)


def _openings_of_marks(pieces: Sequence[str]) -> set[int]:
    """Which opening brackets a source is named behind, before anything is closed."""
    found, ahead = set(), ""
    for place in range(len(pieces) - 1, -1, -1):
        if place % 2 == 0:
            ahead = (_bare(pieces[place]) + ahead)[:_ENOUGH]
        elif _CLOSING.fullmatch(pieces[place]):
            ahead = ""
        elif _NAMES_A_SOURCE.match(ahead):
            found.add(place)
    return found


def _bare(text: str) -> str:
    """Letters and digits alone, as they are read."""
    plain = unicodedata.normalize("NFKD", _TAG.sub("", html.unescape(text))).casefold()
    return "".join(filter(str.isalnum, plain)).translate(_LOOK_ALIKE)


def _name(chunk: ScoredChunk) -> str:
    about = chunk.metadata
    named = (_one_line(about.title) or _one_line(about.doc_path), _one_line(about.section))
    return " - ".join(filter(None, named)) or chunk.chunk_id


def _one_line(text: str | None) -> str:
    line = without_marks(title_line(text or "")).replace("[", "(").replace("]", ")")
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1].rstrip()}…"
