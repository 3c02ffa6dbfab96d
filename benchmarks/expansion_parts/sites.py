"""A package's pages as a site: its start page, the links between pages, and what stands in their sections."""

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from benchmarks.extraction_parts.debian_packages import PAGES
from benchmarks.extraction_parts.extractors import capture_of
from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.sentences import split_sentences

HOST = "docs.example"
BASE = f"http://{HOST}"
STARTS = ("index.html", "git.html")

_NUMBER = re.compile(r"(?:[A-Z]|\d+)(?:\.\d+)*\.\s+")


class Section(NamedTuple):
    """The heading of a section without its number, and its first sentence as it is read, '' where it has none."""

    heading: str
    sentence: str


class Site:
    """The pages of a folder by their paths, each with its links to the same site and with its sections."""

    def __init__(self, folder: Path, kept: Path) -> None:
        """Read what is ``kept`` of it, or read the pages and keep that."""
        self.folder = folder
        start = min(
            (path for name in STARTS for path in folder.rglob(name)),
            key=lambda path: (len(path.parts), STARTS.index(path.name)),
        )
        self.start = _path_of(start, folder)
        if not kept.exists():
            kept.write_text(json.dumps({"reader": EXTRACTOR_VERSION, **_read(folder)}), encoding="utf-8")
        read = json.loads(kept.read_text(encoding="utf-8"))
        self.links: dict[str, list[str]] = read["links"]
        self.sections = {
            path: [Section(*section) for section in sections] for path, sections in read["sections"].items()
        }

    def has(self, url: str) -> bool:
        """Whether there is a page at an address."""
        return unquote(urlsplit(url).path) in self.links

    def capture(self, url: str) -> Capture:
        """What is answered at the address of a page."""
        return capture_of((self.folder / unquote(urlsplit(url).path).lstrip("/")).read_bytes(), url)

    def depths(self) -> dict[str, int]:
        """How many links each page is away from the start."""
        found, waiting = {self.start: 0}, [self.start]
        for path in waiting:
            for link in self.links.get(path, []):
                if link in self.links and link not in found:
                    found[link] = found[path] + 1
                    waiting.append(link)
        return found

    def walked(self, target: str, chance: random.Random | None = None) -> int:
        """How many pages are fetched until ``target`` is, breadth first or, with ``chance``, at random."""
        known, waiting, fetched = {self.start}, [self.start], -1  # the start page is there already
        while waiting:
            path = waiting.pop(chance.randrange(len(waiting)) if chance else 0)
            fetched += 1
            if path == target:
                return fetched
            for link in self.links.get(path, []):
                if link not in known:
                    known.add(link)
                    waiting.append(link)
        return fetched


def address_of(path: str) -> str:
    """The address at which a page is asked for."""
    return BASE + quote(path)


def _path_of(path: Path, folder: Path) -> str:
    return f"/{path.relative_to(folder).as_posix()}"


def _read(folder: Path) -> dict[str, dict[str, object]]:
    links: dict[str, object] = {}
    sections: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in PAGES or not path.is_file():
            continue
        own = _path_of(path, folder)
        try:
            document = extract(capture_of(path.read_bytes(), address_of(own)))
        except WebragError as error:
            print(f"{own}: {error.message}", file=sys.stderr)
            continue
        targets = (urlsplit(link.url) for link in document.links)
        links[own] = list(dict.fromkeys(unquote(parts.path) for parts in targets if parts.hostname == HOST))
        sections[own] = list(_sections(document))
    return {"links": links, "sections": sections}


def _sections(document: NormalizedDocument) -> Iterator[Section]:
    """Each section with what its first block says; the title of the page has none of its own."""
    waiting = ""
    for block in document.blocks:
        text = document.markdown[block.char_start : block.char_end]
        if text.startswith("#"):
            if waiting:
                yield Section(waiting, "")
            waiting = _NUMBER.sub("", block.heading_path[-1]) if len(block.heading_path) > 1 else ""
        elif waiting:
            yield Section(waiting, _first_sentence(text))
            waiting = ""
    if waiting:
        yield Section(waiting, "")


def _first_sentence(markdown: str) -> str:
    first = next((one for one in split_sentences(markdown) if one.kind == "prose"), None)
    return "" if first is None else " ".join(project(markdown[first.start : first.end]).text.split())
