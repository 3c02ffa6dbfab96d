"""What markdown-it-py, a parser of CommonMark, finds in a text; tables as GitHub's dialect has them."""

from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table


class Found(NamedTuple):
    """A block's lines ``[first, after)``; ``level`` is a heading's."""

    kind: str
    first: int
    after: int
    level: int = 0


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A row of dashes without any border underlines a heading."""
    below = state.src[slice(state.bMarks[start + 1], state.eMarks[start + 1])] if start + 1 < end else ""
    return ("|" in below or ":" in below) and table(state, start, end, silent)


def _parser() -> MarkdownIt:
    """Without inline markup; a line that opens another block is no header of a table."""
    parser = MarkdownIt("commonmark", {"maxNesting": 100}).disable("inline")
    parser.block.ruler.before("lheading", "github_table", _table, {"alt": ["paragraph", "reference"]})
    return parser


_PARSER = _parser()
_KINDS = {"fence": "fence", "table_open": "table", "tr_open": "row", "heading_open": "heading"}


def blocks_of(markdown: str) -> Iterator[Found]:
    """Fences, tables and their rows wherever they stand, and the headings that no quote or list holds."""
    for token in _PARSER.parse(f"{markdown}\n"):  # which it otherwise reads beyond, in HTML within lists
        kind = _KINDS.get(token.type)
        if kind and token.map and not (kind == "heading" and token.level):
            first, after = token.map
            yield Found(kind, first, after, int(token.tag[1]) if kind == "heading" else 0)
