"""What a book (EPUB 2 and 3) says about itself: its chapters in order, its contents, its metadata."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

import turbohtml
from lxml import etree

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import Archive, damaged_file, inside
from webrag_desktop.ingestion.facts import Facts
from webrag_desktop.ingestion.xml_parts import local_name, parse_xml, words
from webrag_desktop.models.formats import suffixes_of

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_PAGE_TYPES = frozenset(
    ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
)
_PAGE_NAMES = (*suffixes_of("html"), ".xml")
_LISTS = frozenset(("toc", "loi", "lot", "cover"))
_FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_LARGEST_PART = 10_000_000  # bytes of a package or contents file
_NO_DESCRIPTION = frozenset(("unknown", "none"))
_MOST_CHAPTERS = 20_000
_DEEPEST_CONTENTS = 6
_TAG = re.compile(r"<[a-z/!]", re.IGNORECASE)


@dataclass(frozen=True)
class ContentsEntry:
    """A title of the table of contents, ``depth`` counted from 0, and the place it leads to."""

    chapter: str
    fragment: str
    title: str
    depth: int


@dataclass(frozen=True)
class Book:
    """The package of a book. ``chapters`` are names of entries in reading order, each once; ``lists`` those of them
    that the book calls its cover or one of its lists of contents."""

    chapters: tuple[str, ...]
    lists: frozenset[str]
    contents: tuple[ContentsEntry, ...]
    title: str | None
    description: str | None
    language: str | None
    facts: Facts


@dataclass(frozen=True)
class _Item:
    name: str
    media_type: str
    properties: tuple[str, ...]


def read_package(archive: Archive) -> Book:
    """The package of a book.

    Raises :class:`~webrag_desktop.errors.ExtractionError` when it is damaged, unsafe, or locked by its seller.
    """
    name = _package_name(archive)
    package = parse_xml(archive.read(name, at_most=_LARGEST_PART), recover=True)
    items = _items(package, posixpath.dirname(name))
    navigation = next((item.name for item in items.values() if "nav" in item.properties), None)
    chapters = tuple(dict.fromkeys(_spine(package, items, archive)))[:_MOST_CHAPTERS]
    _refuse_locked(archive, chapters)
    nav = _part(archive, navigation)
    lists = {*_guided(package, posixpath.dirname(name)), *_landmarks(nav, navigation or "")}
    return Book(
        chapters=tuple(chapter for chapter in chapters if chapter != navigation),
        lists=frozenset(lists),
        contents=_below_title(
            list(_contents(archive, package, items, nav, navigation or "")), _stated(package, "title")
        ),
        title=_stated(package, "title"),
        description=_plain(_stated(package, "description")),
        language=_stated(package, "language"),
        facts=_facts(package),
    )


def _package_name(archive: Archive) -> str:
    container = _part(archive, _CONTAINER)
    for root in container.iter() if container is not None else ():
        name = inside("", unquote(root.get("full-path") or "")) if local_name(root) == "rootfile" else None
        if name is not None and name in archive:
            return name
    found = next((name for name in archive.names if name.lower().endswith(".opf")), None)
    if found is None:
        raise damaged_file()
    return found


def _part(archive: Archive, name: str | None) -> etree._Element | None:
    if name is None or name not in archive:
        return None
    return parse_xml(archive.read(name, at_most=_LARGEST_PART), recover=True)


def _items(package: etree._Element, folder: str) -> dict[str, _Item]:
    found: dict[str, _Item] = {}
    for item in package.iter():
        if local_name(item) != "item":
            continue
        name = _target(folder, item.get("href") or "")[0]
        if name is not None and item.get("id"):
            properties = tuple((item.get("properties") or "").split())
            found[item.get("id") or ""] = _Item(name, (item.get("media-type") or "").lower(), properties)
    return found


def _spine(package: etree._Element, items: dict[str, _Item], archive: Archive) -> Iterator[str]:
    for reference in package.iter():
        item = items.get(reference.get("idref") or "") if local_name(reference) == "itemref" else None
        if item is None or item.name not in archive:
            continue
        if item.media_type in _PAGE_TYPES or item.name.lower().endswith(_PAGE_NAMES):
            yield item.name


def _target(folder: str, reference: str) -> tuple[str | None, str]:
    """The entry and the fragment that a reference of the book leads to."""
    path, _, fragment = reference.partition("#")
    return inside(folder, unquote(path)) if path else None, unquote(fragment)


def _refuse_locked(archive: Archive, chapters: tuple[str, ...]) -> None:
    """Disguised fonts do not matter; encrypted chapters can only be read by the seller's app."""
    encryption = _part(archive, _ENCRYPTION)
    for data in encryption.iter() if encryption is not None else ():
        if local_name(data) != "EncryptedData":
            continue
        method = next(
            (part.get("Algorithm") for part in data if local_name(part) == "EncryptionMethod"), None
        )
        locked = {
            unquote(part.get("URI") or "").lstrip("/")
            for part in data.iter()
            if local_name(part) == "CipherReference"
        }
        if method not in _FONT_METHODS and locked & set(chapters):
            raise ExtractionError(
                "This book is protected against copying (DRM), so it can only be read with its seller’s app",
                "Add an edition without protection.",
            )


# -- Contents -----------------------------------------------------------------------------------------------------


