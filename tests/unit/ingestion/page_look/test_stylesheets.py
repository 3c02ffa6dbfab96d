"""Stylesheets of hostile pages load nothing but what is named."""

from datetime import UTC, datetime

import pytest

from webrag_desktop.ingestion.page_look.addresses import NOTHING, Addresses, name_of
from webrag_desktop.ingestion.page_look.stylesheets import harmless_css, stylesheet_markup
from webrag_desktop.models.documents import Capture

BASE = "https://site.example/css/main.css"


def rewritten(css: str) -> tuple[str, dict[str, str]]:
    """A stylesheet made harmless, and what it refers to, by kind."""
    addresses = Addresses(BASE)
    return harmless_css(css, addresses), {one.url: one.kind for one in addresses.references}


def capture(body: bytes, content_type: str = "text/css") -> Capture:
    return Capture(
        url=BASE,
        final_url=BASE,
        headers=(("Content-Type", content_type),),
        body=body,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("css", "address", "kind"),
    [
        ("a{background:url(x.png)}", "https://site.example/css/x.png", "image"),
        ("a{background:url( 'x.png' )}", "https://site.example/css/x.png", "image"),
        ('a{background:URL("/x.png")}', "https://site.example/x.png", "image"),
        (r"a{background:\75 rl(x.png)}", "https://site.example/css/x.png", "image"),
        (r"a{background:u\72l(\78.png)}", "https://site.example/css/x.png", "image"),
        ("a{background:image-set('x.png' 1x)}", "https://site.example/css/x.png", "image"),
        ("@font-face{font-family:f;src:url(f.woff2)}", "https://site.example/css/f.woff2", "font"),
        ("@import 'a.css';", "https://site.example/css/a.css", "stylesheet"),
        ("@import url(a.css) screen;", "https://site.example/css/a.css", "stylesheet"),
        (r"@\69mport/**/ 'a.css';", "https://site.example/css/a.css", "stylesheet"),
        ("a{mask:url(//cdn.example/m.svg#part)}", "https://cdn.example/m.svg", "image"),
    ],
)
def test_addresses_are_replaced_by_names_however_they_are_written(css: str, address: str, kind: str) -> None:
    text, found = rewritten(css)
    assert found == {address: kind}
    assert name_of(address) in text
    assert "x.png" not in text
    assert "a.css" not in text


@pytest.mark.parametrize(
    "css",
    [
        "a{background:url(file:///etc/passwd)}",
        r"a{background:u\72l('file:///etc/passwd')}",
        "a{background:url(javascript:alert(1))}",
        "a{background:url(ftp://x.example/a)}",
        "a{background:url(http://user:secret@x.example/a)}",
        "a{background:url(chrome://settings)}",
        "a{background:url(webrag-page://page/other)}",
        "@import url('data:text/css,a{background:url(http://x.example/)}');",
        "a{background:url(data:text/html;base64,AAAA)}",
        'a{background:url(bad"http://x.example/)}',
    ],
)
def test_what_is_no_web_address_is_loaded_by_nothing(css: str) -> None:
    text, found = rewritten(css)
    assert found == {}
    assert NOTHING in text
    assert "://" not in text


def test_pictures_within_addresses_and_places_of_the_page_stay() -> None:
    css = 'a{background:url("data:image/png;base64,iVBORw0KGgo=");clip-path:url("#cut")}'
    assert rewritten(css) == (css, {})


def test_strings_that_are_no_addresses_stay() -> None:
    css = "@namespace 'http://www.w3.org/1999/xhtml';a{content:'url(x.png)';quotes:'«' '»'}"
    assert rewritten(css) == (css, {})


@pytest.mark.parametrize("address", ["http://www.w3.org/2000/svg", '"http://www.w3.org/2000/svg"'])
def test_the_name_of_a_namespace_is_no_address(address: str) -> None:
    css = f"@namespace svg url({address});svg|a{{color:red}}"
    assert rewritten(css) == (css, {})
    for after in (";", "{", "}"):
        text, found = rewritten(
            f"@namespace svg url({address}){after}a{{background:url(http://x.example/a)}}"
        )
        assert list(found) == ["http://x.example/a"]
        assert "x.example" not in text


def test_expressions_run_nowhere() -> None:
    assert "expression" not in rewritten("a{width:expression(alert(1));height:e\\78pression(1)}")[0]


def test_nothing_ends_the_style_element_that_a_stylesheet_is_put_in() -> None:
    for css in ("</style><script>x</script>", "<//**/style>", "a{content:'</style>'}", "<\0/style>"):
        assert "</" not in rewritten(css)[0]


def test_the_charset_is_the_one_that_was_declared() -> None:
    body = "a{content:'é'}".encode("latin-1")
    assert "é" in stylesheet_markup(capture(body, "text/css; charset=iso-8859-1")).text
    assert "é" in stylesheet_markup(capture(b'@charset "iso-8859-1";' + body)).text
    assert "é" in stylesheet_markup(capture("a{content:'é'}".encode())).text
    assert stylesheet_markup(capture(body, "text/css; charset=nonsense")).text


@pytest.mark.parametrize(
    "piece", ["a", "\\", "(", "url(", '"\\', "/*", "@import ", "url(\\", "'", "\\\n", "{}"]
)
def test_hostile_stylesheets_are_read_to_their_end(piece: str) -> None:
    text, found = rewritten(piece * 50_000)
    assert found == {}
    assert "</" not in text


def test_no_stylesheet_refers_to_more_than_can_be_listed() -> None:
    text, found = rewritten("".join(f"a{{background:url({n}.png)}}" for n in range(10_050)))
    assert len(found) == 10_000
    assert NOTHING in text
