"""Quotations as text, Markdown and links stay what they are, whatever stands in quotes, titles and addresses."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.shown import VOLTAGE, citation, citations, group, scripts_citations
from webrag_desktop.text.citation_formats import HTML, MARKDOWN, PLAIN_TEXT, Quotation, in_quotes

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LINK = "https://cablehistory.org/page#:~:text=The%20cable"
PLAIN = Quotation("The cable broke.", "A short life", "Three weeks", 3, "https://cablehistory.org/page", LINK)
anything = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n*_[]()<>`#|\\~&!-+=:.1 ")
)


def parsed(markdown: str) -> tuple[list[str], list[str], list[str]]:
    """The lines of block quotations, the text of links, and where they lead."""
    quoted: list[str] = []
    linked: list[str] = []
    targets: list[str] = []
    depth = 0
    for token in PARSER.parse(markdown):
        depth += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.type == "inline" and depth:
            quoted += plain(token.children or []).split("\n")
        elif token.type == "inline":
            linked.append(plain(token.children or []))
            targets += [
                str(child.attrs["href"]) for child in token.children or [] if child.type == "link_open"
            ]
        else:
            assert token.type in {"paragraph_open", "paragraph_close", "blockquote_open", "blockquote_close"}
    return quoted, linked, targets


def plain(children: list[Token]) -> str:
    allowed = {"text", "text_special", "softbreak", "link_open", "link_close"}
    assert {child.type for child in children} <= allowed
    return "".join("\n" if child.type == "softbreak" else child.content for child in children)


def normal(text: str) -> str:
    return " ".join(text.split())


def test_text_gives_quote_and_source() -> None:
    assert PLAIN_TEXT.quotation(PLAIN) == (
        "“The cable broke.” (A short life — Three weeks, p. 3. https://cablehistory.org/page)"
    )


def test_text_of_a_file_names_its_place_and_leaves_out_what_is_unknown() -> None:
    bare = Quotation("It broke.", "Ledger", address="/home/ada/ledger.md")
    assert PLAIN_TEXT.quotation(bare) == "“It broke.” (Ledger. /home/ada/ledger.md)"
    assert PLAIN_TEXT.quotation(replace(bare, address="")) == "“It broke.” (Ledger)"


def test_quote_that_brings_its_quotation_marks_gets_no_second_pair() -> None:
    assert in_quotes("“Send faster,” he wrote, “or not at all.”") == (
        "““Send faster,” he wrote, “or not at all.””"
    )
    assert in_quotes(" “Send faster.” ") == "“Send faster.”"


def test_markdown_is_a_block_quotation_with_a_link_to_the_words() -> None:
    assert MARKDOWN.quotation(PLAIN) == f"> The cable broke.\n\n[A short life — Three weeks, p. 3]({LINK})"


def test_markdown_of_a_file_has_no_link() -> None:
    file = Quotation("It broke.", "Ledger [1858]", address="/home/ada/ledger.md")
    assert MARKDOWN.quotation(file) == "> It broke.\n\nLedger \\[1858\\]"


def test_markdown_falls_back_to_the_page_where_no_link_leads_to_the_words() -> None:
    assert parsed(MARKDOWN.quotation(replace(PLAIN, link=None)))[2] == [PLAIN.address]


@pytest.mark.parametrize(
    "quote",
    [
        "A | b | c\n--|--|--\n1 | 2 | 3",
        "# Not a heading\n- not a list\n1. nor this\n=====\n> nor a quote",
        "    indented\n```\nfence",
        "*stars* _lines_ `code` [link](x) ![image](y) <b>bold</b> &amp; ~~gone~~",
        "see https://example.org or www.example.org",
        "one\n\n\ntwo",
        "back\\slash at the end\\",
        "+ plus\n1) one\n: colon",
    ],
)
def test_markdown_quotes_read_as_they_stand(quote: str) -> None:
    quoted, _linked, _targets = parsed(MARKDOWN.quotation(replace(PLAIN, quote=quote)))
    assert quoted == [normal(line) for line in quote.splitlines() if line.strip()]


def test_markdown_titles_with_brackets_pipes_and_line_breaks_stay_one_link() -> None:
    odd = replace(PLAIN, title="[Re] cables | a\nhistory](x) `code`", section="*1858*")
    _quoted, linked, targets = parsed(MARKDOWN.quotation(odd))
    assert linked == ["[Re] cables | a history](x) `code` — *1858*, p. 3"]
    assert targets == [LINK]


def test_markdown_link_ends_where_the_address_ends() -> None:
    target = "https://example.org/a_(b)_[c] d|e?x=1&copy;=2"
    _quoted, linked, targets = parsed(MARKDOWN.quotation(replace(PLAIN, link=target)))
    assert linked == [PLAIN.reference]
    assert targets == ["https://example.org/a_%28b%29_%5Bc%5D%20d%7Ce?x=1&copy;=2"]


@given(
    quote=anything,
    title=anything.filter(str.strip),
    section=anything.filter(lambda words: not words or words.strip()),
)
def test_markdown_round_trips_any_text(quote: str, title: str, section: str) -> None:
    made = replace(PLAIN, quote=quote, title=title, section=section, page=None)
    quoted, linked, targets = parsed(MARKDOWN.quotation(made))
    assert quoted == [normal(line) for line in quote.splitlines() if line.strip()]
    assert linked == [made.reference]
    assert targets == [LINK]


def test_reference_forms() -> None:
    assert PLAIN_TEXT.reference(PLAIN) == "A short life — Three weeks, p. 3. https://cablehistory.org/page"
    assert MARKDOWN.reference(PLAIN) == f"[A short life — Three weeks, p. 3]({LINK})"
    assert PLAIN.target == LINK
    assert replace(PLAIN, link=None).target == PLAIN.address
    assert HTML.reference(PLAIN) == f'<a href="{LINK}">A short life — Three weeks, p. 3</a>'
    assert HTML.reference(Quotation("It <broke>.", "A & B")) == "A &amp; B"


def test_all_citations_are_numbered_quotes_then_references() -> None:
    lines = PLAIN_TEXT.listed(citations()[:2]).splitlines()
    assert lines[0].startswith("[1] “Whitehouse answered")
    assert lines[1].startswith("[2] “The coils did not")
    assert not lines[2]
    assert lines[3].startswith(
        "[1] The induction coils of Wildman Whitehouse, re-examined — Voltage, p. 11. http"
    )
    assert len(lines) == 5
    assert not PLAIN_TEXT.listed(())


def test_all_citations_as_markdown_keep_every_quote_apart() -> None:
    rows = citations() + scripts_citations()
    quoted, linked, _targets = parsed(MARKDOWN.listed(rows))
    assert quoted == [row.quote for row in rows]
    assert linked == [row.reference for row in rows]


def test_quotation_of_a_passage_is_what_citing_it_would_make() -> None:
    made = group("Coils", [VOLTAGE], address="https://example.org/c").quotation(VOLTAGE)
    cited = citation(VOLTAGE, 1, title="Coils", address="https://example.org/c", link=None)
    assert (PLAIN_TEXT.quotation(made), made.target) == (PLAIN_TEXT.quotation(cited), cited.target)


def test_a_reference_does_not_turn_the_reading_direction() -> None:
    hostile = Quotation("Quote.", "a\u202egnp.exe", "\u2066Section\u200b", 3, "https://x.example/\u202e")
    assert PLAIN_TEXT.reference(hostile) == "agnp.exe — Section, p. 3. https://x.example/"
    assert "\u202e" not in MARKDOWN.reference(replace(hostile, address="/folder"))
