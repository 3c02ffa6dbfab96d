import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.indexing.structure import flag_names, text_flags
from webrag_desktop.ingestion.content_flags import detect_flags, has_html_table
from webrag_desktop.ingestion.text_document import read_markdown, read_plain_text
from webrag_desktop.text.markdown_blocks import scan_blocks


@pytest.mark.parametrize(
    ("markdown", "flag"),
    [
        ("| a | b |\n| --- | :-: |", "has_table"),
        ("a | b\n--|--", "has_table"),
        ("```\ncode\n```", "has_code"),
        ("- x\n\n  ~~~py\n  code\n  ~~~", "has_code"),
        ("> ```\n> code\n> ```", "has_code"),
        ("Warning\n\ntext", "has_admonition"),
        ("> **Note:**\n> text", "has_admonition"),
        ("Deprecated since version 3.2.", "has_admonition"),
        ("NOTE:", "has_admonition"),
        *(
            (f"Before.\n\n{keyword}\n\nAfter.", "has_admonition")
            for keyword in (
                "Note",
                "Warning",
                "Important",
                "Tip",
                "Caution",
                "Danger",
                "Info",
                "Success",
                "Example",
                "See also",
                "Deprecated since",
            )
        ),
        ("> [!NOTE]\n> text", "has_admonition"),
        ("1. a", "has_steps"),
        ("2) a", "has_steps"),
        ("- a\n  1. b", "has_steps"),
        ("- a\n  1) b", "has_steps"),
        ("1. a\n   1) b\n      1. c", "has_steps"),
    ],
)
def test_flags_of_markdown(markdown: str, flag: str) -> None:
    raised = {name for name, value in detect_flags(markdown).model_dump().items() if value}
    assert raised == {flag}


@pytest.mark.parametrize(
    "markdown",
    [
        "A Note on tides",
        "a | b\n\nc - d",
        "``not a fence``",
        "1.5 metres",
        "Noted",
        "---",
        "a\n---",
        "| a | b |",
        "version 2. of it",
        "…in the year\n1984. It rained.",
        "Examples",
    ],
)
def test_plain_markdown_has_no_flags(markdown: str) -> None:
    assert not any(detect_flags(markdown).model_dump().values())


def test_code_raises_no_other_flag() -> None:
    flags = detect_flags(
        "```\n1. x\nNote\n| a | b |\n|---|---|\n```", '<pre>&lt;div class="note"&gt; &lt;math&gt;</pre>'
    )
    assert {name for name, value in flags.model_dump().items() if value} == {"has_code"}


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "~",
        " ",
        "\t",
        "|",
        "-",
        "| ",
        "- ",
        "-|",
        " :",
        "#",
        "# ",
        " #",
        "*",
        "> ",
        "<",
        "<a ",
        "[",
        "](",
        "[a](",
        "!",
        "\\",
        "1.",
        "=",
        "\n",
        " \n",
        "<!--",
        "a ",
        "_a",
        "\u00a0\n",
    ],
)
def test_long_runs_take_linear_time(unit: str) -> None:
    for text in (
        unit * 40_000,
        "# a" + unit * 40_000 + "b",
        "- " + unit * 40_000 + "b",
        "|" + unit * 40_000 + "b\n|--",
    ):
        started = time.process_time()
        read_markdown(text)
        read_plain_text(text)
        detect_flags(text, text)
        list(scan_blocks(text))
        assert time.process_time() - started < 20


WORDS = ("admonition", "note", "warning", "tip", "important", "caution", "danger", "info")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "tag", ["div", "p", "span", "aside", "details", "dl", "td", "blockquote", "custom-box"]
)
def test_a_class_of_admonitions_counts_on_any_element(word: str, tag: str) -> None:
    assert detect_flags("x", f'<{tag} class="{word}">x</{tag}>').has_admonition


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "named", ["{}-box", "callout-{}", "alert_{}", "md {} x", "bs-callout-{}--big", "{}2"]
)
def test_a_class_that_contains_the_word_counts(word: str, named: str) -> None:
    assert detect_flags("x", f'<div id="a" class="{named.format(word)}">x</div>').has_admonition
    assert detect_flags("x", f'<div class="{named.format(word).upper()}">x</div>').has_admonition


@pytest.mark.parametrize(
    "html",
    [
        '<div class="admonitionblock">x</div>',
        '<div class="theme-admonition">x</div>',
        '<div title="a &gt; b" class="alert alert-danger">x</div>',
        '<p>Before <em>a <span class="note">x</span></em></p>',
        '<section role="note">x</section>',
        '<p role="note">x</p>',
    ],
)
def test_elements_of_admonitions(html: str) -> None:
    assert detect_flags("x", html).has_admonition


