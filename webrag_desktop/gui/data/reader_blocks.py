"""The blocks of a text as they are read: plain, frozen data."""

from dataclasses import dataclass
from typing import Literal

from webrag_desktop.text.mathematics import Formula

BlockKind = Literal["heading", "paragraph", "list_item", "quote", "code", "table", "rule", "front_matter"]


InlineStyle = Literal["bold", "italic", "code", "link", "strike", "break"]


@dataclass(frozen=True, slots=True)
class StyledRange:
    """``[start, end)`` in code points of its block's text. ``target`` is a link's address.

    A ``break`` is a line break that stands; other line breaks in running text are shown as spaces.
    """

    start: int
    end: int
    style: InlineStyle
    target: str | None = None


@dataclass(frozen=True, slots=True)
class ReaderBlock:
    """One block as it is read. ``runs`` trace its text to the markdown: (text position, markdown position, length).

    A run of length 0 tells where the source of a replaced character before it ends. The line breaks after a block
    belong to its text; nothing lies between blocks. ``level`` is a heading's (1 to 6), or how deep a list item or
    quote is nested. ``marker`` is a list item's bullet or number, of the item that the block begins.
    ``cells`` of a table are ``[start, end)`` of its text, by row and column; rows may differ in length.
    ``formulas`` count in its text, too, and do not overlap.
    ``quoted`` is how deep the block stands in quotes, whatever its kind. ``styles`` are in the order of their starts.
    """

    kind: BlockKind
    text: str
    runs: tuple[tuple[int, int, int], ...]
    level: int = 0
    marker: str = ""
    language: str = ""
    styles: tuple[StyledRange, ...] = ()
    cells: tuple[tuple[tuple[int, int], ...], ...] = ()
    quoted: int = 0
    formulas: tuple[Formula, ...] = ()
