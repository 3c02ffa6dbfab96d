import multiprocessing

import pytest

from tests.support.office_files import chapter, docx, epub, paragraph, zipped
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.content_types import detect_format

HTML = b"<!DOCTYPE html><html><body><p>words</p></body></html>"
MIME = b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\n'
WORD = docx(paragraph("Words."))
BOOK = epub({"a.xhtml": chapter("<p>Words.</p>")})


def test_pages_behind_many_comments_are_recognised() -> None:
    assert detect_format(b"<?xml version='1.0'?>\n" + b"<!-- a -- b --> " * 40 + b"<P>x") == "html"
    assert detect_format(b"<!-- never closed <p>x") == "text"


@pytest.mark.parametrize("body", [b"<!---->" * 500 + b"x", b"a:\n" * 1300 + b"x", b"<?xml ?>" * 500])
def test_what_only_looks_like_something_is_distinguished_in_linear_time(body: bytes) -> None:
    sniffing = multiprocessing.get_context("spawn").Process(target=detect_format, args=(body,), daemon=True)
    sniffing.start()
    sniffing.join(60)  # a doubling per comment would take ages
    finished = sniffing.exitcode
    sniffing.kill()
    assert finished == 0


@pytest.mark.parametrize(
    ("body", "declared", "name", "found"),
    [
        (b"%PDF-1.7\n1 0 obj", "text/html", "a.html", "pdf"),
        (b"\n\xef\xbb\xbf %PDF-1.7\n", "", "a", "text"),
        (b"\xef\xbb\xbf%PDF-1.7\n", "", "a", "pdf"),
        (b"\x1b%-12345X@PJL JOB\n%PDF-1.7\n", "", "a.pdf", "pdf"),
        (b"\0\1\2\3%PDF-1.7\n", "", "a.pdf", "pdf"),
        (b"A text that mentions %PDF-1.7 early.", "", "a.md", "markdown"),
        (HTML + b"%PDF-1.7", "", "a.pdf", "html"),
        (WORD, "application/octet-stream", "a.zip", "docx"),
        (WORD, "text/html", "a.html", "docx"),
        (BOOK, "application/zip", "b", "epub"),
        (MIME, "text/html", "saved.html", "mhtml"),
        (MIME, "", "saved", "mhtml"),
        (b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>x", "", "saved.mht", "mhtml"),
        (b"Note: a plain text\nMood: good\n", "", "a.mht", "text"),
        (b"bplist00...WebMainResource...", "", "a.webarchive", "webarchive"),
        (HTML, "image/png", "", "html"),
        (HTML, "text/plain", "page.php", "html"),
        (HTML, "text/plain", "page.txt", "text"),
        (HTML, "", "page.md", "markdown"),
        (HTML, "", "page.epub", "html"),
        (b"# Words", "", "page.docx", "text"),
        (b"# Words", "", "page.md", "markdown"),
        (HTML.decode().encode("utf-16"), "", "a", "html"),
        (HTML.decode().encode("utf-16-le"), "", "a", "html"),
        ("Words of a text".encode("utf-16-be"), "", "a", "text"),
        ("Words of a text".encode("utf-32"), "", "a", "text"),
        (b"MZ is what the text begins with", "", "a.txt", "text"),
        (b"ID3 tags, explained", "", "a.txt", "text"),
    ],
)
def test_bytes_count_before_types_and_names(body: bytes, declared: str, name: str, found: str) -> None:
    assert detect_format(body, declared=declared, name=name) == found


def compound(stream: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + stream.encode("utf-16-le") + b"\0" * 64


@pytest.mark.parametrize(
    ("body", "declared", "words"),
    [
        (b"\x89PNG\r\n\x1a\n", "", "This is a picture"),
        (b"\xff\xd8\xff\xe0", "text/html", "This is a picture"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "", "This is a picture"),
        (b"\0\0\0\x1cftypavif", "", "This is a picture"),
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "", "This is a picture"),
        (b"\0\0\0\x18ftypmp42", "video/mp4", "This is a video"),
        (b"\x1aE\xdf\xa3\x01", "", "This is a video"),
        (b"RIFF\0\0\0\0AVI LIST", "", "This is a video"),
        (b"ID3\x04\0\0\0", "", "This is a sound recording"),
        (b"\0\0\0\x1cftypM4A ", "", "This is a sound recording"),
        (b"\x1f\x8b\x08\0", "", "This is a packed file"),
        (b"\0" * 257 + b"ustar\0", "", "This is a packed file"),
        (b"MZ\x90\0\3", "", "This is a program"),
        (b"SQLite format 3\0", "", "This is a database"),
        (b"{\\rtf1 words}", "text/plain", "This is an RTF document"),
        (compound("WordDocument"), "", "This is an old Word file"),
        (compound("Workbook"), "", "This is a spreadsheet"),
        (compound("PowerPoint Document"), "", "This is a presentation"),
        (compound("EncryptedPackage"), "", "This is an office file with a password"),
        (compound("Other"), "", "This is a file of an old office program"),
        (
            zipped({"xl/workbook.xml": "x", "[Content_Types].xml": "x", "_rels/.rels": "x"}),
            "",
            "This is a spreadsheet",
        ),
        (zipped({"ppt/presentation.xml": "x"}), "", "This is a presentation"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "", "This is an OpenDocument text"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}), "", "This is a spreadsheet"),
        (zipped({"META-INF/MANIFEST.MF": "x"}), "", "This is a program package"),
        (zipped({"photo.jpg": "x", "inner.zip": WORD}), "", "This is a ZIP archive"),
        (b"PK\x03\x04 not really", "", "The file is damaged"),
        (b"<?xml version='1.0'?><rss version='2.0'>", "application/rss+xml", "This is a news feed"),
        (b"\0\1\2 picture without a mark", "image/x-odd", "This is a picture"),
        (b"\0\1\2\3" * 20, "", "This kind of file cannot be read"),
        (b'{"a": 1}', "application/json", "This kind of file cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(body: bytes, declared: str, words: str) -> None:
    with pytest.raises(ExtractionError) as caught:
        detect_format(body, declared=declared)
    assert caught.value.message.startswith(words)
    assert caught.value.hint
