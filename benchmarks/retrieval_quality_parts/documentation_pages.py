"""The pages of Debian's documentation packages that questions are made of, and the links of all others to them."""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from benchmarks.extraction_parts.debian_packages import fetch_packages
from benchmarks.extraction_parts.extractors import capture_of
from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.models.documents import NormalizedDocument


class Package(NamedTuple):
    """Where a package's pages are, and which folders hold prose and reference, not lists of releases or of sources."""

    root: str
    folders: tuple[str, ...] = ("",)


PACKAGES: Mapping[str, Package] = {
    "apache2-doc": Package("usr/share/doc/apache2-doc/manual/en"),
    "git-doc": Package("usr/share/doc/git-doc"),
    "postgresql-doc-15": Package("usr/share/doc/postgresql-doc-15/html"),
    "python-django-doc": Package("usr/share/doc/python-django-doc/html", ("topics", "ref")),
    "python-sqlalchemy-doc": Package("usr/share/doc/python-sqlalchemy-doc/html", ("orm", "core")),
    "python3.11-doc": Package("usr/share/doc/python3.11/html", ("library", "howto")),
    "sqlite3-doc": Package("usr/share/doc/sqlite3"),
}
PAGES_OF_EACH = 14
PAGE_CHARACTERS = range(4_000, 30_000)  # of markdown
HOST = "docs.example.org"
LEAST_WORDS = 3  # of the words of a link that tell what a section is about


class Reference(NamedTuple):
    """A link in the text of a page, to a place of a page: its name, the anchor, and the words of the link."""

    page: str
    anchor: str
    words: str


class Pages(NamedTuple):
    """The chosen pages by their names, and every link to a place of one of them."""

    documents: Mapping[str, NormalizedDocument]
    references: tuple[Reference, ...]


@cache
def read_pages(folder: Path) -> Pages:
    """Of each package, the pages to whose places most different words of other pages lead.

    Packages that are not in the folder are fetched into it. What the pages link to is kept there, too.

    Raises:
        FileNotFoundError: a package is not there and cannot be fetched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in PACKAGES if not (folder / name).is_dir()]
    for name, outcome in fetch_packages(folder, None, missing):
        if not (folder / name).is_dir():
            raise FileNotFoundError(f"{name}: {outcome}")
    documents: dict[str, NormalizedDocument] = {}
    references: list[Reference] = []
    for package in PACKAGES:
        linked = _references(folder, package)
        chosen = _most_linked(folder, package, linked)
        documents |= chosen
        references += [one for one in linked if one.page in chosen]
    return Pages(documents, tuple(references))


def _most_linked(folder: Path, package: str, linked: list[Reference]) -> dict[str, NormalizedDocument]:
    paths = _paths(folder, package)
    words: dict[str, set[str]] = {name: set() for name in paths}
    for one in linked:
        if one.page in words and len(one.words.split()) >= LEAST_WORDS:
            words[one.page].add(one.words.casefold())
    chosen: dict[str, NormalizedDocument] = {}
    for name in sorted(words, key=lambda name: (-len(words[name]), name)):
        document = _document(name, paths[name])
        if document is not None and len(document.markdown) in PAGE_CHARACTERS:
            chosen[name] = document
            if len(chosen) == PAGES_OF_EACH:
                break
    return chosen


def _references(folder: Path, package: str) -> list[Reference]:
    kept = folder / f"{package}-links-{EXTRACTOR_VERSION}.json"
    if not kept.exists():
        kept.write_text(json.dumps(list(dict.fromkeys(_read(folder, package)))), encoding="utf-8")
    return [Reference(*one) for one in json.loads(kept.read_text(encoding="utf-8"))]


def _read(folder: Path, package: str) -> Iterator[Reference]:
    for name, path in _paths(folder, package).items():
        document = _document(name, path)
        for link in document.links if document else ():
            target = urlsplit(link.url)
            if link.place == "content" and target.hostname == HOST and target.fragment:
                yield Reference(
                    unquote(target.path).lstrip("/"), target.fragment, " ".join(link.text.split())
                )


def _document(name: str, path: Path) -> NormalizedDocument | None:
    """What is read of a page; None where the reader refuses it, as it does pages without words."""
    try:
        return extract(capture_of(path.read_bytes(), f"https://{HOST}/{quote(name)}"))
    except WebragError as error:
        print(f"{name}: {error.message}", file=sys.stderr)
        return None


def _paths(folder: Path, package: str) -> dict[str, Path]:
    """The pages of a package by name, which is the package's and their path below its root."""
    root = folder / package / PACKAGES[package].root
    found = {path for part in PACKAGES[package].folders for path in (root / part).rglob("*.html")}
    return {
        f"{package}/{path.relative_to(root).as_posix()}": path
        for path in sorted(found)
        if path.is_file() and not path.is_symlink()
    }
