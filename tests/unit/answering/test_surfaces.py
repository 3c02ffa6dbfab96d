"""What a model reads of a passage that has HTML."""

import pytest

from tests.support.found_chunks import found_chunk
from webrag_desktop.answering.surfaces import as_read, formulas_of, html_surface
from webrag_desktop.retrieval.contracts.results import RetrievedChunk

X2 = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"


def passage(markdown: str, html: str) -> RetrievedChunk:
    return found_chunk(markdown).model_copy(
        update={"selected_text": html, "surface": "html", "has_math": "<math" in html}
    )


@pytest.mark.parametrize(
    ("html", "read"),
    [
        (
            '<table class="x" onclick="y"><tbody><tr><th colspan="2" style="z">a</th></tr>'
            "<tr><td rowspan='1'>b &amp; <b>c</b></td><td>d</td></tr></tbody></table>",
            '<table>\n<tr><th colspan="2">a</th></tr>\n<tr><td>b & c</td><td>d</td></tr>\n</table>\n',
        ),
        (
            "<dl><dt>reef</dt><dd><p>a <a href='u'>rock</a></p></dd></dl>",
            "<dl>\n<dt>reef</dt>\n<dd>\na rock\n</dd>\n</dl>\n",
        ),
        ("<pre><code>if a  &lt; b:\n    c</code></pre>", "<pre>if a  < b:\n    c</pre>\n"),
        (
            "<h2>T</h2><div class='admonition'><p>Note</p><p>x<sup>2</sup></p></div>",
            "<h2>T</h2>\nNote\nx<sup>2</sup>\n",
        ),
        (f"<p>Let {X2} be\n  so.<sup class='reference'>[1]</sup></p>", "Let $x^{2}$ be so.\n"),
        ('<math display="block"><mi>y</mi></math>', "$$y$$"),
        (r"<p>Let <span class='math'>\(x_i\)</span> be \[y\].</p>", "Let $x_i$ be $$y$$.\n"),
        ("<p><img alt='a  limpet' src='https://a.org/l.png'></p>", "![a limpet](https://a.org/l.png)\n"),
        ("<p>a<br>b</p>", "a\nb\n"),
    ],
)
def test_only_what_markdown_cannot_tell_keeps_its_tags(html: str, read: str) -> None:
    surface = html_surface(passage("x" * 100, html))
    assert surface is not None
    assert surface.text == read


def test_markdown_has_no_html() -> None:
    assert html_surface(found_chunk("Text.")) is None


def test_html_far_longer_than_its_markdown_is_not_read() -> None:
    assert html_surface(passage("Limpets.", f"<p>{'x' * 2100}</p>")) is None
    assert html_surface(passage("Limpets. " * 200, f"<p>{'x' * 2100}</p>")) is not None


def test_sentences_are_found_where_their_words_stand() -> None:
    table = "<table><tr><td>One.</td><td>b|c</td></tr></table>"
    html = f"<h2>T</h2><p>One “is” {X2} here. “<code>Two</code> is.” One.</p>{table}"
    surface = html_surface(passage("x" * 100, html))
    assert surface is not None
    places = surface.places_of([["T"], ["One “is” $x2$ here."], ["“Two is.”"], ["One."], ["x", "One. | b|c"]])
    found = [surface.text[place or 0 :][:9] for place in places]
    assert found == ["T</h2>\nOn", "One “is” ", "“<code>Tw", "One.\n<tab", "One.</td>"]


def test_a_sentence_that_the_html_lacks_has_no_place_and_others_keep_theirs() -> None:
    surface = html_surface(passage("x" * 100, "<p>One is. Three is.</p>"))
    assert surface is not None
    assert surface.places_of([["One is."], ["Two is."], ["Three is."], ["One is."]]) == [0, None, 8, None]


def test_formulas_that_markdown_has_as_bare_characters_are_known_by_these() -> None:
    annotation = "<annotation encoding='application/x-tex'>\\alpha</annotation>"
    stated = f"<math><semantics><mi>q</mi>{annotation}</semantics></math>"
    assert formulas_of(passage("Let $x2$.", f"<p>{X2}{stated}<math><mi>y</mi></math></p>")) == {"x2": "x^{2}"}
    assert formulas_of(found_chunk("Let $x2$.")) == {}


def test_formulas_become_latex_and_places_move_along() -> None:
    text = "Let $x2$ be. So $$x2$$ is, and $5 is x2. End."
    read, places = as_read(text, {"x2": "x^{2}"}, [0, text.index("So"), text.index("End")])
    assert read == "Let $x^{2}$ be. So $$x^{2}$$ is, and $5 is x2. End."
    assert [read[place:][:3] for place in places] == ["Let", "So ", "End"]
    assert as_read(text, {}, [3]) == (text, [3])


def test_of_a_picture_that_is_its_own_address_only_the_kind_is_read() -> None:
    text = f"A ![a limpet](data:image/png;base64,{'A' * 5000}) B"
    read, places = as_read(text, {}, [0, len(text) - 1])
    assert read == "A ![a limpet](data:image/png;base64,…) B"
    assert places == [0, len(read) - 1]