@pytest.mark.parametrize(
    "html",
    [
        '<div class="notebook infobox footnote footnotes endnotes">x</div>',
        '<table class="informaltable"><tr><td>x</td></tr></table>',
        '<span class="tooltip multiple information notes cautious dangerous tips">x</span>',
        '<span class="foot-note">1</span><a class="note-ref">1</a><a class="note_backref">1</a>',
        '<span class="tool-tip">x</span><div class="end-note">x</div>',
        '<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup></span>',
        '<a class="footnote-reference">1</a><sup class="reference">1</sup>',
        '<div role="notes">x</div>',
        '<div data-class="note" id="note" title="class=note">x</div>',
        '<p>Write class="note" or role="note" there.</p>',
        '<!-- <div class="note"> --><p>x</p>',
    ],
)
def test_other_elements_are_no_admonitions(html: str) -> None:
    assert not detect_flags("x", html).has_admonition


@pytest.mark.parametrize(
    "html", ['<!-- <table> <dl> <math> <ol> <b class="tip"> --><p>x</p>', "<p>x</p><!-- <dl>"]
)
def test_comments_say_nothing(html: str) -> None:
    assert not any(detect_flags("x", html).model_dump().values())


@pytest.mark.parametrize(
    ("html", "flag"),
    [
        ("<p><math><mi>x</mi></math></p>", "has_math"),
        ("<p><mjx-container>x</mjx-container></p>", "has_math"),
        ('<span class="MathJax">x</span>', "has_math"),
        ('<span class="MathJax_Display">x</span>', "has_math"),
        ('<span class="katex">x</span>', "has_math"),
        ('<span class="a math b">x</span>', "has_math"),
        ("<dl><dt>a</dt></dl>", "has_definition_list"),
        ("<table><tr><td>x</td></tr></table>", "has_table"),
        ("<ul><li><ol><li>x</li></ol></li></ul>", "has_steps"),
    ],
)
def test_flags_of_html(html: str, flag: str) -> None:
    assert {name for name, value in detect_flags("x", html).model_dump().items() if value} == {flag}


@pytest.mark.parametrize(
    "html",
    [
        '<p class="mathjax_ignore">x</p>',
        '<p class="tex2jax_process">x</p>',
        '<p class="mathematics aftermath">x</p>',
        "<p>$x$ and \\(y\\) and &lt;math&gt;</p>",
        "<pre>&lt;table&gt; &lt;dl&gt; &lt;math&gt;</pre>",
    ],
)
def test_words_about_math_and_code_are_none(html: str) -> None:
    assert not any(detect_flags("x", html).model_dump().values())


@pytest.mark.parametrize(
    ("markdown", "flags"),
    [
        ("<div class='note'>\nx\n</div>", {"has_admonition"}),
        ("<p class=warning>x</p>", {"has_admonition"}),
        ("<dl><dt>a<dd>b</dl>", {"has_definition_list"}),
        ("<div>\n<MATH><mi>x</mi></MATH></div>", {"has_math"}),
        ("<div title='class=\"note\"'>x</div>", set()),
        ("<!-- <div class='note'> -->", set()),
    ],
)
def test_html_in_a_markdown_file_is_read_as_html(markdown: str, flags: set[str]) -> None:
    (block,) = read_markdown(markdown).text.blocks
    assert {name for name, value in block.flags.model_dump().items() if value} == flags


@pytest.mark.parametrize(
    ("prose", "is_table"),
    [
        ("x <table> y", True),
        ('`a` <TABLE class="b"> `c`', True),
        ("the `<table>` element", False),
        ("the `` `<table>` `` element", False),
        ("the \\<table> element", False),
        ("<tablet>", False),
    ],
)
def test_a_table_in_html_is_not_its_name(prose: str, *, is_table: bool) -> None:
    assert has_html_table(prose) is is_table


LINES = [
    "Note", "NOTE:", "Note:", "**Note**:", "**Note:**", "> [!NOTE]", "[!WARNING]", "> > Tip", "See Also", "note",
    "Notes", "A Note", "Deprecated since", "Deprecated since 3.2: gone", "[!SEEALSO]", "Example", "SEE ALSO:",
    "1. One", "7. Seven", "In the year\n1984. It rained.", "It was\n12. He came.", "Then:\n1. One", "- 2. x",
    "1984. It rained.", "> 3) x", "1.", "1.5 m", "- a\n  1. b",
]  # fmt: skip


@pytest.mark.parametrize("text", LINES)
def test_indexing_sees_the_same_flags(text: str) -> None:
    assert flag_names(detect_flags(text)) == text_flags(text)


@given(st.lists(st.sampled_from([*LINES, "words", "", "> ", "1", ". ", "- ", "**"]), max_size=5))
def test_indexing_sees_the_same_flags_in_longer_texts(parts: list[str]) -> None:
    text = "\n".join(parts)
    assert flag_names(detect_flags(text)) == text_flags(text)
