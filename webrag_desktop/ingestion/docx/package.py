"""A Word file taken apart: the parts that hold its text, made harmless and plain for the converter."""

import io
import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import Archive, damaged_file, inside
from webrag_desktop.ingestion.docx.numbering import lists_part, read_numbering
from webrag_desktop.ingestion.docx.simplify import drop_dangling, note_ids, simplify, title_of
from webrag_desktop.ingestion.docx.styles import read_styles
from webrag_desktop.ingestion.xml_parts import local_name, parse_xml

_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships",
     b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/officeDocument/math",
     b"http://schemas.openxmlformats.org/officeDocument/2006/math"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
)  # fmt: skip
_TEXTS = ("footnotes", "endnotes")
_PARTS = (*_TEXTS, "styles", "numbering")
_LARGEST_PART = 50_000_000  # bytes of XML
_MOST_TAGS = 1_500_000  # of a part, beginnings and ends; the converter holds about 1.5 KB for each element


@dataclass(frozen=True)
class WordPackage:
    """A rebuilt file that only holds text, and what it says about itself."""

    rebuilt: bytes
    core: etree._Element | None
    language: str | None
    title: str | None


def open_package(body: bytes) -> WordPackage:
    """Take a Word file apart; raises :class:`~webrag_desktop.errors.ExtractionError` for one that is no such file."""
    archive = Archive(body)
    main = _main_part(archive)
    found = dict(_related(archive, main))
    styles = read_styles(_part(archive, found.get("styles")))
    document = _part(archive, main)
    if document is None or local_name(document) != "document":
        raise damaged_file()
    title = title_of(document, styles)
    parts = {"document": document, **{kind: _part(archive, found.get(kind)) for kind in _PARTS}}
    numbering = read_numbering(parts["numbering"], styles)
    parts["numbering"] = lists_part()
    notes = {kind: note_ids(parts[kind]) for kind in _TEXTS}
    rebuilt = io.BytesIO()
    with zipfile.ZipFile(rebuilt, "w") as target:
        for kind, root in parts.items():
            if root is None:
                continue
            if kind in {"document", *_TEXTS}:
                links = _links_of(archive, main if kind == "document" else found[kind])
                drop_dangling(root, {link.get("Id") or "" for link in links}, notes)
                simplify(root, styles, numbering)
                target.writestr(f"word/_rels/{kind}.xml.rels", etree.tostring(links, encoding="utf-8"))
            target.writestr(f"word/{kind}.xml", etree.tostring(root, encoding="utf-8"))
    core = "docProps/core.xml"
    return WordPackage(
        rebuilt.getvalue(), _part(archive, core if core in archive else None), styles.language, title
    )


def _main_part(archive: Archive) -> str:
    for kind, name in _related(archive, ""):
        if kind == "officeDocument" and name in archive:
            return name
    if "word/document.xml" in archive:
        return "word/document.xml"
    raise damaged_file()


def _related(archive: Archive, part: str) -> Iterator[tuple[str, str]]:
    """Kinds and names of the parts that a part refers to, inside the file."""
    root = _part(archive, _relations_name(part, archive))
    for relation in root.iter(f"{_RELATIONS}Relationship") if root is not None else ():
        target = relation.get("Target") or ""
        if relation.get("TargetMode") == "External":
            continue
        name = target[1:] if target.startswith("/") else inside(posixpath.dirname(part), target)
        if name is not None and name in archive:
            yield (relation.get("Type") or "").rpartition("/")[2], name


def _relations_name(part: str, archive: Archive) -> str | None:
    folder, _, name = part.rpartition("/")
    wanted = f"{folder}/_rels/{name}.rels".removeprefix("/")
    return wanted if wanted in archive else None


def _links_of(archive: Archive, part: str) -> etree._Element:
    """The relations of a part, reduced to links that lead out of the file."""
    kept = etree.Element(f"{_RELATIONS}Relationships")
    root = _part(archive, _relations_name(part, archive))
    for relation in root.iter(f"{_RELATIONS}Relationship") if root is not None else ():
        if relation.get("TargetMode") == "External" and relation.get("Id") and relation.get("Target"):
            kept.append(relation)
    return kept


def _part(archive: Archive, name: str | None) -> etree._Element | None:
    if name is None:
        return None
    content = archive.read(name, at_most=_LARGEST_PART)
    if content.count(b"<") > _MOST_TAGS:
        raise ExtractionError(
            "The Word file is larger than can be read", "Save it as PDF, or in several parts, and add that."
        )
    for strict, usual in _STRICT:
        content = content.replace(strict, usual)
    return parse_xml(content)
