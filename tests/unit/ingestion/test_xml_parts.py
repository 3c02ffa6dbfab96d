import pytest

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.xml_parts import DEEPEST, parse_xml, words

LAUGHS = '<!DOCTYPE a [<!ENTITY l0 "ha">' + "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
)


@pytest.mark.parametrize(
    "xml",
    [
        LAUGHS + "]><a>&l9;</a>",
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/x">%x;]><a/>',
        '<?xml version="1.0"?>\n<!-- c -->\n<!DOCTYPE a PUBLIC "x" "y" [<!ELEMENT a ANY>]><a/>',
        "<a>" * (DEEPEST + 1) + "</a>" * (DEEPEST + 1),
    ],
)
@pytest.mark.parametrize("recover", [False, True])
def test_what_unfolds_loads_or_nests_without_end_is_refused(xml: str, *, recover: bool) -> None:
    with pytest.raises(ExtractionError, match=r"not safe to read|damaged"):
        parse_xml(xml.encode(), recover=recover)


def test_a_plain_document_type_and_named_characters_are_understood() -> None:
    prolog = '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD" "http://x/y.dtd">'
    xml = prolog + "<p>a&nbsp;b &amp; caf&eacute; &lt;</p>"
    assert words(parse_xml(xml.encode())) == "a b & café <"


def test_a_document_type_in_the_text_stays() -> None:
    xml = "<p><![CDATA[write <!DOCTYPE html [x]> first]]></p>"
    assert words(parse_xml(xml.encode())) == "write <!DOCTYPE html [x]> first"


@pytest.mark.parametrize(
    "content",
    [
        '<?xml version="1.0" encoding="windows-1251"?><p>Привет</p>'.encode("cp1251"),
        '<?xml version="1.0" encoding="utf-16"?><p>Привет</p>'.encode("utf-16"),
        "\ufeff<p>Привет</p>".encode(),
        '<?xml version="1.0" encoding="unicode_escape"?><p>Привет</p>'.encode(),
    ],
)
def test_charsets(content: bytes) -> None:
    assert words(parse_xml(content)) == "Привет"


@pytest.mark.parametrize("content", [b"", b"words only", b"\0\1\2", b"<a><b></a>"])
def test_what_is_no_xml_is_damaged(content: bytes) -> None:
    with pytest.raises(ExtractionError, match="damaged"):
        parse_xml(content)


def test_recovery_keeps_the_words() -> None:
    assert words(parse_xml(b"<a>one<b>two</a>", recover=True)) == "onetwo"
