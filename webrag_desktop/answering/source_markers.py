"""Excerpts with the number of their source above each, which no excerpt can fake."""

import html
import re
import unicodedata
from collections.abc import Sequence

from webrag_desktop.citations.printable import title_line
from webrag_desktop.retrieval.answer_models import ScoredChunk

LONGEST_NAME = 200  # characters of a title or heading; a page may call itself anything, at any length

# Every bracket that a reader, or a model, takes for a square one; also written as an entity.
_OPENING = frozenset("[［【〔〖〚〘⟦⟬❲｢「『⁅⦋﹇﹝︻︗︹")
_CLOSING = frozenset("]］】〕〗〛〙⟧⟭❳｣」』⁆⦌﹈﹞︼︘︺")
_BRACKET = re.compile(
    f"[{re.escape(''.join(sorted(_OPENING | _CLOSING)))}]|&(?:#[0-9]+|#x[0-9a-f]+|[a-z]+);?", re.IGNORECASE
)
# What is not shown though it may hold brackets: tags, and links and pictures without a text.
_UNSHOWN = re.compile(r"<[a-z/!?][^<>]*>|!?\[\]\([^()\s]*\)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_NAMES_A_SOURCE = re.compile(r"sources?(?:number|no|nr)?\d")
_ENOUGH = 24  # letters and digits to see that by
# Letters of other scripts that look like those of "source"; and those of Hangul that nobody sees go.
_LOOK_ALIKE = str.maketrans("ѕꜱоοօᴏυսᴜгᴦʀсϲᴄеεҽᴇ", "ssoooouuurrrccceeee", "\u115f\u1160")


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
    fakes = _openings_of_marks(text) | _openings_of_marks(_UNSHOWN.sub(lambda it: " " * len(it[0]), text))
    if not fakes:
        return text
    pieces, done = [], 0
    open_brackets: list[bool] = []  # whether each was made round
    for bracket, opens in _brackets(text):
        if opens:
            open_brackets.append(bracket.start() in fakes)
            becomes = "(" if open_brackets[-1] else bracket[0]
        else:
            becomes = ")" if open_brackets and open_brackets.pop() else bracket[0]
        pieces += [text[done : bracket.start()], becomes]
        done = bracket.end()
    return "".join((*pieces, text[done:]))


def _brackets(text: str) -> list[tuple[re.Match[str], bool]]:
    """All brackets in their order, and whether each opens."""
    read = ((found, html.unescape(found[0])) for found in _BRACKET.finditer(text))
    return [(found, char in _OPENING) for found, char in read if char in _OPENING or char in _CLOSING]


def _openings_of_marks(text: str) -> set[int]:
    """Where the opening brackets are that a source is named behind, before anything is closed."""
    found, ahead, end = set(), "", len(text)
    for bracket, opens in reversed(_brackets(text)):
        ahead = (_bare(text[bracket.end() : end]) + ahead)[:_ENOUGH] if opens else ""
        if _NAMES_A_SOURCE.match(ahead):
            found.add(bracket.start())
        end = bracket.start()
    return found


def _bare(text: str) -> str:
    """Letters and digits alone, as they are read."""
    # Both before and after: what looks like one letter may be taken apart as a variant of another one.
    folded = _TAG.sub("", html.unescape(text)).casefold().translate(_LOOK_ALIKE)
    plain = unicodedata.normalize("NFKD", folded).casefold()
    return "".join(filter(str.isalnum, plain)).translate(_LOOK_ALIKE)


# What looks like a bracket of our own mark; Japanese titles are full of the others.
_OPENS = re.compile(r"[\[［﹇]|&(?:#0*91|#x0*5b|lbrack|lsqb);", re.IGNORECASE)
_CLOSES = re.compile(r"[\]］﹈]|&(?:#0*93|#x0*5d|rbrack|rsqb);", re.IGNORECASE)


def _name(chunk: ScoredChunk) -> str:
    about = chunk.metadata
    named = (_one_line(about.title) or _one_line(about.doc_path), _one_line(about.section))
    return " - ".join(filter(None, named)) or chunk.chunk_id


def _one_line(text: str | None) -> str:
    line = _CLOSES.sub(")", _OPENS.sub("(", without_marks(title_line(text or ""))))
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1].rstrip()}…"
