"""What a page as a whole says its blocks may show, against what each block is found to show."""

import pytest
import turbohtml
from turbohtml import Element

from webrag_desktop.ingestion.content_flags import Signs, detect_flags
from webrag_desktop.ingestion.html.builders import PageNames
from webrag_desktop.ingestion.html.document import signs_of


def page(html: str) -> tuple[Element, PageNames]:
    document = turbohtml.parse(f"<body>{html}</body>".encode())
    body = document.select_one("body")
    assert body is not None
    return body, PageNames(document)


@pytest.mark.parametrize(
    "html",
    [
        "<p>a <math><mi>x</mi></math></p>",
        "<p>a <webrag-math>x</webrag-math></p>",
        '<p>a <span class="KaTeX">x</span></p>',
        '<p>a <span class="b math-inline">x</span></p>',
        "<p>a <mjx-math>x</mjx-math></p>",
        "<xmp><math ></xmp>",
        "<noembed><math ></noembed>",
    ],
)
def test_math_is_missed_nowhere(html: str) -> None:
    signs = signs_of(*page(html))
    assert detect_flags("a", page(html)[0].html, signs).has_math


@pytest.mark.parametrize(
    "html",
    [
        '<div class="note">a</div>',
        '<div class="Admonition x">a</div>',
        '<p class="callout_WARNING">a</p>',
        '<td><p class="x tip:y">a</p>',
        '<aside role="note">a</aside>',
        '<xmp><p class="caution"></xmp>',
    ],
)
def test_callouts_are_missed_nowhere(html: str) -> None:
    signs = signs_of(*page(html))
    assert detect_flags("a", page(html)[0].html, signs).has_admonition


@pytest.mark.parametrize("text", ["%s", "<xmp>%s</xmp>", "<noembed>%s</noembed>", "<div><p>a</p>%s</div>"])
def test_tables_definitions_and_steps_are_missed_nowhere(text: str) -> None:
    html = text % "<table><tr><td>a</table><dl><dt>a</dl><ol><li>a</ol>"
    flags = detect_flags("a", page(html)[0].html, signs_of(*page(html)))
    assert (flags.has_table, flags.has_definition_list, flags.has_steps) == (True, True, True)


def test_what_the_page_does_not_hold_is_not_looked_for() -> None:
    signs = signs_of(*page('<p class="footnote" title="math">math, a note</p>'))
    assert signs == Signs(math=False, admonitions=False, tags=frozenset())
    assert detect_flags("a", '<div class="note"><math ><table><dl><ol></div>', signs) == detect_flags("a")


def test_one_sign_does_not_stand_for_the_other() -> None:
    none: frozenset[str] = frozenset()
    assert signs_of(*page('<p class="note">a</p>')) == Signs(math=False, admonitions=True, tags=none)
    assert signs_of(*page("<math></math>")) == Signs(math=True, admonitions=False, tags=none)
    assert signs_of(*page("<table></table>")) == Signs(False, False, frozenset({"table"}))


def test_classes_with_any_character_are_found() -> None:
    body, names = page('<i class="a&quot;1">x</i><i class="a\\2 b">y</i><i class="A:3">z</i>')
    found = names.classes_where(lambda name: name[0] in "aA")
    assert [part.text for part in body.select(found)] == ["x", "y", "z"]
    assert names.classes_where(lambda name: name == "none") == ""
