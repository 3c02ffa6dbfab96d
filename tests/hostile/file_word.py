"""Word files, each with one thing wrong."""

import io
import zipfile
from collections.abc import Callable

from tests.hostile.cases import BytesCase, Case, Fails, Gives, Outcome
from tests.hostile.packing import flagged, renamed, zipped

DAMAGED = Fails("The file is damaged")
UNSAFE = Fails("The file is not safe to read")
KEPT = Gives(("before", "after"))
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType='
    '"application/xml"/><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
WORDS = "<w:p><w:r><w:t>before</w:t></w:r></w:p>{}<w:p><w:r><w:t>after</w:t></w:r></w:p>"


def parts(body: str = "", prolog: str = "", relations: str = "") -> dict[str, bytes | str]:
    """The entries of a Word file."""
    return {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f"{prolog}<w:document {_W}><w:body>{WORDS.format(body)}</w:body></w:document>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{relations}</Relationships>',
    }


def _outside(kind: str, name: str, target: str) -> str:
    return f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}" TargetMode="External"/>'


def _word(name: str, what: str, make: Callable[[], bytes], outcome: Outcome) -> BytesCase:
    return BytesCase(
        name,
        what,
        make,
        outcome,
        content_type="",
        filename=f"{name}.docx",
        url=f"file:///home/me/{name}.docx",
    )


def _twice() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for entry, content in parts().items():
            archive.writestr(zipfile.ZipInfo(entry), content)
        archive.writestr(zipfile.ZipInfo("word/documenT.xml"), "<evil/>")
    return renamed(packed.getvalue(), b"word/documenT.xml", b"word/document.xml")


def _link_entry() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for entry, content in (parts() | {"word/document.xml": "/etc/passwd"}).items():
            info = zipfile.ZipInfo(entry)
            info.external_attr = 0o120777 << 16 if entry == "word/document.xml" else 0
            archive.writestr(info, content)
    return packed.getvalue()


def _entities() -> str:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY l0 "lol">{levels}]>'


CASES: tuple[Case, ...] = (
    _word(
        "docx-plain",
        "a Word file with nothing wrong, so that the others prove something",
        lambda: zipped(parts()),
        KEPT,
    ),
    _word("docx-cut-short", "the first half of a file", lambda: zipped(parts())[:500], DAMAGED),
    _word(
        "docx-noise-inside",
        "a file whose packed bytes are noise",
        lambda: zipped(parts()).replace(b"\x9d", b"\x00").replace(b"\xad", b"\xff"),
        DAMAGED,
    ),
    _word(
        "docx-entity-bomb",
        "entities that unfold to gigabytes",
        lambda: zipped(parts("<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>", _entities())),
        UNSAFE,
    ),
    _word(
        "docx-external-entity",
        "an entity that names a file of the reader",
        lambda: zipped(
            parts(
                "<w:p><w:r><w:t>&x;</w:t></w:r></w:p>",
                '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
            )
        ),
        UNSAFE,
    ),
    _word("docx-zip-bomb", "120 MB of blanks in 120 kB", lambda: zipped(parts(" " * 120_000_000)), UNSAFE),
    _word(
        "docx-deep",
        "100,000 elements in each other",
        lambda: zipped(parts("<w:sdt><w:sdtContent>" * 50_000 + "</w:sdtContent></w:sdt>" * 50_000)),
        Fails("The file is damaged"),
    ),
    _word(
        "docx-deep-tables",
        "60 tables in each other",
        lambda: zipped(parts("<w:tbl><w:tr><w:tc>" * 60 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 60)),
        Fails("nested more deeply than can be read"),
    ),
    _word(
        "docx-thirty-thousand-entries",
        "30,000 empty files beside the text",
        lambda: zipped(parts() | {f"x{n}": b"" for n in range(30_000)}),
        UNSAFE,
    ),
    _word("docx-two-texts", "two texts of the same name", _twice, Fails("The file is damaged")),
    _word(
        "docx-text-is-a-link",
        "a text that is a symbolic link to a file of the reader",
        _link_entry,
        Fails("The file is damaged"),
    ),
    _word(
        "docx-traversal",
        "entries whose names lead out of the archive: nothing is ever written",
        lambda: zipped(
            parts() | {"../../../../tmp/evil": b"x", "/etc/evil": b"x", "C:\\evil": b"x", "..\\evil": b"x"}
        ),
        KEPT,
    ),
    _word(
        "docx-text-outside",
        "a text that is said to lie outside the archive",
        lambda: zipped(
            parts()
            | {
                "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
                f'Type="{_OFFICE}/officeDocument" Target="../../../../etc/passwd"/></Relationships>'
            }
        ),
        KEPT,
    ),
    _word(
        "docx-password",
        "a file whose entries are locked",
        lambda: flagged(zipped(parts()), 1),
        Fails("The file is protected with a password"),
    ),
    _word(
        "docx-odd-packing",
        "entries packed in a way that needs much memory",
        lambda: _packed_with(zipfile.ZIP_LZMA),
        DAMAGED,
    ),
    _word(
        "docx-script-link",
        "links that are scripts, files and shares",
        lambda: zipped(
            parts(
                '<w:p><w:hyperlink r:id="a"><w:r><w:t>one</w:t></w:r></w:hyperlink>'
                '<w:hyperlink r:id="b"><w:r><w:t>two</w:t></w:r></w:hyperlink></w:p>',
                relations=_outside("hyperlink", "a", "javascript:alert(1)")
                + _outside("hyperlink", "b", "file://evil.test/share"),
            )
        ),
        Gives(("before", "one", "two", "after"), without=("javascript:", "evil.test")),
    ),
    _word(
        "docx-remote-template",
        "a template and a picture that lie on another computer: nothing is loaded",
        lambda: zipped(
            parts(
                relations=_outside("attachedTemplate", "a", "http://evil.test/x.dotm")
                + _outside("image", "b", "http://evil.test/x.png")
            )
        ),
        Gives(("before", "after"), without=("evil.test",)),
    ),
    _word(
        "docx-script-as-words",
        "a script as words stays words",
        lambda: zipped(parts("<w:p><w:r><w:t>&lt;script&gt;alert(1)&lt;/script&gt;</w:t></w:r></w:p>")),
        Gives(("before", "alert(1)", "after"), not_in_html=("<script",)),
    ),
    _word(
        "docx-page-inside",
        "a page with a script as a part of the text",
        lambda: zipped(
            parts(
                '<w:altChunk r:id="a"/>',
                relations=f'<Relationship Id="a" Type="{_OFFICE}/aFChunk" Target="x.html"/>',
            )
            | {"word/x.html": "<script>alert(1)</script>"}
        ),
        Gives(("before", "after"), without=("alert(1)",)),
    ),
    _word(
        "docx-macros",
        "a file with macros and a packed file in it",
        lambda: zipped(
            parts()
            | {"word/vbaProject.bin": b"\xd0\xcf\x11\xe0", "word/embeddings/x.zip": zipped({"y": b"z" * 9})}
        ),
        KEPT,
    ),
    _word(
        "docx-tiny-paragraphs",
        "5,000 paragraphs of one letter",
        lambda: zipped(parts("<w:p><w:r><w:t>x</w:t></w:r></w:p>" * 5_000)),
        KEPT,
    ),
    _word(
        "docx-wide-cells",
        "a cell that covers 65534 columns",
        lambda: zipped(
            parts(
                '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="65534"/></w:tcPr>'
                "<w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
            )
        ),
        Gives(("before", "after")),
    ),
)


def _packed_with(method: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for entry, content in parts().items():
            archive.writestr(entry, content)
    return packed.getvalue()
