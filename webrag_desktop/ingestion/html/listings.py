"""Code as it was written: listings without line numbers, out of tables and boxes, with the breaks between lines."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from turbohtml import Document, Element, Node, Text

from webrag_desktop.ingestion.html.builders import PageNames

_CODE_WORDS = ("code", "tt", "kbd", "samp")
_LISTINGS = (
    ".highlighttable", ".rouge-table", ".lntable", ".syntaxhighlighter", ".hljs-ln", ".codehilitetable",
)  # fmt: skip
_NUMBERS = (
    ".linenos", ".linenodiv", ".lineno", ".lnt", ".rouge-gutter", ".gutter.gl", "td.gutter", ".blob-num",
    ".hljs-ln-numbers", ".react-syntax-highlighter-line-number", ".ttc", "a.test-arrow", ".line-numbers-rows",
    "pre .line-number", "pre .line-num", "pre .linenumber", "pre .lineNumber", "pre span.ln", "pre .code-line-number",
    ".CodeMirror-linenumber", ".crayon-nums", ".hljs-ln-n", ".cl-gutter",
)  # fmt: skip
# One by one: elements of one name are found by an index, those of a list by a walk over the tree.
_LINES = ("pre > div", "pre > code > div", "pre > code > ol > li", "pre > ol > li")
_BOXES = ("pre div", "pre ol", "pre ul", "pre li")
_LINE = re.compile(r"\s*(\d{1,5})[.:|)]?\s*")
_MORE_THAN_CODE = "table,img,picture,svg,video,object"  # a picture of what the code draws may stand beside it
_FEW_LINES = 3  # from which numbers counted up are those of lines
_COUNTED = "span,i,b,em,a,td,th,div,small,code"
# How the commonest highlighters class a number of the code itself: Prism, Qt, highlight.js, CodeMirror, Pygments,
# Prettify, pandoc, GeSHi, GitHub, Vim.
_NUMBERS_OF_CODE = frozenset(
    (
        "number", "hljs-number", "cm-number", "numeric", "m", "mi", "mf", "mh", "mo", "mb", "il", "lit", "dv", "fl",
        "bn", "nu0", "pl-c1", "constant",
    )
)  # fmt: skip
_LOOKED_AT = 2_000  # characters of a listing in which its first lines are
_MOST_NUMBERS = 20_000  # elements of one listing looked at


def plain_listings(document: Document, names: PageNames) -> None:
    """Rewrite in place: line numbers go, listings set in tables or boxes become code with its lines."""
    numbers = names.narrowed(_NUMBERS)
    if numbers:
        document.remove(numbers)
    _listings_in_tables(document, names)
    _rows_of_code(document)
    _listings_in_words(document)
    _lines_in_boxes(document)
    for listing in document.select("pre"):
        _drop_counted(listing)
    if names.has(".fragment"):
        _doxygen_listings(document)


def _listings_in_tables(document: Document, names: PageNames) -> None:
    tables = names.narrowed(_LISTINGS)
    chosen = document.select(tables) if tables else []
    around = {
        table for listing in document.select("td > pre,td > div pre") if (table := listing.closest("table"))
    }
    chosen += [table for table in around if table not in chosen and _is_gutter_and_code(table)]
    for table in chosen:
        listings = [one for one in table.select("pre") if not _are_numbers(one.text)]
        if table.tag == "table" and len(listings) == 1 and table.parent is not None:
            table.replace_with(listings[0].extract())


def _is_gutter_and_code(table: Element) -> bool:
    """Whether a table's single row is a listing alone, or beside the numbers of its lines."""
    cells = table.select("td,th")
    if (
        len(table.select("tr")) != 1
        or not 1 <= len(cells) <= 2
        or table.select_one(_MORE_THAN_CODE) is not None
    ):
        return False
    *gutter, code = cells
    listing = code.select_one("pre")
    if listing is None or len(code.text.strip()) != len(listing.text.strip()):
        return False
    return not gutter or not gutter[0].text.strip() or _are_numbers(gutter[0].text)


def _are_numbers(text: str) -> bool:
    """Whether a text is nothing but numbers counted up by one, as a gutter is."""
    counted = text.split()
    return (
        len(counted) > 1
        and all(map(str.isdecimal, counted))
        and _are_counted([int(one[:6]) for one in counted])
    )


def _are_counted(numbers: Sequence[int]) -> bool:
    return all(after == before + 1 for before, after in pairwise(numbers))


