"""The pages that following links led to, as a compact horizontal diagram.

::

    docs.example.com/intro → /ensemble-methods [✓] → /random-forests [✓]
                                                   → /getting-started [–]

``[✓]`` gave evidence, ``[–]`` was visited and gave none. The page where following began has no mark.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit, urlunsplit

from webrag_desktop.expansion.contracts import Visit
from webrag_desktop.text.printable import title_line

ARROW = "→"
GAVE_EVIDENCE = "[✓]"
GAVE_NONE = "[–]"

LONGEST_LABEL = 80  # code points; what is longer is cut
_CUT = "…"

_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_NOT_ASCII = re.compile(r"[^\x21-\x7e]+")
# What nobody can write into a title, so that no page can make up others: the diagram's own signs.
_OWN_SIGNS = str.maketrans({ARROW: "-", "[": "(", "]": ")"})


def traversal_diagram(visits: Sequence[Visit], *, titles: bool = False) -> str:
    """Draw the pages visited: a line for each that following began with, a branch under the arrow of its parent.

    Lines that begin on one site are grouped, and only the first of them names it. Behind an arrow the site is named
    where it is not that of the page before, then only what differs from that page's path; with
    ``titles`` their titles instead, where they are known. Pages are in the order of their visits, each once. One
    whose parent was not visited is drawn behind that parent's address, without a mark.
    """
    tree = _Tree(visits)
    labels = _root_labels(list(tree.roots.values()), titles)
    for parent, children in tree.children.items():
        labels |= _labels(parent, children, titles)
    return "\n".join(_lines(tree, labels))


class _Tree:
    """Who led to whom. ``roots`` are where following began, by address."""

    def __init__(self, visits: Sequence[Visit]) -> None:
        self.visits: dict[str, Visit] = {}
        for visit in visits:
            before = self.visits.get(visit.url, visit)
            gave = before.gave_evidence or visit.gave_evidence
            self.visits[visit.url] = before._replace(gave_evidence=gave, title=before.title or visit.title)
        self.roots: dict[str, Visit] = {}
        self.children: dict[str, list[Visit]] = defaultdict(list)
        for visit in self.visits.values():
            if visit.parent is None:
                self.roots[visit.url] = visit
            elif visit.parent not in self.visits:
                self.roots.setdefault(visit.parent, Visit(visit.parent, None, gave_evidence=False))
        self._branch()

    def _branch(self) -> None:
        """Put every page under its parent; where parents lead back to themselves, the first one visited begins."""
        for url in self.visits:
            above: dict[str, None] = {}
            while url not in self.roots and url not in above:
                above[url] = None
                url = self.visits[url].parent or url  # noqa: PLW2901
            if url in above:
                self.roots[url] = self.visits[url]
        for visit in self.visits.values():
            if visit.url not in self.roots and visit.parent is not None:
                self.children[visit.parent].append(visit)
        sites = list(dict.fromkeys(map(_site, self.roots)))
        self.roots = dict(sorted(self.roots.items(), key=lambda root: sites.index(_site(root[0]))))


class _Node(NamedTuple):
    url: str
    column: int  # of its arrow
    begins_line: bool


def _lines(tree: _Tree, labels: Mapping[str, str]) -> Iterator[str]:
    """Every line, by going down first; without recursion, since links can be followed far."""
    from rich.cells import cell_len

    for root, visit in tree.roots.items():
        line = labels[root] + _mark(visit)
        waiting = _nodes(tree.children.get(root, ()), cell_len(line) + 1)
        while waiting:
            node = waiting.pop()
            if node.begins_line:
                yield line
                line = " " * (node.column - 1)
            shown = f" {ARROW} {labels[node.url]}{_mark(tree.visits[node.url])}"
            line += shown
            waiting += _nodes(tree.children.get(node.url, ()), node.column + cell_len(shown))
        yield line


def _nodes(children: Sequence[Visit], column: int) -> list[_Node]:
    """Children for a stack: the first one is taken first, and goes on with its parent's line."""
    return [_Node(child.url, column, number > 0) for number, child in enumerate(children)][::-1]


