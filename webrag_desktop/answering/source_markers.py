"""Excerpts with the number of their source above each, which no excerpt can fake."""

import re
from collections.abc import Sequence

from webrag_desktop.retrieval.contracts.answers import ScoredChunk
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.skeletons import bracketed, brackets, rounded

LONGEST_NAME = 200  # characters of a title or heading; a page may call itself anything, at any length

_GAP = "[.:]*+"
# Some digits look like an s, an o, a c or an e, and so do $ and other symbols like the s. No other word ends so.
_SOURCE = rf"(?:{_GAP}[s0-2]{_GAP}|[.:]++)" + _GAP.join(["[o0]", "u", "r", "[c1C]", "[e12]", ""])
_COUNTED = rf"(?:s{_GAP})?(?:n{_GAP}(?:u{_GAP}[mM]{_GAP}b{_GAP}e{_GAP}r|[o0]|r){_GAP})?"
# A number has a digit. What only looks like one may be a word: Roman numerals and letters like З count where no letter
# follows, and behind a colon ("source: З історії") only where nothing else does; a small l or a large i, which may
# look like a one, where it stands alone.
_ALL_OF_IT = r"(?=\.?(?::|$))"
_LIKE_A_NUMBER = "[ilo]*[2A-Z][ilo2A-Z]*+"
_NUMBER = "|".join(
    (
        "[ilo2A-Z]*[01]",
        rf"(?<!:){_LIKE_A_NUMBER}(?![a-z])",
        _LIKE_A_NUMBER + _ALL_OF_IT,
        rf"(?<!:)[il]{_ALL_OF_IT}",
    )
)
_NAMES_A_SOURCE = re.compile(f"{_SOURCE}{_COUNTED}(?:{_NUMBER})")


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
    return rounded(text, bracketed(text, _NAMES_A_SOURCE))


def _name(chunk: ScoredChunk) -> str:
    about = chunk.metadata
    named = (_one_line(about.title) or _one_line(about.doc_path), _one_line(about.section))
    return " - ".join(filter(None, named)) or _one_line(chunk.chunk_id)


def _one_line(text: str | None) -> str:
    line = without_marks(title_line(text or ""))
    # Those of our own mark; Japanese titles are full of the others.
    line = rounded(line, [bracket for bracket in brackets(line) if bracket.looks_square])
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1].rstrip()}…"
