"""Which lines are headings: those the outline names, then those set larger than the text, then bold ones."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.file import OutlineEntry
from webrag_desktop.ingestion.pdf.lines import Line

_SMALLEST = 0.97  # of the body's size
_SET_OFF = 1.04  # times the body's size, by which a heading may be indented to the left of its text
_OTHER = 0.4  # points by which sizes are two
_MOST_WORDS = 12
_WIDEST = 0.8  # of the column
_GAP = 1.3  # font sizes above a heading, and times the distance below it
_FARTHEST = 3.0  # font sizes to the text below
_EDGE = 1.0  # font sizes from the left edge
_INDENT = 1.6  # font sizes of the text's first line
_FEWEST = 3  # of one look
_LINES_EACH = 4  # of the document, at least, for each heading; labels of forms are closer
_MOST_LOOKS = 2
_WORDS = re.compile(r"[\[(\"'“‘«¿]?[^\W\d_][^\W_]*(?:[\s\W][^_]*)?")
_CAPTION = re.compile(
    r"(?:table|figure|fig|listing|algorithm|example|abbildung|tabelle|tableau|figura|tabla)\b\.?\s*\d",
    re.IGNORECASE,
)
# In capitals they head sections of manual pages.
_OPENS_CALLOUT = frozenset({"Note", "Warning", "Tip", "Caution", "Important", "Danger"})
_RUNS_ON = (".", ",", ";", ":", "!", "…", "-", "=")


class _Look(NamedTuple):
    """What headings of one level have in common."""

    size: float
    lower_case: bool


def bold_headings(lines: Sequence[Line], body: float, between: tuple[float, float]) -> list[list[int]]:
    """Indexes of lines that are headings, those of the highest rank first.

    Their size is larger than that of headings known by a number, and smaller than that of those known by their size.
    """
    edges = _left_edges(lines)
    alike: dict[_Look, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        if (
            _may_be_heading(line, body, between)
            and _is_at_edge(line, edges[line.page % 2])
            and _stands_alone(lines, index, body)
        ):
            alike[_Look(round(line.size, 1), not line.text.isupper())].append(index)
    found = [
        look
        for look, indexes in alike.items()
        if len(indexes) >= _FEWEST and _LINES_EACH * len(indexes) <= len(lines)
    ]
    ranked = sorted(found, key=lambda look: (-look.size, look.lower_case))
    return [alike[look] for look in ranked[:_MOST_LOOKS]]


def _left_edges(lines: Sequence[Line]) -> tuple[float, float]:
    """Where the text of even and of odd pages begins."""
    starts = [sorted(line.x0 for line in lines if line.page % 2 == side and line.text) for side in (0, 1)]
    first, second = (places[len(places) // 50] if places else 0.0 for places in starts)
    return first, second


def _may_be_heading(line: Line, body: float, between: tuple[float, float]) -> bool:
    return (
        line.bold
        and not line.partly_monospaced
        and not line.gaps
        and _SMALLEST * body <= line.size
        and between[0] + _OTHER < line.size < between[1]
        and len(line.text.split()) <= _MOST_WORDS
        and line.x1 - line.x0 <= _WIDEST * (line.right - line.left)
        and _reads_as_heading(line.text)
    )


def _reads_as_heading(text: str) -> bool:
    first = next((character for character in text if character.isalpha()), "")
    return (
        _WORDS.fullmatch(text) is not None
        and not first.islower()
        and not text.endswith(_RUNS_ON)
        and not _CAPTION.match(text)
        and text not in _OPENS_CALLOUT
    )


def _stands_alone(lines: Sequence[Line], index: int, body: float) -> bool:
    """Whether there is space above a line, and text that is not bold below."""
    line = lines[index]
    after = lines[index + 1] if index + 1 < len(lines) else None
    if after is None or after.table is not None or after.gaps or not _is_below(line, after):
        return False
    if after.bold and abs(after.size - line.size) < _OTHER:
        return False
    below = after.y - line.y
    indent = (after.x0 - line.x0) / line.size
    if below > _FARTHEST * line.size or (line.size < _SET_OFF * body and not -_INDENT < indent < _INDENT):
        return False
    before = lines[index - 1] if index else None
    if before is None or not _is_below(before, line):
        return True  # at the top of a page or column
    return before.table is not None or line.y - before.y > max(_GAP * below, _GAP * line.size)


def _is_below(before: Line, line: Line) -> bool:
    return before.page == line.page and before.column == line.column and line.y > before.y


def _is_at_edge(line: Line, edge: float) -> bool:
    """Whether a line begins where its column does, and on pages of one column where those of the others do."""
    farthest = _EDGE * line.size
    return line.x0 - line.left < farthest and (line.column > 0 or line.x0 - edge < farthest)


LARGER = 1.12  # times the body's size, from which a line is a heading
_DEEPEST = 6
_MOST_LINES = 4  # of one heading
_LONGEST = 250  # characters of a heading
_LONGEST_NUMBERED = 120
_START = 5  # letters by which lines that cannot be headings are recognised at once
_MOST_ALIKE = 20  # lines of one page that say the same
_NOT_WORDS = re.compile(r"[\W_]+")
_NUMBERING = re.compile(
    r"(?:(?:chapter|section|appendix|part|kapitel|chapitre)\s+)?(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3}){0,5}[.:)]?\s+",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,3}){0,4}|[A-Z](?:\.\d{1,3}){1,4})\.?\s+(?=[^\W\d_])")
_CONTENTS = re.compile(r"(?:\.\s?){4,}\s*\w{0,6}$|\s(?:\d{1,4}|[ivxlc]{1,7})$")
_LETTERS = re.compile(r"[^\W\d_]")


def body_size(lines: Sequence[Line]) -> float:
    """The size in which most of the text is set, in half points; code counts where there is nothing else."""
    sizes: Counter[float] = Counter()
    for line in lines:
        if line.table is None:
            sizes[_half(line.size)] += len(line.text) if not line.monospaced else len(line.text) // 4 + 1
    return max(sizes, key=lambda size: (sizes[size], size), default=10.0)


def heading_levels(
    lines: Sequence[Line], outline: Sequence[OutlineEntry], body: float
) -> dict[int, tuple[int, int]]:
    """Headings by the index of their first line: ``(level, number of lines)``."""
    headings = _from_outline(lines, outline)
    taken = {index + offset for index, (_, count) in headings.items() for offset in range(count)}
    levels = _levels_of_sizes(lines, headings, body)
    index = 0
    while index < len(lines):
        found = (0, 1) if index in taken else _by_looks(lines, index, taken, levels, body)
        if found[0] and any(character.isalnum() for character in lines[index].text):  # no row of ornaments
            headings[index] = found
        index += found[1]
    return headings if taken else _by_weight(lines, headings, body)


def _by_weight(
    lines: Sequence[Line], headings: dict[int, tuple[int, int]], body: float
) -> dict[int, tuple[int, int]]:
    """The headings with those that are only bold: below those larger in type, above smaller ones, as numbered ones."""
    largest = body * LARGER
    small = {index: lines[index].size for index in headings if _half(lines[index].size) < largest}
    ranks = bold_headings(lines, body, (max(small.values(), default=0.0), largest))
    above = max((level for index, (level, _) in headings.items() if index not in small), default=0)
    found = {
        index: (min(level + len(ranks) if index in small else level, _DEEPEST), count)
        for index, (level, count) in headings.items()
    }
    for level, indexes in enumerate(ranks, above + 1):
        found.update({index: (min(level, _DEEPEST), 1) for index in indexes})
    return found


def _from_outline(lines: Sequence[Line], outline: Sequence[OutlineEntry]) -> dict[int, tuple[int, int]]:
    """The lines that bookmarks lead to: on the page named or the next, words equal, without numbers before them."""
    by_page: dict[int, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    wanted = {entry.page + 1 for entry in outline} | {entry.page + 2 for entry in outline}
    starts = {
        name[:length] for entry in outline for name in _names(entry.title) for length in range(1, _START + 1)
    }
    for index, line in enumerate(lines):
        if line.page in wanted and line.table is None:
            if not any(name[:_START] in starts for name in _names(line.text)):
                continue
            for count, words in _possible(lines, index):
                alike = by_page[line.page][words]
                if len(alike) < _MOST_ALIKE:
                    alike.append((index, count))
    headings: dict[int, tuple[int, int]] = {}
    taken: set[int] = set()
    for entry in outline:
        place = next(
            (
                (index, count)
                for page in (entry.page + 1, entry.page + 2)
                for words in _names(entry.title)
                for index, count in sorted(by_page[page].get(words, ()), key=lambda at: -lines[at[0]].size)
                if not taken.intersection(range(index, index + count))
            ),
            None,
        )
        if place is not None:
            taken.update(range(place[0], place[0] + place[1]))
            headings[place[0]] = (min(entry.level, _DEEPEST), place[1])
    return headings


def _possible(lines: Sequence[Line], index: int) -> list[tuple[int, str]]:
    """What a heading that begins with this line could say, over one line or more: (number of lines, name)."""
    found: list[tuple[int, str]] = []
    names = [""]
    for count, line in enumerate(lines[index : index + _MOST_LINES], 1):
        if (
            line.table is not None
            or line.page != lines[index].page
            or len(names[0]) + len(line.text) > _LONGEST
        ):
            break
        names = _names(line.text) if count == 1 else [name + _name(line.text) for name in names]
        found.extend((count, name) for name in names if name)
    return found


def _name(title: str) -> str:
    """The letters and digits of a title run together."""
    return _NOT_WORDS.sub("", title).casefold()


def _names(title: str) -> list[str]:
    """How a title is recognised: with and, where it has one, without the numbering before it."""
    number = _NUMBERING.match(title)
    names = [_name(title)]
    if number and (bare := _name(title[number.end() :])):
        names.append(bare)
    return names


def _levels_of_sizes(
    lines: Sequence[Line], headings: dict[int, tuple[int, int]], body: float
) -> dict[float, int]:
    """Levels of font sizes: as the outline's headings have them, others in between by rank."""
    votes: dict[float, Counter[int]] = defaultdict(Counter)
    for index, (level, _) in headings.items():
        votes[_half(lines[index].size)][level] += 1
    known = {size: min(counts, key=lambda level: (-counts[level], level)) for size, counts in votes.items()}
    sizes = sorted({_half(line.size) for line in lines if _is_large(line, body)} | set(known), reverse=True)
    levels: dict[float, int] = {}
    above = 0
    for size in sizes:
        level = known.get(size) or min(above + 1, _DEEPEST)
        levels[size] = level
        above = max(above, level) if known else level
    return levels


