"""Rich content by its pattern in markdown."""

import pytest

from webrag_desktop.indexing.structure import content_flags, flag_names, text_flags
from webrag_desktop.ingestion.content_flags import is_admonition_keyword
from webrag_desktop.models.documents import ContentFlags

KEYWORDS = [
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
]


@pytest.mark.parametrize(
    "line",
    [
        *KEYWORDS,
        "NOTE",
        "**Warning:**",
        "> Tip",
        "[!NOTE]",
        "Deprecated since",
        "Deprecated since version 1.2:",
    ],
)
def test_a_callouts_keyword_stands_on_a_line_of_its_own(line: str) -> None:
    assert is_admonition_keyword(line)
    assert text_flags(f"Before.\n{line}\nAfter.") == {"has_admonition"}


@pytest.mark.parametrize(
    "line", ["Note that", "Notes", "note", "A Warning", "## Note", "Tip the waiter", "", "See"]
)
def test_other_lines_are_no_keywords(line: str) -> None:
    assert not is_admonition_keyword(line)
    assert text_flags(line) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "1. One",
        "1) One\n2) Two",
        "7. Seven",
        "Then:\n1. One",
        "- a\n  1. nested",
        "- 1. nested",
        "> 1. quoted",
    ],
)
def test_ordered_lists_are_steps(text: str) -> None:
    assert text_flags(text) == {"has_steps"}


@pytest.mark.parametrize(
    "text", ["In the year\n1984. It was", "1.5 percent", "1\\. escaped", "1.", "- bullet"]
)
def test_other_numbers_are_no_steps(text: str) -> None:
    assert text_flags(text) == frozenset()


def test_an_html_table_is_a_table() -> None:
    assert text_flags('x <TABLE class="a">') == {"has_table"}
    assert text_flags("<tablet>") == frozenset()


def test_flags_go_to_names_and_back() -> None:
    flags = ContentFlags(has_math=True, has_steps=True)
    assert flag_names(flags) == {"has_math", "has_steps"}
    assert content_flags(flag_names(flags)) == flags
