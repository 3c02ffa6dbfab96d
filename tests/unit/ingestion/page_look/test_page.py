"""A hostile page as it looked runs nothing, sends nothing, and loads nothing but what is named."""

import re
from datetime import UTC, datetime

import pytest
import turbohtml

from webrag_desktop.ingestion.page_look.addresses import name_of
from webrag_desktop.ingestion.page_look.content import media_type_of
from webrag_desktop.ingestion.page_look.page import best_candidate, page_markup
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.markup import Markup
from webrag_desktop.models.subresources import SubresourceKind

ADDRESS = "https://site.example/dir/page.html"


def capture(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> Capture:
    return Capture(
        url=ADDRESS,
        final_url=ADDRESS,
        headers=(("Content-Type", content_type),),
        body=body.encode() if isinstance(body, str) else body,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def looked(html: str) -> Markup:
    return page_markup(capture(html))


def addresses(markup: Markup) -> list[str]:
    return [one.url for one in markup.references]


HOSTILE = [
    "<script>alert(1)</script>",
    "<body onload=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<svg><script>alert(1)</script><a href='javascript:alert(1)'>x</a><set attributeName=href to=javascript:1></svg>",
    "<svg><foreignObject><iframe src=x></iframe></foreignObject></svg>",
    "<iframe src=http://x.example></iframe><object data=x></object><embed src=x>",
    "<form action=http://x.example method=post><button formaction=http://x.example>x</button></form>",
    "<meta http-equiv=refresh content='0;url=http://x.example'>",
    "<base href=http://x.example/><link rel=prefetch href=http://x.example/>",
    "<a href=javascript:alert(1) ping=http://x.example>x</a>",
    "<a href='\tjava\nscript:alert(1)'>x</a>",
    "<math><maction xlink:href=javascript:alert(1)>x</maction></math>",
    "<video src=http://x.example/v autoplay></video><audio src=http://x.example/a></audio>",
    "<style>a{background:url(file:///etc/passwd);width:expression(alert(1))}</style>",
    "<p style=\"background:url('file:///etc/passwd')\">x</p>",
    "<svg><rect fill='url(http://x.example/a.svg#b)'/><use href='http://x.example/u.svg#a'/></svg>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><img src=x onerror=alert(1)></template><xmp><script>1</script></xmp>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<img srcset='file:///etc/passwd 1x'><input type=image src=file:///etc/passwd>",
    "<table background=javascript:alert(1)><td background=http://x.example/b.png>x</table>",
]


@pytest.mark.parametrize("html", HOSTILE)
def test_nothing_runs_and_nothing_is_loaded_or_sent(html: str) -> None:
    shown = turbohtml.parse(looked(html).text)
    for element in shown.iter_elements():
        assert element.tag.lower() not in {
            *("script", "iframe", "object", "embed", "base", "template", "audio", "set", "foreignobject"),
            *("noscript",),
        }
        for name in element.attrs:
            value = element.attr(name) or ""
            assert not name.lower().startswith("on"), name
            assert name.lower() not in {"action", "formaction", "ping", "srcset", "xlink:href"}
            assert "file:" not in value
            assert not re.match(r"\s*(java|vb)script:", value, re.IGNORECASE)
            if name in {"src", "poster", "background"} or (name == "href" and element.tag == "link"):
                assert re.fullmatch(r"[0-9a-f]{32}|data:image/.*", value)
    assert 'http-equiv="refresh' not in looked(html).text
    assert "expression(" not in looked(html).text


def test_a_page_says_itself_what_may_be_loaded() -> None:
    text = looked("<p>x").text
    begins = r'<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="([^"]*)">'
    policy = re.search(begins, text)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "script-src 'none'" in policy[1]
    assert "form-action 'none'" in policy[1]


def test_styles_classes_and_structure_stay() -> None:
    text = looked(
        "<link rel=stylesheet href=a.css media=screen><style>.a{color:red}</style>"
        "<my-card class=a id=b data-x=1 style='color: blue' aria-label=c><nav>menu</nav></my-card>"
    ).text
    assert f'href="{name_of("https://site.example/dir/a.css")}"' in text
    assert 'media="screen"' in text
    assert ".a{color:red}" in text
    assert '<my-card class="a" id="b" data-x="1" aria-label="c" style="color: blue"><nav>menu</nav>' in text


def test_stylesheets_that_a_script_would_switch_on_are_on() -> None:
    by_media = looked("<link rel=stylesheet media=print onload=\"this.media='all'\" href=a.css>")
    by_relation = looked("<link rel=preload as=style onload=\"this.rel='stylesheet'\" href=a.css>")
    assert addresses(by_media) == addresses(by_relation) == ["https://site.example/dir/a.css"]
    assert "print" not in by_media.text


def test_of_a_picture_one_size_is_kept_and_what_a_script_would_load_is_loaded() -> None:
    page = looked(
        "<picture><source srcset='p.avif 1x'><img src=p.jpg></picture>"
        "<img src=small.jpg srcset='m.jpg 800w, l.jpg 1600w, xl.jpg 4000w'>"
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src=lazy.jpg>"
        "<picture><source data-srcset='only.webp 2x'><img></picture>"
    )
    names = ("p.jpg", "l.jpg", "lazy.jpg", "only.webp")
    assert addresses(page) == [f"https://site.example/dir/{name}" for name in names]


def test_of_many_images_in_one_picture_each_has_what_is_offered_for_all() -> None:
    page = looked(f"<picture>{'<source srcset=a.webp>' * 3000}{'<img>' * 3000}</picture>")
    assert addresses(page) == ["https://site.example/dir/a.webp"]
    assert page.text.count("src=") == 3000


def test_the_base_of_a_page_counts() -> None:
    assert addresses(looked("<base href=/other/><img src=a.png>")) == ["https://site.example/other/a.png"]


@pytest.mark.parametrize(
    "unshown",
    [
        "<noscript><img src=visit.gif></noscript>",
        "<noscript><div><p><img src=visit.gif></p></div></noscript>",
        "<object><img src=visit.gif></object>",
        "<template><img src=visit.gif><style>@import 'visit.css'</style></template>",
        "<template><div><template><img src=visit.gif></template></div></template>",
        "<svg><foreignObject><img src=visit.gif></foreignObject></svg>",
        "<audio><b style='background:url(visit.gif)'></b></audio>",
    ],
)
def test_nothing_is_fetched_for_what_is_not_shown(unshown: str) -> None:
    page = looked(f"<p>before{unshown}<p>after")
    assert page.references == ()
    assert "<img" not in page.text
    assert "before" in page.text
    assert "after" in page.text
    in_head = looked(f"<head>{unshown}</head><p>x")
    assert in_head.references == ()


def test_links_lead_to_whole_addresses() -> None:
    text = looked("<a href=../x>a</a><a href='#part'>b</a><a href=mailto:a@b.example>c</a>").text
    assert '<a href="https://site.example/x">' in text
    assert '<a href="#part">' in text
    assert "<a>c</a>" in text


@pytest.mark.parametrize(
    ("written", "best"),
    [
        ("a.jpg", "a.jpg"),
        ("a.jpg, b.jpg 2x, c.jpg 3x", "b.jpg"),
        ("a,b.jpg 300w, c.jpg 5000w", "a,b.jpg"),
        ("a.jpg 5000w, b.jpg 3000w", "b.jpg"),
        ("", None),
        (" , ", None),
        ("a.jpg ..w", "a.jpg"),
        ("a.jpg 1x , b.jpg 2x", "b.jpg"),
        ("," * 300_000, None),
        ("a.jpg 1x" + ", " * 300_000, "a.jpg"),
        (" " * 300_000 + "a.jpg", "a.jpg"),
    ],
)
def test_the_largest_size_that_is_not_needless_is_chosen(written: str, best: str | None) -> None:
    assert best_candidate(written) == best


def test_ten_thousand_pictures_are_listed_and_the_rest_is_not_loaded() -> None:
    page = looked("".join(f"<img src={n}.png>" for n in range(10_100)))
    assert len(page.references) == 10_000


@pytest.mark.parametrize(
    ("body", "kind", "content_type", "found"),
    [
        (b"\x89PNG\r\n\x1a\n", "image", "text/html", "image/png"),
        (b"<html><script>", "image", "image/png", None),
        (b"<svg xmlns='x'><script>1</script></svg>", "image", "image/svg+xml", "image/svg+xml"),
        (b"<?xml version='1.0'?>\n<!-- x --><svg >", "image", "text/plain", "image/svg+xml"),
        (b"<html><svg></html>", "image", "image/svg+xml", None),
        (b"wOF2xxxx", "font", "application/octet-stream", "font/woff2"),
        (b"a{}", "stylesheet", "text/css; charset=UTF-8", "text/css; charset=utf-8"),
        (b"<!doctype html>", "stylesheet", "text/css", None),
        (b"a{}", "stylesheet", "text/html", None),
        (b"GIF89a", "stylesheet", "text/css", "text/css"),
        (b"", "image", "image/png", None),
    ],
)
def test_what_a_file_is_goes_by_its_bytes(
    body: bytes, kind: SubresourceKind, content_type: str, found: str | None
) -> None:
    assert media_type_of(capture(body, content_type), kind) == found