def _guided(package: etree._Element, folder: str) -> Iterator[str]:
    for reference in package.iter(f"{_OPF}reference"):
        name = _target(folder, reference.get("href") or "")[0]
        if name is not None and (reference.get("type") or "").lower() in _LISTS:
            yield name


def _landmarks(nav: etree._Element | None, name: str) -> Iterator[str]:
    for link in nav.iter() if nav is not None else ():
        types = (link.get(_EPUB_TYPE) or "").split() if local_name(link) == "a" else []
        target = _target(posixpath.dirname(name), link.get("href") or "")[0]
        if target is not None and _LISTS.intersection(types):
            yield target


def _contents(
    archive: Archive, package: etree._Element, items: dict[str, _Item], nav: etree._Element | None, name: str
) -> Iterator[ContentsEntry]:
    for part in nav.iter() if nav is not None else ():
        if local_name(part) == "nav" and "toc" in (part.get(_EPUB_TYPE) or "").split():
            yield from _of_nav(part, posixpath.dirname(name))
            return
    spine = next((part for part in package.iter() if local_name(part) == "spine"), None)
    ncx = items.get(spine.get("toc") or "") if spine is not None else None
    ncx = ncx or next(
        (item for item in items.values() if item.media_type == "application/x-dtbncx+xml"), None
    )
    root = _part(archive, ncx.name if ncx else None)
    if ncx is not None and root is not None:
        yield from _of_ncx(root, posixpath.dirname(ncx.name))


def _below_title(entries: list[ContentsEntry], title: str | None) -> tuple[ContentsEntry, ...]:
    """The entries; where all are below the first and that is the book itself, without that step."""
    if not entries or entries[0].title != title or any(entry.depth == 0 for entry in entries[1:]):
        return tuple(entries)
    return entries[0], *(replace(entry, depth=entry.depth - 1) for entry in entries[1:])


def _of_nav(nav: etree._Element, folder: str) -> Iterator[ContentsEntry]:
    for link in nav.iter():
        if local_name(link) == "a":
            depth = sum(local_name(ancestor) == "ol" for ancestor in link.iterancestors()) - 1
            yield from _entry(folder, link.get("href") or "", words(link), depth)


def _of_ncx(root: etree._Element, folder: str) -> Iterator[ContentsEntry]:
    for point in root.iter():
        if local_name(point) != "navPoint":
            continue
        label = next((part for part in point if local_name(part) == "navLabel"), None)
        content = next((part for part in point if local_name(part) == "content"), None)
        depth = sum(local_name(ancestor) == "navPoint" for ancestor in point.iterancestors())
        source = (content.get("src") or "") if content is not None else ""
        yield from _entry(folder, source, words(label), depth)


def _entry(folder: str, reference: str, title: str, depth: int) -> Iterator[ContentsEntry]:
    chapter, fragment = _target(folder, reference)
    if chapter is not None and title:
        yield ContentsEntry(chapter, fragment, title, max(0, min(depth, _DEEPEST_CONTENTS - 1)))


# -- Metadata -----------------------------------------------------------------------------------------------------


def _stated(package: etree._Element, name: str) -> str | None:
    return next((found for part in package.iter(f"{_DC}{name}") if (found := words(part))), None)


_OTHER_ROLES = frozenset("ill edt trl nrt ctb bkp cov dsr pbl aui fmo art clr pht ann com".split())


def _facts(package: etree._Element) -> Facts:
    """Who wrote the book and what it is registered as; illustrators, translators and the like are no authors."""
    facts = Facts()
    creators = [part for part in package.iter(f"{_DC}creator") if words(part)]
    roles = {meta.get("refines"): words(meta).lower() for meta in package.iter(f"{_OPF}meta")
             if meta.get("property") == "role"}  # fmt: skip
    stated = [
        words(part)
        for part in creators
        if (part.get(f"{_OPF}role") or roles.get(f"#{part.get('id')}", "")).lower() not in _OTHER_ROLES
    ]
    facts.state_authors("epub", stated, inverted=True)
    facts.state("publisher", "epub", _stated(package, "publisher"))
    identifiers = [words(part) for part in package.iter(f"{_DC}identifier")]
    sources = [words(part) for part in package.iter(f"{_DC}source")]
    facts.state("isbn", "epub", *identifiers, *sources)
    facts.state("doi", "epub", *identifiers)
    facts.state("licence", "epub", _property(package, "dcterms:license"), _stated(package, "rights"))
    published = _date(package, ("publication", "original-publication", "issued", ""))
    modified = _property(package, "dcterms:modified") or _date(package, ("modification", "modified"))
    facts.state_time("published_time", "epub", published)
    facts.state_time("modified_time", "epub", modified)
    return facts


def _date(package: etree._Element, events: tuple[str, ...]) -> str | None:
    for date in package.iter(f"{_DC}date"):
        if (date.get(f"{_OPF}event") or "").lower() in events and words(date):
            return words(date)
    return None


def _property(package: etree._Element, name: str) -> str | None:
    for meta in package.iter(f"{_OPF}meta"):
        if meta.get("property") == name and not meta.get("refines") and words(meta):
            return words(meta)
    return None


def _plain(description: str | None) -> str | None:
    """A description is often HTML inside its element; some builders write that there is none."""
    if description is not None and description.lower() in _NO_DESCRIPTION:
        return None
    if description is None or not _TAG.search(description):
        return description
    return " ".join(turbohtml.parse(description, positions=False).text.split()) or None
