import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.charsets import codec_of
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.text_decoding import decode_text


@pytest.mark.parametrize(
    "label",
    [
        "undefined",
        "unicode_escape",
        "raw_unicode_escape",
        "idna",
        "punycode",
        "rot13",
        "utf-7",
        "hex",
        "nonsense",
    ],
)
def test_only_charsets_of_the_web_are_obeyed(label: str) -> None:
    assert codec_of(label) is None
    text = "a\\u0041 +AGE- größe"
    assert decode_text(text.encode(), f"text/plain; charset={label}") == text


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("windows-874", "กขค"),
        ("iso-8859-8-i", "שלום"),
        ("logical", "שלום"),
        ("x-mac-cyrillic", "Привет"),
        ("x-sjis", "日本語①"),
        ("gb2312", "汉字"),
        ("ks_c_5601-1987", "한국어"),
        ("latin1", "“Größe” €"),
        ("UTF-8", "größe"),
    ],
)
def test_labels_that_python_lacks_are_known(label: str, text: str) -> None:
    codec = codec_of(label)
    assert codec is not None
    assert decode_text(text.encode(codec), f"text/plain; charset={label}") == text


@pytest.mark.parametrize(
    "label", ["windows-874", "iso-8859-8-i", "logical", "x-mac-cyrillic", "x-user-defined", "macintosh"]
)
def test_articles_in_any_charset_are_read(label: str) -> None:
    prose = "<p>" + "The keeper climbed down twice a day to read the staff by lantern light. " * 3 + "</p>"
    document = extract(
        page_capture(f"<h1>Keeper</h1>{prose * 3}", content_type=f"text/html; charset={label}")
    )
    check_document(document)
    assert "lantern light" in document.markdown