def _mark(visit: Visit) -> str:
    if visit.parent is None:
        return ""
    return f" {GAVE_EVIDENCE if visit.gave_evidence else GAVE_NONE}"


# -- What a page is called ---------------------------------------------------------------------------------------


def _root_labels(roots: Sequence[Visit], titles: bool) -> dict[str, str]:
    """What the pages are called that following began with: of those of one site only the first names it."""
    from rich.cells import cell_len

    labels: dict[str, str] = {}
    before = ""
    for visit in roots:
        site = _site(visit.url)
        again = bool(site) and site == before
        labels[visit.url] = " " * cell_len(site) * again + _root_label(visit, "" if again else site, titles)
        before = site
    return labels


def _root_label(visit: Visit, site: str, titles: bool) -> str:
    path = _path(visit.url, 0)
    if titles and visit.title:
        return _titled(site, visit.title)
    return _cut(site + ("" if site and path == "/" else path))


def _labels(parent: str, children: Sequence[Visit], titles: bool) -> dict[str, str]:
    """What the pages that one page led to are called: as little as distinguishes them, else their whole addresses."""
    labels = {child.url: _label(parent, child, 0, titles) for child in children}
    for level in range(1, 1 + max(len(_segments(child.url)) for child in children)):
        counts = Counter(labels.values())
        if len(counts) == len(labels):
            return labels
        for child in children:
            if counts[labels[child.url]] > 1:
                labels[child.url] = _label(parent, child, level, titles=False)
    counts = Counter(labels.values())
    return {url: label if counts[label] == 1 else _whole(url) for url, label in labels.items()}


def _label(parent: str, child: Visit, more: int, titles: bool) -> str:
    """The page by its title, or by what differs from its parent's path and so many segments ``more`` before that."""
    site = _site(child.url)
    elsewhere = site != _site(parent)
    if titles and child.title:
        return _titled(site if elsewhere else "", child.title)
    if elsewhere:
        path = _path(child.url, 0)
        return _cut(site + ("" if path == "/" else path))
    own, others = _segments(child.url), _segments(parent)
    shared = next((at for at, pair in enumerate(zip(own, others, strict=False)) if len(set(pair)) > 1), None)
    kept = min(len(own), len(others)) if shared is None else shared
    return _cut(_path(child.url, max(0, min(kept, len(own) - 1) - more)))


def _titled(site: str, title: str) -> str:
    named = _cut(title_line(title).translate(_OWN_SIGNS))
    return f"{site}: {named}" if site else named


def _parts(url: str) -> SplitResult:
    """The parts of an address, without name and password, which are nobody's business."""
    try:
        parts = urlsplit(url)
    except ValueError:  # no address, which a page may link to all the same
        return SplitResult("", "", url, "", "")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2])


def _whole(url: str) -> str:
    return _readable(urlunsplit(_parts(url)))


def _site(url: str) -> str:
    """Host and port."""
    return _readable(_parts(url).netloc)


def _segments(url: str) -> list[str]:
    return [segment for segment in _parts(url).path.split("/") if segment]


def _path(url: str, begin: int) -> str:
    """The path from a segment on, with the query."""
    query = _parts(url).query
    return _readable("/" + "/".join(_segments(url)[begin:]) + (f"?{query}" if query else ""))


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - len(_CUT)].rstrip() + _CUT


def _readable(address: str) -> str:
    """An address with letters of all scripts as they are read; nothing else that is not ASCII, and no blanks."""
    escaped = _NOT_ASCII.sub(lambda found: quote(found[0], errors="replace"), address)
    return _ESCAPED.sub(_unescaped, escaped)


def _unescaped(found: re.Match[str]) -> str:
    try:
        text = unquote_to_bytes(found[0]).decode()
    except UnicodeDecodeError:
        return found[0]
    return "".join(char if _is_letter(char) else quote(char, safe="") for char in text)


def _is_letter(char: str) -> bool:
    return char in "-_.~" or char.isalnum() or unicodedata.category(char)[0] == "M"
