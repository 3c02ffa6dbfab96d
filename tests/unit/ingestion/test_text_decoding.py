import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.text_decoding import codec_of, decode_text, utf16_of


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
    ("body", "declared", "text"),
    [
        ("Größe, Länge, Maß".encode(), "iso-8859-1", "Größe, Länge, Maß"),
        ("潮位计记录了每一次".encode(), "gb2312", "潮位计记录了每一次"),
        ("Größe, Länge, Maß".encode("latin-1"), "iso-8859-1", "Größe, Länge, Maß"),
        ("潮位计记录了每一次".encode("gbk"), "gb2312", "潮位计记录了每一次"),
        ("Maß".encode(), "iso-8859-1", "Ma\u00c3\u0178"),  # too little to contradict the page
        (b"plain words", "iso-2022-jp", "plain words"),
    ],
)
def test_a_page_saved_again_may_declare_its_old_charset(body: bytes, declared: str, text: str) -> None:
    page = b"<meta charset=%s><main><p>%s" % (declared.encode(), body)
    assert extract(page_capture(page)).markdown == text


def test_the_server_knows_the_charset_better_than_the_bytes() -> None:
    page = page_capture("<main><p>Größe, Länge, Maß", content_type="text/html; charset=iso-8859-1")
    assert extract(page).markdown.startswith("Gr\u00c3\u00b6\u00c3\u0178e")


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


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", "Größe und Maße der Flüsse, “zitiert” – 5 €"),
        ("cp1252", "café"),
        ("cp1250", "Zażółć gęślą jaźń, a potem idź do domu"),
        ("cp1251", "Привет, как дела? Это обычный русский текст о реках."),
        ("koi8-r", "Привет, как дела? Это обычный русский текст о реках."),
        ("cp1253", "Ελληνικά κείμενα για δοκιμή"),
        ("cp1255", "שלום עולם זה טקסט"),
        ("cp932", "日本語のテキストです。これは文字コードの検出を試すものです。"),
        ("euc_jp", "日本語のテキストです。これは文字コードの検出を試すものです。"),
        ("gb18030", "这是一个中文文本，用来测试字符编码的检测。"),
        ("big5", "這是一個中文文本，用來測試字元編碼的檢測。"),
        ("cp949", "안녕하세요 이것은 한국어 텍스트입니다"),
    ],
)
def test_charsets_are_guessed_where_nothing_says_them(codec: str, text: str) -> None:
    assert decode_text(text.encode(codec)) == text
    long = "Plain words in front.\n" * 2000 + text + "\nand behind." * 2000
    assert decode_text(long.encode(codec), "text/plain; charset=nonsense") == long


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_unicode_by_its_mark_or_its_zeros(codec: str) -> None:
    mark = "\ufeff" if codec == "utf-32-be" else ""
    assert decode_text((mark + "Größe über alles\n").encode(codec)) == "Größe über alles\n"


@pytest.mark.parametrize("text", ["one\n\ufefftwo\n", "one\ufeff", "\ufeff\ufeffone", "one \ufeff two"])
def test_marks_of_files_that_were_joined_are_dropped(text: str) -> None:
    assert decode_text(text.encode()) == text.replace("\ufeff", "")


def test_a_text_cut_in_mid_character_stays_utf8() -> None:
    text = "Größe und Maße, Flüsse und Bäche " * 20
    assert decode_text(text.encode() + b"\xc3").removesuffix("\ufffd") == text


def test_a_file_made_of_two_charsets_loses_no_line() -> None:
    decoded = decode_text("größe\n".encode() + "größe\n".encode("cp1252") + b"end")
    assert decoded.count("\n") == 2
    assert decoded.endswith("end")


@pytest.mark.parametrize("body", [b"\0" * 64, b"a\0", bytes(range(256)), b"text\0with\0nul\0", b"\1\0" * 40])
def test_zeros_alone_make_no_utf16(body: bytes) -> None:
    assert utf16_of(body) is None


def test_newlines_of_all_systems_and_forbidden_characters() -> None:
    assert decode_text(b"a\r\nb\rc\nd\x0ce\0f\x7fg") == "a\nb\nc\nd\nefg"


def test_a_huge_line_with_a_single_odd_byte_is_decoded() -> None:
    line = b"a" * 3_000_000 + b"\xe9" + b"b" * 3_000_000
    assert len(decode_text(line)) == 6_000_001
