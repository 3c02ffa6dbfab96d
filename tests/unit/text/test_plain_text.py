"""The plain text that a reader sees, and its way back to the markdown."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.markdown_documents import ANY_TEXT, DOCUMENTS, GeneratedDocument
from webrag_desktop.errors import IndexingError
from webrag_desktop.text import plain_text
from webrag_desktop.text.plain_text import PlainText, project

ORACLE = MarkdownIt("commonmark", {"html": True})
# An image's words are left out here: the oracle reads them apart from the brackets around them.
_EMPHASIS = ["*", "**", "***", "_", "__", "`", "``"]
_BRACKETS = ["[", "]", "](u)", "](<u v> 't')", "![é](u)", "\\", "(", ")", "!", "<", ">"]
_OTHERS = [
    " ",
    "a",
    "b.",
    "é",
    "\n",
    "7",
    '"',
    "\\*",
    "&amp;",
    "&#233;",
    "&no;",
    "<br>",
    "</i>",
    "<http://a.b>",
]
INLINE = st.lists(st.sampled_from([*_EMPHASIS, *_BRACKETS, *_OTHERS]), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# A *heading* #\n", "A heading\n"),
        ("Title\n=====\ntext", "Title\ntext"),
        ("**bold**, _slanted_, `co*de*` and 2 * 3 * 4", "bold, slanted, co*de* and 2 * 3 * 4"),
        ("snake_case_name stays, __init__ not", "snake_case_name stays, init not"),
        ("[the *text*](https://example.org/a_(b) 'title')", "the text"),
        ("[one][ref] [two] [ref]\n\n[ref]: https://example.org", "one [two] ref\n\n"),
        ("![what it shows](image.png)", "what it shows"),
        ("Fish &amp; chips &lt;b&gt; &unknown; &#8364;", "Fish & chips <b> &unknown; €"),
        ("1\\. not a list \\*", "1. not a list *"),
        ("see <https://example.org> and a<br>b", "see https://example.org and ab"),
        ("~~gone~~ stays, a ~ b", "gone stays, a ~ b"),
        ("| a | **b** |\n|---|:-:|\n|1|x \\| y|\n", "a b\n1 x | y\n"),
        ("- one\n- two\n  more\n\n1. three\n2) four", "one\ntwo\nmore\n\nthree\nfour"),
        ("> quoted\n> *twice*", "quoted\ntwice"),
        ("```python\n# *not* [a](b) &amp;\n```\nafter", "# *not* [a](b) &amp;\nafter"),
        ("> ```\n> x\n> ```\nafter", "x\nafter"),
        ("before\n\n---\n\n    indented * code *\n", "before\n\n\nindented * code *\n"),
        ("检索 **增强** 生成 👩\u200d👧 &hearts;", "检索 增强 生成 👩\u200d👧 ♥"),
        ("", ""),
    ],
)
def test_marks_are_taken_off(markdown: str, plain: str) -> None:
    assert project(markdown).text == plain


@pytest.mark.parametrize(
    ("markdown", "quote", "source"),
    [
        ("Some **bold** words", "bold words", "bold** words"),
        ("Fish &amp; chips", "Fish &", "Fish &amp;"),
        ("Fish &amp;", "&", "&amp;"),
        ("a &NotEqualTilde; b", "\u2242\u0338", "&NotEqualTilde;"),
        ("| a | b |\n|---|---|\n| one | two |", "one two", "one | two"),
        ("See [the page](https://example.org) now", "the page now", "the page](https://example.org) now"),
        ("*a* b", "a", "a"),
    ],
)
def test_a_quote_leads_back_to_its_markdown(markdown: str, quote: str, source: str) -> None:
    plain = project(markdown)
    at = plain.text.index(quote)
    start, end = plain.to_markdown_span(at, at + len(quote))
    assert markdown[start:end] == source


@pytest.mark.parametrize(("start", "end"), [(0, 0), (2, 1), (-1, 1), (0, 99)])
def test_spans_outside_are_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="no plain text"):
        project("abc").to_markdown_span(start, end)


def _check_runs(markdown: str, plain: PlainText) -> None:
    """Runs cover the plain text in order, go forward in the markdown, and are verbatim unless closed."""
    position, source_end = 0, 0
    for index, (start, source, length) in enumerate(plain.runs):
        assert start == position
        position += length
        closed = next((run for run in plain.runs[index + 1 :] if run[1:] != (source, 1)), (0, 0, 1))[2] == 0
        if length == 1 and closed:
            continue  # a decoded entity or a table's border
        assert source >= source_end
        source_end = source + length
        assert plain.text[start : start + length] == markdown[source:source_end]
    assert position == len(plain.text)


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_every_plain_character_has_a_source(text: str) -> None:
    _check_runs(text, project(text))


@given(DOCUMENTS)
@settings(deadline=None)
def test_every_plain_character_of_a_document_has_a_source(document: GeneratedDocument) -> None:
    plain = project(document.markdown)
    _check_runs(document.markdown, plain)
    for start in range(0, len(plain.text), 7):
        first, last = plain.to_markdown_span(start, start + 1)
        assert document.markdown[first:last] == plain.text[start] or last - first > 1


def _visible(tokens: list[Token]) -> str:
    """What the oracle's inline tokens show, without whitespace."""
    shown = []
    for token in tokens:
        if token.type == "image" and token.children:
            shown.append(_visible(token.children))
        elif token.type in {"text", "code_inline", "text_special"}:
            shown.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            shown.append("\n")
    return "".join(shown)


# The oracle takes the brackets of a link for white space when it asks what stands beside a mark.
BESIDE_BRACKET = re.compile(r"\[[*_]+[^\w\s*_]|[^\w\s*_\[][*_]+\]")


def test_the_brackets_of_a_link_are_punctuation_to_the_marks_beside_them() -> None:
    assert project("[_b.__](u)").text == "_b.__"  # the closing run could open too: CommonMark's rule of three


@given(INLINE)
@settings(max_examples=500, deadline=None)
def test_inline_markup_is_read_as_commonmark_does(text: str) -> None:
    paragraph = "x" + "\n".join("x" + line for line in text.split("\n")) + "x"
    assume("![" not in paragraph.replace("![é](u)", ""))
    assume(not BESIDE_BRACKET.search(paragraph))
    inline = [token for token in ORACLE.parse(paragraph) if token.type == "inline"]
    expected = "\n".join(_visible(token.children or []) for token in inline)
    assert "".join(project(paragraph).text.split()) == "".join(expected.split())


@pytest.mark.parametrize(
    "piece", ["[a](", "*a ", "`a``", "[", "![[", "<!-- ", "a_b*c", '[a](b "', "**a _b ", "&#"]
)
def test_adversarial_repetition_takes_linear_steps(piece: str) -> None:
    text = piece * 20_000
    assert len(project(text).text) <= len(text)  # quadratic scanning would not end within the test's timeout


@pytest.mark.parametrize("link", ["[a]({})", "![a]({})", "[a]: {}\n\n[a]"])
def test_a_number_without_end_in_an_address_is_no_character(link: str) -> None:
    assert "a" in project(link.format(f"http://x.org/&#{'9' * 5000};")).text


@pytest.mark.parametrize("text", ["*a* " * 60, "*a*\n\n" * 60])
def test_more_markup_than_can_be_kept_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "MOST_RUNS", 100)
    assert project(text[:200])
    with pytest.raises(IndexingError, match="more markup than can be kept"):
        project(text)
