import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.indexing.flags import flag_names, text_flags
from webrag_desktop.ingestion.blocks import scan_blocks
from webrag_desktop.ingestion.content_flags import detect_flags
from webrag_desktop.ingestion.text_document import read_markdown, read_plain_text


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
        ("> [!NOTE]\n> text", "has_admonition"),
        ("1. a", "has_steps"),
        ("2) a", "has_steps"),
        ("- a\n  1. b", "has_steps"),
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


CONTAINERS = [
    '<div class="admonition seealso"><p>x</p></div>',
    '<div id="a" class="note">x</div>',
    '<aside class="warning-box">x</aside>',
    '<div title="a &gt; b" class="alert alert-danger">x</div>',
    '<details class="tip"><summary>x</summary></details>',
    '<section role="note">x</section>',
    '<blockquote class="markdown-alert markdown-alert-info">x</blockquote>',
]


@pytest.mark.parametrize("html", CONTAINERS)
def test_containers_of_admonitions(html: str) -> None:
    assert detect_flags("x", html).has_admonition


@pytest.mark.parametrize(
    "html",
    [
        '<p class="info">plain</p>',
        '<span class="note">x</span>',
        '<p class="admonition">x</p>',
        '<div class="notebook infobox footnote">x</div>',
        '<div class="text"><p class="note">x</p></div>',
        '<div role="notes">x</div>',
    ],
)
def test_other_elements_are_no_admonitions(html: str) -> None:
    assert not detect_flags("x", html).has_admonition


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
