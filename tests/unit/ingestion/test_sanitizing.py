"""Sanitising many blocks in one walk gives what sanitising each by itself gives."""

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from tests.support.captures import page_capture
from tests.support.pages import PAGES_DIRECTORY
from webrag_desktop.ingestion.html.parsing import parse_html
from webrag_desktop.ingestion.sanitizing import sanitize, sanitize_elements

PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<div data-webrag-block=1>", "</div>", "<b onclick=x()>", "</b>", "<script>a</script>", "text",
        "<math><mi>", "</mi></math>", "<x-y>", "</x-y>", "<img src=javascript:x onerror=y>", "<a href='data:x'>",
        "</a>",
        "<style>b</style>", "<svg><p>", "</svg>", "&lt;i&gt;", "<table><tr><td>", "</table>", "<pre>\n\nx", "</pre>",
        "<!-- c -->", "<form id=a>", "</form>", "<ul><li>", "</ul>", "<h2 id=t class=k style='x'>", "</h2>",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_what_one_walk_gives_is_safe_to_the_other_library(html: str) -> None:
    body = turbohtml.parse(f"<body>{html}").select_one("body")
    assert body is not None
    blocks = [child for child in body.children if isinstance(child, turbohtml.Element)]
    for safe in sanitize_elements(body, blocks):
        assert safe is None or safe == sanitize(safe)
        assert "data-webrag" not in (safe or "")


@pytest.mark.parametrize("name", ["sklearn_ensemble", "python_glossary", "encyclopaedia"])
def test_real_pages_come_out_the_same(name: str) -> None:
    body = parse_html(page_capture((PAGES_DIRECTORY / f"{name}.html").read_bytes())).select_one("body")
    assert body is not None
    chosen = body.select("p,pre,table,ul,h1,h2,h3,dt")
    among = set(chosen)
    blocks = [block for block in chosen if among.isdisjoint(block.ancestors)]
    expected = [sanitize(block.html) for block in blocks]
    assert len(blocks) > 50
    assert sanitize_elements(body, blocks) == expected


def test_formulas_survive_wrappers_that_go() -> None:
    body = turbohtml.parse("<p><x-math><math><mi>a</mi></math></x-math>").select_one("body")
    assert body is not None
    assert sanitize_elements(body, body.select("p")) == ["<p><math><mi>a</mi></math></p>"]


def test_what_goes_altogether_is_told() -> None:
    body = turbohtml.parse("<p>a</p><x-y>b</x-y>").select_one("body")
    assert body is not None
    assert sanitize_elements(body, body.select("p,x-y")) == ["<p>a</p>", None]


def test_addresses_of_files_stay_in_local_documents_only() -> None:
    html = "<p><a href='file:///a'>x</a><a href='file://host/a'>y</a></p>"
    for local, expected in (
        (True, '<p><a href="file:///a">x</a><a>y</a></p>'),
        (False, "<p><a>x</a><a>y</a></p>"),
    ):
        body = turbohtml.parse(html).select_one("body")
        assert body is not None
        assert sanitize_elements(body, body.select("p"), local=local) == [expected]
