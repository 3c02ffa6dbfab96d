import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.sentences import split_sentences

LINES = st.sampled_from(
    [
        "",
        "# A heading",
        "Plain prose. And more! Is it? Yes",
        "which goes on, e.g. here. Dr. Who said so.",
        "- an item. Its second sentence.",
        "2. step",
        "> quoted. Twice.",
        "| a | b. C |",
        "|---|---|",
        "```python",
        "```",
        "~~~",
        "x = 1. # Not a sentence. Nor this",
        "    indented",
        "日本語。次の文。",
        "$$ x^2 $$",
        "***",
        "**a term**",
    ]
)
MARKDOWN = st.lists(LINES, max_size=14).map("\n".join) | st.text(max_size=120)


def texts(markdown: str, *kinds: str) -> list[str]:
    return [
        markdown[sentence.start : sentence.end]
        for sentence in split_sentences(markdown)
        if sentence.kind in (kinds or ("prose", "heading", "code", "table"))
    ]


@given(MARKDOWN)
def test_sentences_are_ordered_trimmed_and_leave_out_only_white_space(markdown: str) -> None:
    position = 0
    for sentence in split_sentences(markdown):
        assert markdown[position : sentence.start].strip() == ""
        text = markdown[sentence.start : sentence.end]
        assert text
        assert text == text.strip()
        position = sentence.end
    assert markdown[position:].strip() == ""


@given(MARKDOWN)
def test_a_line_of_code_or_table_is_never_cut_or_joined(markdown: str) -> None:
    lines = {line.strip() for line in markdown.splitlines()}
    for text in texts(markdown, "code", "table", "heading"):
        assert text in lines


@given(MARKDOWN)
def test_splitting_a_sentence_again_gives_it_back(markdown: str) -> None:
    for text in texts(markdown, "prose"):
        if not re.match(r"[-*+>#|`~$\d]|\W", text):
            assert texts(text) == [text]


def test_prose_is_cut_at_sentence_ends_across_lines() -> None:
    markdown = "First one\ngoes on. Second!  “Third?” Last"
    assert texts(markdown) == ["First one\ngoes on.", "Second!", "“Third?”", "Last"]


@pytest.mark.parametrize(
    "text",
    [
        "See e.g. Smith for that.",
        "Dr. Who and J. K. Rowling met.",
        "Version 3.11 is out, i.e. Python 3.11.",
        "It costs 3.5 euro.",
        "What? is a name here",
    ],
)
def test_not_every_period_ends_a_sentence(text: str) -> None:
    assert texts(text) == [text]


def test_list_items_are_their_own_sentences_without_their_markers() -> None:
    assert texts("Intro:\n- one item\n  goes on\n- two\n3. three") == [
        "Intro:",
        "one item\n  goes on",
        "two",
        "three",
    ]


def test_headings_fences_and_tables_are_told_apart() -> None:
    markdown = "## Title\n\n```py\na = 1. b\n\nc()\n```\n\n| x | y |\n|---|---|\n| 1. A | 2 |\n"
    assert texts(markdown, "heading") == ["## Title"]
    assert texts(markdown, "code") == ["a = 1. b", "c()"]
    assert texts(markdown, "table") == ["| x | y |", "| 1. A | 2 |"]
    assert texts(markdown, "mark") == ["```py", "```", "|---|---|"]


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert texts("````\n```\nstill code. Yes\n````\nProse.", "prose") == ["Prose."]


def test_cjk_sentences_need_no_space_between_them() -> None:
    assert texts("これは文です。次の文です！終わり") == ["これは文です。", "次の文です！", "終わり"]


def test_a_bold_term_leads_its_definition() -> None:
    assert texts("**term**\n\nWhat it means. More.\n\n**other**\n\n- item") == [
        "**term**\n\nWhat it means.",
        "More.",
        "**other**",
        "item",
    ]
