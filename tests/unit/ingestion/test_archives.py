"""ZIP archives made to hurt: each is read within bounds or refused with a reason."""

import io
import struct
import warnings
import zipfile

import pytest

from tests.support.office_files import zipped
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import Archive, ArchiveLimits, inside

SMALL = ArchiveLimits(entries=10, entry_bytes=1000, total_bytes=2500, ratio=5, ratio_from=100)


def test_entries_are_read_by_name() -> None:
    archive = Archive(zipped({"a.txt": "words", "b/c.txt": "more", "empty/": ""}))
    assert archive.names == ("a.txt", "b/c.txt")
    assert "b/c.txt" in archive
    assert "empty/" not in archive
    assert archive.read("b/c.txt") == b"more"


@pytest.mark.parametrize(
    "name", ["../up.txt", "a/../../up.txt", "/etc/passwd", "a\\b.txt", "C:\\x.txt", "./x.txt", "n" * 2000]
)
def test_names_that_lead_elsewhere_are_not_there(name: str) -> None:
    archive = Archive(zipped({name: "x", "fine.txt": "y"}))
    assert archive.names == ("fine.txt",)


def test_a_name_with_nul_hides_nothing() -> None:
    body = zipped({"word/document.xmlX.txt": "evil"}).replace(b"document.xmlX.txt", b"document.xml\0.txt")
    assert Archive(body).names == ()


def test_links_are_not_followed() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
    assert Archive(buffer.getvalue()).names == ()


def test_a_name_that_occurs_twice_means_nothing() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.writestr("a.txt", "one")
        made.writestr("a.txt", "two")
    archive = Archive(buffer.getvalue())
    with pytest.raises(ExtractionError, match="damaged"):
        archive.read("a.txt")


def test_an_entry_too_large_is_refused() -> None:
    archive = Archive(zipped({"a": bytes(range(256)) * 4, "small": b"x" * 50}, stored=("a",)), SMALL)
    with pytest.raises(ExtractionError, match="unfolds to more"):
        archive.read("a")
    with pytest.raises(ExtractionError, match="unfolds to more"):
        archive.read("small", at_most=49)
    assert archive.read("small", at_most=50) == b"x" * 50


def test_all_entries_together_are_bounded() -> None:
    archive = Archive(zipped(dict.fromkeys("abc", b"x" * 900), stored=("a", "b", "c")), SMALL)
    assert len(archive.read("a")) + len(archive.read("b")) == 1800
    with pytest.raises(ExtractionError, match="unfolds to more"):
        archive.read("c")


def test_a_bomb_is_reported_by_its_ratio() -> None:
    archive = Archive(zipped({"bomb": b"\0" * 900}), SMALL)
    with pytest.raises(ExtractionError, match="unfolds to more"):
        archive.read("bomb")


def test_more_entries_than_any_document_has_are_refused() -> None:
    with pytest.raises(ExtractionError, match="more files than any document"):
        Archive(zipped({str(number): "x" for number in range(11)}), SMALL)


def test_a_size_that_lies_is_found_out() -> None:
    body = bytearray(zipped({"a": "x" * 400}))
    directory = body.index(b"PK\x01\x02")
    body[directory + 24 : directory + 28] = struct.pack(
        "<I", 7
    )  # the unfolded size, as the directory tells it
    with pytest.raises(ExtractionError, match="damaged"):
        Archive(bytes(body)).read("a")


def test_a_directory_that_names_another_entry_is_found_out() -> None:
    body = zipped({"aaaa": "x", "bbbb": "y"})
    lying = body[:30] + b"zzzz" + body[34:]
    with pytest.raises(ExtractionError, match="damaged"):
        Archive(lying).read("aaaa")


def test_changed_content_is_found_out() -> None:
    body = bytearray(zipped({"a": "words that were said"}, stored=("a",)))
    body[body.index(b"words")] = ord("W")
    with pytest.raises(ExtractionError, match="damaged"):
        Archive(bytes(body)).read("a")


def test_encrypted_entries_are_named_so() -> None:
    body = bytearray(zipped({"a": "x"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(mark) + offset] |= 1
    with pytest.raises(ExtractionError, match="protected with a password"):
        Archive(bytes(body)).read("a")


def test_methods_that_take_much_memory_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a", "x" * 500)
    with pytest.raises(ExtractionError, match="damaged"):
        Archive(buffer.getvalue()).read("a")


@pytest.mark.parametrize("cut", [4, 30, 60, -30, -1])
def test_truncated_archives_are_damaged(cut: int) -> None:
    body = zipped({"a.txt": "words " * 100})
    with pytest.raises(ExtractionError, match="damaged"):
        Archive(body[:cut]).read("a.txt")


@pytest.mark.parametrize(
    ("folder", "reference", "name"),
    [
        ("OEBPS", "a.xhtml", "OEBPS/a.xhtml"),
        ("OEBPS/text", "../a.xhtml", "OEBPS/a.xhtml"),
        ("", "./a", "a"),
        ("OEBPS", "../../a", None),
        ("OEBPS", "/a", None),
        ("a", "..", None),
        ("", "a\\b", None),
        ("", "a\0b", None),
    ],
)
def test_references_stay_inside(folder: str, reference: str, name: str | None) -> None:
    assert inside(folder, reference) == name