def _rows_of_code(document: Document) -> None:
    """A table whose rows are the lines of a listing, numbered or not, as file views and embedded snippets have it."""
    for table in document.select("table"):
        first = table.select_one("td")
        begins = first is not None and (_number_in(first) is not None or first.has_class("blob-code"))
        if not begins or table.select_one("pre,th,table") is not None:
            continue
        rows = [row.select(":scope > td") for row in table.select("tr")]
        rows = [row for row in rows if row]
        if len(rows) < _FEW_LINES or any(len(row) > 2 for row in rows):
            continue
        lines = [row[-1] for row in rows]
        firsts = [_number_in(row[0]) for row in rows if len(row) == 2]
        counted = [number for number in firsts if number is not None]
        marked = all("blob-code" in (line.attr("class") or "") for line in lines)
        numbered = len(counted) == len(firsts) == len(rows) and _are_counted(counted)
        if marked or (numbered and all(_is_code(line) for line in lines)):
            code = "\n".join(line.text.strip("\n") for line in lines)
            table.replace_with(Element("pre", _class_of(table), [Text(code)]))


def _number_in(cell: Element) -> int | None:
    counted = _LINE.fullmatch(cell.text or cell.attr("data-line-number") or "")
    return int(counted[1]) if counted else None


def _is_code(cell: Element) -> bool:
    code = cell.select_one("code")
    return not cell.text.strip() or (code is not None and len(code.text.strip()) == len(cell.text.strip()))


def _class_of(table: Element) -> dict[str, str | list[str] | None]:
    stated = table.attr("class")
    return {"class": stated} if stated else {}


def _listings_in_words(document: Document) -> None:
    """Code set as words around a whole listing says nothing more, and neither words nor a link can hold the listing."""
    for tag in _CODE_WORDS:
        for words in document.select(f"{tag}:has(pre)"):
            words.unwrap()
    for listing in document.select("a[href] pre"):
        link = listing.closest("a[href]")
        if link is not None:
            del link.attrs["href"]


def _lines_in_boxes(document: Document) -> None:
    """Listings whose lines are boxes of their own get the line breaks that only the boxes made."""
    for selector in _LINES:
        for line in document.select(selector):
            following = line.next_sibling
            broken = isinstance(following, Text) and following.text.lstrip(" ").startswith("\n")
            if following is not None and not broken and not line.text.endswith("\n"):
                line.append(Text("\n"))
    for selector in _BOXES:
        for box in document.select(selector):
            box.unwrap()


def _drop_counted(listing: Element) -> None:
    """Take out the numbers of lines that no class gives away: elements alone that count up, each before a line."""
    beginnings = [line.lstrip()[:1] for line in listing.text[:_LOOKED_AT].split("\n") if line.strip()]
    if len(beginnings) > 1 and not all(map(str.isdecimal, beginnings[:_FEW_LINES])):
        return  # nearly always
    groups: dict[tuple[str, str | None], list[Element]] = defaultdict(list)
    for element in listing.select(_COUNTED)[:_MOST_NUMBERS]:
        if _LINE.fullmatch(element.text) and not _is_of_code(element):
            groups[element.tag, element.attr("class")].append(element)
    for found in groups.values():
        if len(found) < _FEW_LINES or not _are_counted([_counted(one) for one in found]):
            continue
        if all(_begins_line(one, listing) for one in found) and any(
            _text_behind(one, listing) for one in found
        ):
            for one in found:
                one.extract()


def _is_of_code(element: Element) -> bool:
    classes = (element.attr("class") or "").lower().split()
    return "line" not in classes and not _NUMBERS_OF_CODE.isdisjoint(classes)


def _counted(element: Element) -> int:
    found = _LINE.fullmatch(element.text)
    return int(found[1]) if found else -1


def _begins_line(element: Element, listing: Element) -> bool:
    for node in _beside(element, listing, back=True):
        if isinstance(node, Element) and node.tag == "br":
            return True
        if text := node.text.rstrip(" \t\xa0"):
            return text.endswith("\n")
    return True


def _text_behind(element: Element, listing: Element) -> bool:
    """Whether a line goes on behind its number."""
    for node in _beside(element, listing, back=False):
        if isinstance(node, Element) and node.tag == "br":
            return False
        if node.text.strip(" \t"):
            return not node.text.lstrip(" \t").startswith("\n")
    return False


def _beside(element: Element, listing: Element, *, back: bool) -> Iterator[Node]:
    """What is before or behind an element within a listing, the nearest first."""
    place: Node | None = element
    while isinstance(place, Element) and place is not listing:
        yield from place.previous_siblings if back else place.next_siblings
        place = place.parent


def _doxygen_listings(document: Document) -> None:
    for fragment in document.select("div.fragment"):
        lines = fragment.select("div.line")
        for blank in [node for node in fragment.children if lines and not node.text.strip()]:
            if not isinstance(blank, Element):
                blank.extract()
        for line in lines:
            line.append(Text("\n"))
            line.unwrap()
        fragment.tag = "pre"
