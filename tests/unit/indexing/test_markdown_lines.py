"""Single lines of markdown, against the CommonMark reference behaviour of markdown-it-py."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from webrag_desktop.indexing.markdown_lines import atx_heading, open_fence, opens_table

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


@given(st.text(st.sampled_from("|:- a"), min_size=1, max_size=10))
@settings(max_examples=1000, deadline=None)
def test_every_table_of_the_oracle_is_one_here(below: str) -> None:
    tokens = ORACLE.parse(f"| h |\n{below}")
    if tokens[0].type == "table_open" and "|" in below:
        assert opens_table("| h |", below)


@pytest.mark.parametrize("below", [None, "", "| a |", "---", "| - a |", "||"])
def test_other_lines_do_not_make_a_table(below: str | None) -> None:
    assert not opens_table("| h |", below)


@pytest.mark.parametrize(
    ("line", "closes", "does_not"),
    [
        ("```py", "```", "~~~"),
        ("  ~~~~", "~~~~~ ", "~~~"),
        ("> ```", "> ```", "``` x"),
        ("1. - ````", "  ````", "```"),
    ],
)
def test_fences(line: str, closes: str, does_not: str) -> None:
    fence = open_fence(line)
    assert fence is not None
    assert fence.closes(closes)
    assert not fence.closes(does_not)
    assert fence.leaves("text") is line.startswith(">")


@pytest.mark.parametrize("line", ["``", "text ```", "``` a ` b", ""])
def test_other_lines_open_no_fence(line: str) -> None:
    assert open_fence(line) is None


@pytest.mark.parametrize("line", ["# " + " " * 200_000 + "x", "#" + "\t" * 200_000, "# " + "# " * 100_000])
def test_long_headings_take_linear_steps(line: str) -> None:
    assert atx_heading(line) is not None


def test_long_rows_take_linear_steps() -> None:
    assert not opens_table("|", "|" + " " * 200_000 + "x")
    assert opens_table("|", "|" + " " * 200_000 + "-|")
