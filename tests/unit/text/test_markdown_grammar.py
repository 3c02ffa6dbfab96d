"""Single lines of markdown, against the CommonMark reference behaviour of markdown-it-py."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from webrag_desktop.text.markdown_grammar import atx_heading, definition_lines, opens_table

ORACLE = MarkdownIt("commonmark").enable("table")


@given(st.text(st.sampled_from("# \ta\\*"), max_size=12))
@settings(max_examples=1000, deadline=None)
def test_heading_lines_are_those_of_commonmark(line: str) -> None:
    tokens = ORACLE.parse(line)
    heading = atx_heading(line)
    if not tokens or tokens[0].type != "heading_open":
        assert heading is None
    else:
        assert heading is not None
        assert (heading.level, line[heading.start : heading.end]) == (
            int(tokens[0].tag[1]),
            tokens[1].content,
        )


@given(st.text(st.sampled_from("|:- a"), min_size=1, max_size=10).map(lambda below: below.lstrip(" ")))
@settings(max_examples=1000, deadline=None)
def test_tables_are_those_of_the_oracle(below: str) -> None:
    tokens = ORACLE.parse(f"| h |\n{below}")
    item = below.startswith("- ")
    if "|" in below and not item:  # without a border it underlines a heading, whatever the oracle says
        assert opens_table("| h |", below) == (tokens[0].type == "table_open")


@pytest.mark.parametrize("below", ["", "| a |", "|-|-|", "---", "| - a |", "||"])
def test_other_lines_do_not_make_a_table(below: str) -> None:
    assert not opens_table("| h |", below)


@pytest.mark.parametrize("line", ["# " + " " * 200_000 + "x", "#" + "\t" * 200_000, "# " + "# " * 100_000])
def test_long_headings_take_linear_steps(line: str) -> None:
    assert atx_heading(line) is not None


def test_long_rows_take_linear_steps() -> None:
    assert not opens_table("|", "|" + " " * 200_000 + "x")
    assert opens_table("| a", "|" + " " * 200_000 + "-|")


@pytest.mark.parametrize(
    ("paragraph", "lines"),
    [
        ("[a]: b", 1),
        ("[a]: <b c> (d)\n[e]:\nf\n'g'\ntext", 4),
        ("[a]: b 'c' d", 0),
        ("[ ]: b", 0),
        ("text\n[a]: b", 0),
        ("[a] b", 0),
        ("[a]:", 0),
    ],
)
def test_link_definitions_at_the_start_of_a_paragraph(paragraph: str, lines: int) -> None:
    assert definition_lines(paragraph.split("\n")) == lines