def _is_large(line: Line, body: float) -> bool:
    return line.table is None and _half(line.size) >= body * LARGER and bool(_LETTERS.search(line.text))


def _by_looks(
    lines: Sequence[Line], index: int, taken: set[int], levels: dict[float, int], body: float
) -> tuple[int, int]:
    """Level, 0 for none, and how many lines the answer holds for."""
    line = lines[index]
    if line.table is not None or not line.text or (line.gaps and _CONTENTS.search(line.text)):
        return 0, 1
    if not _is_large(line, body):
        return _numbered(lines, index, levels, body), 1
    count, length = 1, len(line.text)
    while index + count < len(lines) and index + count not in taken:
        if not _same_heading(lines[index + count - 1], lines[index + count]):
            break
        length += len(lines[index + count].text) + 1
        count += 1
    is_heading = count <= _MOST_LINES and length <= _LONGEST
    return (levels[_half(line.size)] if is_heading else 0), count


def _same_heading(line: Line, after: Line) -> bool:
    """Whether a large line continues in the next."""
    return (
        after.table is None
        and after.page == line.page
        and _half(after.size) == _half(line.size)
        and after.bold == line.bold
        and 0 < after.y - line.y <= 1.6 * line.size
        and not _NUMBERED.match(after.text)
        and (_is_full(line, after) or _is_aligned(line, after))
    )


