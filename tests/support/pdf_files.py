"""PDFs written by hand: just enough of the format to set words, lines, links and bookmarks where a test wants them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.captures import WHEN
from webrag_desktop.models.documents import Capture

FONTS = {"F": "Helvetica", "B": "Helvetica-Bold", "C": "Courier", "CB": "Courier-Bold"}
UNICODE_FONT = "U"
LEFT, TOP = 72.0, 720.0


@dataclass
class PdfPage:
    """A page of 612 by 792 points: ``content`` is its drawing, written by the methods from the top down."""

    content: list[str] = field(default_factory=list)
    links: list[tuple[tuple[float, float, float, float], str]] = field(default_factory=list)
    box: str = "[0 0 612 792]"
    attributes: str = ""

    def text(
        self, words: str, x: float = LEFT, y: float = TOP, size: float = 10, font: str = "F", mode: int = 0
    ) -> "PdfPage":
        """One piece of text with its baseline at ``y``."""
        shown = words.encode("utf-16-be").hex() if font == UNICODE_FONT else words.encode("cp1252").hex()
        self.content.append(f"BT /{font} {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm <{shown}> Tj ET")
        return self

    def turned(self, words: str, matrix: str, size: float = 10) -> "PdfPage":
        """Text under a matrix of its own."""
        self.content.append(f"BT /F {size} Tf {matrix} Tm <{words.encode('cp1252').hex()}> Tj ET")
        return self

    def lines(
        self, lines: Sequence[str], x: float = LEFT, y: float = TOP, size: float = 10, font: str = "F"
    ) -> "PdfPage":
        """Lines one below the other, 1.2 font sizes apart."""
        for index, words in enumerate(lines):
            self.text(words, x, y - 1.2 * size * index, size, font)
        return self

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> "PdfPage":
        """A thin line."""
        self.content.append(f"{x0} {y0} m {x1} {y1} l S")
        return self

    def dot(self, x: float, y: float, size: float = 3) -> "PdfPage":
        """A small filled square, as bullets are drawn."""
        self.content.append(f"{x} {y} {size} {size} re f")
        return self

    def picture(self) -> "PdfPage":
        """An image over the whole page."""
        self.content.append("q 612 0 0 792 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q")
        return self


def pdf_bytes(
    pages: Sequence[PdfPage],
    *,
    info: str = "",
    catalog: str = "",
    outline: Sequence[tuple[str, int]] = (),
    packet: str = "",
) -> bytes:
    """The file: ``outline`` are titles and pages from 0; ``info`` and ``catalog`` are entries of dictionaries."""
    objects: list[bytes] = [b""] * 2
    fonts = " ".join(f"/{key} {_add(objects, _font(name))} 0 R" for key, name in FONTS.items())
    fonts += f" /{UNICODE_FONT} {_unicode_font(objects)} 0 R"
    numbers = [_add_page(objects, page, fonts) for page in pages]
    objects[1] = f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{n} 0 R' for n in numbers)}]>>".encode()
    if outline:
        catalog += f"/Outlines {_add_outline(objects, outline, numbers)} 0 R"
    if packet:
        catalog += f"/Metadata {_add(objects, stream(packet.encode(), '/Type/Metadata/Subtype/XML'))} 0 R"
    objects[0] = f"<</Type/Catalog/Pages 2 0 R{catalog}>>".encode()
    trailer = f"/Info {_add(objects, f'<<{info}>>'.encode())} 0 R" if info else ""
    return assembled(objects, trailer)


def assembled(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """A file of numbered objects, the first of which is the catalogue."""
    file = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    file += f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(file)


def stream(data: bytes, attributes: str = "") -> bytes:
    """A stream object."""
    return f"<</Length {len(data)}{attributes}>>stream\n".encode() + data + b"\nendstream"


def pdf_capture(body: bytes, filename: str = "paper.pdf") -> Capture:
    """A capture of a dropped PDF."""
    url = f"file:///home/reader/{filename}"
    return Capture(url=url, final_url=url, body=body, fetched_at=WHEN, filename=filename)


def _add(objects: list[bytes], body: bytes) -> int:
    objects.append(body)
    return len(objects)


def _font(name: str) -> bytes:
    return f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>".encode()


def _unicode_font(objects: list[bytes]) -> int:
    """A font whose codes are UTF-16 units, all one em wide."""
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def\n"
        b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        b"1 beginbfrange <0001> <FFFF> <0001> endbfrange\nendcmap end end"
    )
    unicode_map = _add(objects, stream(cmap))
    inner = _add(
        objects,
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/DW 1000"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
    )
    font = f"<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[{inner} 0 R]"
    return _add(objects, f"{font}/ToUnicode {unicode_map} 0 R>>".encode())


def _add_page(objects: list[bytes], page: PdfPage, fonts: str) -> int:
    content = _add(objects, stream("\n".join(page.content).encode("latin-1")))
    links = [
        _add(
            objects,
            f"<</Type/Annot/Subtype/Link/Rect[{' '.join(map(str, rect))}]/A<</S/URI/URI({address})>>>>".encode(),
        )
        for rect, address in page.links
    ]
    annotations = f"/Annots[{' '.join(f'{n} 0 R' for n in links)}]" if links else ""
    head = f"<</Type/Page/Parent 2 0 R/MediaBox{page.box}/Resources<</Font<<{fonts}>>>>"
    return _add(objects, f"{head}/Contents {content} 0 R{annotations}{page.attributes}>>".encode())


def _add_outline(objects: list[bytes], outline: Sequence[tuple[str, int]], pages: list[int]) -> int:
    root = len(objects) + 1
    first, last = root + 1, root + len(outline)
    _add(objects, f"<</First {first} 0 R/Last {last} 0 R/Count {len(outline)}>>".encode())
    for index, (title, page) in enumerate(outline):
        after = f"/Next {first + index + 1} 0 R" if first + index < last else ""
        shown = title.encode("utf-16").hex()
        _add(objects, f"<</Title<{shown}>/Parent {root} 0 R/Dest[{pages[page]} 0 R/Fit]{after}>>".encode())
    return root
