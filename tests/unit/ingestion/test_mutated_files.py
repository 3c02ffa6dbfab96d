"""Files with bytes changed, cut out and doubled: each gives a sound document or a reason, never another error."""

import io
import random
import zipfile

import pytest

from tests.support.captures import check_document
from tests.support.office_files import (
    NAMESPACES,
    chapter,
    docx,
    epub,
    file_capture,
    item,
    nav,
    paragraph,
    table,
    zipped,
)
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.models.documents import Capture, NormalizedDocument

_PIECES = [
    piece.encode()
    for piece in (
        "<w:p>", "</w:p>", "<w:tbl>", "<w:tc>", '"', "<", ">", "&x;", "\0", "\xff", '<w:fldChar w:fldCharType="end"/>',
        '<w:sym w:char="zz" w:font="x"/>', "<template shadowrootmode=open>", "<slot>", "</template>", "<m:oMath/>",
        "<w:footnoteReference/>", "<w:hyperlink>", "<mc:AlternateContent/>", "<w:drawing/>", "<v:imagedata/>", "#",
        "<w:sdt/>", "<x:y/>", "<1/>", '<w:numPr><w:numId w:val="x"/></w:numPr>', "--b",
        "../", "Content-Type: text/html\r\n\r\n",
    )
]  # fmt: skip
_NOTE = '<w:footnote w:id="2"><w:p><w:r><w:t>Note.</w:t></w:r></w:p></w:footnote>'
_WORD = docx(
    paragraph("One", "berschrift1", runs='<w:r><w:footnoteReference w:id="2"/></w:r>')
    + item("a")
    + table(("a", "b")),
    parts={"word/footnotes.xml": f"<w:footnotes {NAMESPACES}>{_NOTE}</w:footnotes>"},
)
_BOOK = epub(
    {"a.xhtml": chapter('<h1 id="x">One</h1><p>Words.</p>'), "b.xhtml": chapter("<p>More.</p>")},
    contents=nav(("a.xhtml#x", "One"), ("b.xhtml", "Two")),
)
_PAGE = (
    b"<!-- saved from url=(0020)https://example.org/ --><main><h1>One</h1><x-y><template shadowrootmode=open>"
    b"<p>in <slot><slot>b</slot></slot></p></template><b>a</b></x-y>"
    b"<p>Words that are long enough to be the content of a page.</p></main>"
)
_MESSAGE = (
    b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
    b"Content-Location: https://example.org/\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    + _PAGE
    + b"\r\n--b--\r\n"
)


def mutated(body: bytes, chance: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0:
                changed[place:place] = chance.choice(_PIECES)
            case 1:
                del changed[place : place + chance.randint(1, 40)]
            case 2:
                changed[place : place + 1] = bytes([chance.randrange(256)])
            case _:
                start = chance.randrange(len(changed) + 1)
                changed[place:place] = changed[start : start + chance.randint(1, 200)]
    return bytes(changed)


def mutated_inside(body: bytes, chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(list(entries))
    entries[name] = mutated(entries[name], chance)
    return zipped(entries)


@pytest.mark.parametrize("name", ["a.docx", "a.epub", "a.html", "a.mhtml"])
def test_any_damage_gives_a_sound_document_or_a_reason(name: str) -> None:
    body = {"a.docx": _WORD, "a.epub": _BOOK, "a.html": _PAGE, "a.mhtml": _MESSAGE}[name]
    read = 0
    for seed in range(100):
        chance = random.Random(f"{name} {seed}")
        inside = name in {"a.docx", "a.epub"} and seed % 4
        capture = file_capture((mutated_inside if inside else mutated)(body, chance), name)
        document = read_or_reason(capture)
        if document is not None:
            check_document(document)
            assert addresses_of(capture, document) == [(capture.url, "given")], seed
            read += 1
    assert read > 5


def read_or_reason(capture: Capture) -> NormalizedDocument | None:
    try:
        return extract(capture)
    except ExtractionError as error:
        if not error.message or not error.hint:
            raise
        return None
