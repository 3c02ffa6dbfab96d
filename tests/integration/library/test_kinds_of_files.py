"""Files of every kind, given or served under a wrong type, become documents that can be searched and cited."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.office_files import chapter, docx, epub, paragraph, table
from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, assert_sound, row
from webrag_desktop.errors import ExtractionError
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Refused
from webrag_desktop.storage.database import Database

WORD = docx(
    paragraph("Gauges", "berschrift1")
    + paragraph("The gauge stands at the quay.")
    + table(("Place", "m"), ("Quay", "3"))
)
BOOK = epub({"a.xhtml": chapter("<h1>Gauges</h1><p>The gauge stands at the quay.</p>")})
MESSAGE = (
    b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
    b"Content-Location: https://example.org/gauges\r\n\r\n"
    b"<main><h1>Gauges</h1><p>The gauge stands at the quay.</p></main>\r\n--b--\r\n"
)


@pytest.mark.parametrize(
    ("name", "body", "kind", "title"),
    [
        ("report.docx", WORD, "docx", "Gauges"),
        ("book.epub", BOOK, "epub", "A book"),
        ("saved.mhtml", MESSAGE, "html", "Gauges"),
    ],
)
def test_files_of_all_kinds(
    database: Database,
    library: StoredLibrary,
    tmp_path: Path,
    work: Callable[..., int],
    name: str,
    body: bytes,
    kind: str,
    title: str,
) -> None:
    file = tmp_path / name
    file.write_bytes(body)
    source_id = accepted(library.add([str(file)])[0]).source_id
    work()
    ready = row(library, source_id)
    assert (ready.state, ready.doc_type, ready.title) == ("ready", kind, title)
    text = library.documents.text(source_id)
    assert text is not None
    assert text.markdown.startswith("# Gauges\n\nThe gauge stands at the quay.")
    assert library.documents.find(str(file)).id == source_id
    assert_sound(database)


def test_bytes_count_before_the_type_a_server_states(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/report"] = Page(WORD, headers=(("Content-Type", "text/html; charset=utf-8"),))
    pages.pages["/picture"] = Page(b"\x89PNG\r\n\x1a\n\0\0", headers=(("Content-Type", "text/html"),))
    report, picture = (
        accepted(library.add([pages.url(path)])[0]).source_id for path in ("/report", "/picture")
    )
    work()
    assert (row(library, report).state, row(library, report).doc_type) == ("ready", "docx")
    failed = row(library, picture)
    assert failed.state == "failed"
    assert failed.state_reason == "This is a picture, and that cannot be read"
    assert "page or the document" in (failed.state_hint or "")
    assert_sound(database)


def test_a_kind_without_a_reader_is_refused_at_once(library: StoredLibrary, tmp_path: Path) -> None:
    file = tmp_path / "table.docx"
    file.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"))
    refused = library.add([str(file)])[0]
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, ExtractionError)
    assert refused.error.message.startswith("This is an old Word file")
