"""Gold pages: public gold sets, folders of pages with their texts, and pages of known builders."""

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml.etree import LxmlError

from benchmarks.extraction_parts.builders import BUILDERS, known_content
from benchmarks.extraction_parts.html_reading import html_structure, parse, remove_unseen, visible_text
from benchmarks.extraction_parts.markdown_reading import markdown_structure, markdown_text
from benchmarks.extraction_parts.structure import Structure

HTML = (".html", ".htm", ".xhtml")
SEED = 20
_LISTS_OF_CONTENTS = re.compile(r"_(?:toc|abt)\.html?$")  # pages that are furniture throughout
LEAST_WORDS = 30  # pages with less say nothing about an extractor
LARGEST_PAGE = 3_000_000  # bytes; peers take minutes above


@dataclass(frozen=True)
class GoldPage:
    """A page and the text an extractor should find; ``structure`` where it is known."""

    name: str
    url: str
    html: bytes
    text: str
    structure: Structure | None = None
    builder: str = ""


def read_gold(folder: Path) -> list[GoldPage]:
    """A gold set in any of three layouts.

    ``ground-truth.json`` (page id to ``articleBody`` and ``url``) with ``html/ID.html.gz``, as the public article
    extraction benchmark has it; ``NAME/source.html`` with ``NAME/expected.html``, as the test pages of reader modes are
    kept; or ``NAME.html`` with ``NAME.md`` or ``NAME.txt`` beside it. Raises FileNotFoundError where none is there.
    """
    truth = folder / "ground-truth.json"
    pages = list(_public(truth)) if truth.is_file() else [*_expected(folder), *_side_by_side(folder)]
    if not pages:
        raise FileNotFoundError(
            f"{folder} holds neither ground-truth.json nor pages with their texts beside them"
        )
    return pages


def read_known(folder: Path, limit: int, seed: int = SEED) -> list[GoldPage]:
    """At most ``limit`` pages below a folder whose builder is known, as many of each builder as of another."""
    every = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in HTML)
    paths = [path for path in every if path.is_file() and not _LISTS_OF_CONTENTS.search(path.name)]
    random.Random(seed).shuffle(paths)
    found: dict[str, list[GoldPage]] = defaultdict(list)
    quota = max(1, limit // len(BUILDERS))
    for path in evenly(paths, folder, 12 * limit):
        page = _known(path, folder)
        if page is not None and len(found[page.builder]) < quota:
            found[page.builder].append(page)
    return [page for name in sorted(found) for page in found[name]]


def evenly(paths: Sequence[Path], folder: Path, limit: int) -> list[Path]:
    """``limit`` of the paths, drawn in turn from the folders right below ``folder``, in the order given."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        groups[path.relative_to(folder).parts[0]].append(path)
    chosen: list[Path] = []
    queues = [groups[name] for name in sorted(groups)]
    depth = 0
    while len(chosen) < limit and any(depth < len(queue) for queue in queues):
        chosen += [queue[depth] for queue in queues if depth < len(queue)]
        depth += 1
    return chosen[:limit]


def page_address(path: Path, folder: Path) -> str:
    """An address for a page of a folder, so that its relative links have something to lead to."""
    return "https://docs.example.org/" + path.relative_to(folder).as_posix()


def _known(path: Path, folder: Path) -> GoldPage | None:
    body = path.read_bytes()
    if len(body) > LARGEST_PAGE:
        return None
    try:
        content = known_content(parse(body))
    except LxmlError:
        return None  # not a page at all
    if content is None or len(content.text.split()) < LEAST_WORDS:
        return None
    name = path.relative_to(folder).as_posix()
    return GoldPage(name, page_address(path, folder), body, content.text, content.structure, content.builder)


def _public(truth: Path) -> Iterator[GoldPage]:
    for name, page in sorted(json.loads(truth.read_text("utf-8")).items()):
        body = gzip.decompress((truth.parent / "html" / f"{name}.html.gz").read_bytes())
        yield GoldPage(name, page.get("url") or "https://example.org/", body, page.get("articleBody") or "")


def _expected(folder: Path) -> Iterator[GoldPage]:
    for path in sorted(folder.glob("*/source.html")):
        expected = path.with_name("expected.html")
        if expected.is_file():
            tree = parse(expected.read_bytes(), "utf-8")
            remove_unseen(tree)
            name = path.parent.name
            address = f"https://pages.example.org/{name}.html"
            yield GoldPage(name, address, path.read_bytes(), visible_text(tree), html_structure(tree))


def _side_by_side(folder: Path) -> Iterator[GoldPage]:
    for path in sorted(folder.rglob("*.html")):
        name, url = path.relative_to(folder).as_posix(), page_address(path, folder)
        markdown, text = path.with_suffix(".md"), path.with_suffix(".txt")
        if markdown.is_file():
            source = markdown.read_text("utf-8")
            yield GoldPage(name, url, path.read_bytes(), markdown_text(source), markdown_structure(source))
        elif text.is_file():
            yield GoldPage(name, url, path.read_bytes(), text.read_text("utf-8"))
