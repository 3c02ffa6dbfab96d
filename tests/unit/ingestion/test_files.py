import os
from pathlib import Path

import pytest

from tests.support.office_files import chapter, docx, epub, paragraph
from webrag_desktop.errors import ExtractionError, FetchError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.files import read_file

OPTIONS = FetchOptions(max_bytes=8000)


def write(path: Path, body: bytes) -> Path:
    path.write_bytes(body)
    return path


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("a.html", b"<p>some text here</p>", "html"),
        ("a.HTM", b"<p>some text here</p>", "html"),
        ("a.md", b"# Title\n\ntext", "markdown"),
        ("a.markdown", b"text", "markdown"),
        ("a.txt", b"<html><p>not read as html</p></html>", "text"),
        ("saved page", b"<!DOCTYPE html><p>recognised by content</p>", "html"),
        ("saved", b"\xef\xbb\xbf<!-- saved --> <html><p>recognised</p></html>", "html"),
        ("README", b"only words", "text"),
        ("wide.txt", "ein Täxt".encode("utf-16"), "text"),
        ("wide and unmarked.txt", "ein Text".encode("utf-16-le"), "text"),
        ("report.docx", docx(paragraph("Words of a report.")), "docx"),
        ("book.epub", epub({"a.xhtml": chapter("<p>Words of a book.</p>")}), "epub"),
        ("wrongly named.txt", docx(paragraph("Words of a report.")), "docx"),
        ("saved.mhtml", b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>some text here</p>", "html"),
    ],
)
def test_kinds_by_name_and_content(tmp_path: Path, name: str, body: bytes, kind: str) -> None:
    file = write(tmp_path / name, body)
    capture = read_file(file, OPTIONS)
    assert capture.url == capture.final_url == file.as_uri()
    assert capture.filename == name
    assert capture.body == body
    assert capture.status_code is None
    assert extract(capture).doc_type == kind


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    cases = [
        (tmp_path, "is a folder"),
        (tmp_path / "missing.md", "There is no file"),
        (write(tmp_path / "empty.md", b" \n\n"), "is empty"),
        (write(tmp_path / "large.md", b"x" * 8001), "larger than 8,000 bytes"),
        (tmp_path / "pipe", "is not a file that can be read"),
        (tmp_path / "large.md" / "below", "There is no file"),
        (tmp_path / ("n" * 300), "could not be read"),
    ]
    for path, words in cases:
        with pytest.raises(FetchError, match=words) as caught:
            read_file(path, OPTIONS)
        assert caught.value.hint
        assert not caught.value.transient


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = write(tmp_path / "locked.md", b"text")
    file.chmod(0)
    with pytest.raises(FetchError, match="may not be read"):
        read_file(file, OPTIONS)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.epub", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("a.docx", b"PK\x03\x04rest"),
        ("a.md", b"\x89PNG\r\n\x1a\n"),
        ("a.txt", b"text\0with\0nul"),
        ("a.html", b"\x7fELF\x02\x01\x01"),
        ("a.txt", bytes(range(256))),
    ],
)
def test_files_without_a_reader(tmp_path: Path, name: str, body: bytes) -> None:
    with pytest.raises(ExtractionError, match=r"cannot be read|is damaged"):
        read_file(write(tmp_path / name, body), OPTIONS)
