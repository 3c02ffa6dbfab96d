"""Small Word files and books made part by part, so that a test can hold exactly what it is about."""

import io
import zipfile
from collections.abc import Mapping

from tests.support.captures import WHEN
from webrag_desktop.models.documents import Capture

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
)
STYLES = f"""<w:styles {NAMESPACES}><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault>
</w:docDefaults>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="My chapter"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="Outlined"><w:name w:val="Outlined"/>
<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Pre"><w:name w:val="HTML Preformatted"/></w:style>
<w:style w:type="paragraph" w:styleId="Zitat"><w:name w:val="Quote"/></w:style>
</w:styles>"""
NUMBERING = f"""<w:numbering {NAMESPACES}>
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"""
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ROOT = f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>"""
_TYPES = f"""<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>"""


def zipped(entries: Mapping[str, bytes | str], *, stored: tuple[str, ...] = ("mimetype",)) -> bytes:
    """A ZIP archive of these entries, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def paragraph(text: str = "", style: str = "", properties: str = "", runs: str = "") -> str:
    """A paragraph of one run, of ready-made runs, or of both."""
    style_xml = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{style_xml}{properties}</w:pPr>{run}{runs}</w:p>"


def item(text: str, number: int = 1, level: int = 0) -> str:
    """A list item: list 1 has bullets with numbers inside, list 2 has numbers."""
    numbering = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return paragraph(text, properties=numbering)


def table(*rows: tuple[str, ...]) -> str:
    """A table of plain cells; the first row is its head."""
    made = []
    for index, row in enumerate(rows):
        head = "<w:trPr><w:tblHeader/></w:trPr>" if index == 0 else ""
        made.append(f"<w:tr>{head}{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>")
    return f"<w:tbl>{''.join(made)}</w:tbl>"


def document_xml(body: str) -> str:
    """The main part of a Word file around ``body``."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><w:document {NAMESPACES}><w:body>{body}</w:body></w:document>'
    )


def docx(
    body: str, *, parts: Mapping[str, bytes | str] | None = None, links: Mapping[str, str] | None = None
) -> bytes:
    """A Word file; ``parts`` adds or replaces entries, ``links`` are external targets by relation id."""
    relations = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/hyperlink" Target="{target}" TargetMode="External"/>'
        for key, target in (links or {}).items()
    )
    relations += "".join(
        f'<Relationship Id="p{number}" Type="{_OFFICE}/{kind}" Target="{kind}.xml"/>'
        for number, kind in enumerate(("styles", "numbering", "footnotes", "endnotes", "comments"))
    )
    return zipped(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _ROOT,
            "word/document.xml": document_xml(body),
            "word/_rels/document.xml.rels": (
                f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'
            ),
            "word/styles.xml": STYLES,
            "word/numbering.xml": NUMBERING,
            **(parts or {}),
        }
    )


def file_capture(body: bytes, name: str, content_type: str = "") -> Capture:
    """A capture as if a file of that name had been added."""
    url = f"file:///home/reader/{name}"
    headers = (("Content-Type", content_type),) if content_type else ()
    return Capture(url=url, final_url=url, headers=headers, body=body, fetched_at=WHEN, filename=name)


CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""


def chapter(body: str, title: str = "") -> str:
    """A chapter of a book as XHTML."""
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd">'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title>{title}</title></head><body>{body}</body></html>"
    )


def nav(*entries: tuple[str, str], landmarks: str = "") -> str:
    """The contents of an EPUB 3 book: addresses and titles."""
    items = "".join(f'<li><a href="{href}">{title}</a></li>' for href, title in entries)
    return chapter(
        f'<nav epub:type="toc"><ol>{items}</ol></nav><nav epub:type="landmarks"><ol>{landmarks}</ol></nav>'
    )


def ncx(*entries: tuple[str, str]) -> str:
    """The contents of an EPUB 2 book: addresses and titles."""
    points = "".join(
        f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{href}"/></navPoint>'
        for href, title in entries
    )
    return f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'


def epub(
    chapters: Mapping[str, str],
    *,
    contents: str = "",
    metadata: str = "<dc:title>A book</dc:title>",
    guide: str = "",
    parts: Mapping[str, bytes | str] | None = None,
) -> bytes:
    """A book; ``contents`` is what :func:`nav` or :func:`ncx` give, ``parts`` adds or replaces entries."""
    is_ncx = contents.startswith("<ncx")
    items = "".join(
        f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    if is_ncx:
        items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    elif contents:
        items += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        spine = f'<itemref idref="nav"/>{spine}'
    toc = ' toc="ncx"' if is_ncx else ""
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:opf="http://www.idpf.org/2007/opf" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0"><metadata>{metadata}</metadata>'
        f"<manifest>{items}</manifest><spine{toc}>{spine}</spine><guide>{guide}</guide></package>"
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": package,
            **{f"OEBPS/{name}": content for name, content in chapters.items()},
            **({"OEBPS/toc.ncx" if is_ncx else "OEBPS/nav.xhtml": contents} if contents else {}),
            **(parts or {}),
        }
    )