def _is_full(line: Line, after: Line) -> bool:
    """Whether the first word of the line after would not have fitted on this one."""
    room = line.x0 - line.left if line.right_to_left else line.right - line.x1
    return room < after.first_width + line.size


def _is_aligned(line: Line, after: Line) -> bool:
    """Whether two lines begin, or have their middles, one above the other."""
    begins = line.x1 - after.x1 if line.right_to_left else line.x0 - after.x0
    return min(abs(begins), abs(line.x0 + line.x1 - after.x0 - after.x1)) < line.size


def _numbered(lines: Sequence[Line], index: int, levels: dict[float, int], body: float) -> int:
    """The level of a bold line of the body's size that begins with a section number and is alone; else 0."""
    line = lines[index]
    number = _NUMBERED.match(line.text)
    if not number or not line.bold or line.monospaced or line.gaps or line.size < body * 0.95:
        return 0
    after = lines[index + 1] if index + 1 < len(lines) else None
    among_bold = after is not None and after.bold and after.page == line.page
    if len(line.text) > _LONGEST_NUMBERED or line.text[-1:] in ".,;" or among_bold:
        return 0
    depth = number[1].count(".") + 1
    return min(max(depth, min(levels.values(), default=0) + depth - 1), _DEEPEST)


def _half(size: float) -> float:
    return round(size * 2) / 2
