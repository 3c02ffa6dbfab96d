import time

import pytest

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
