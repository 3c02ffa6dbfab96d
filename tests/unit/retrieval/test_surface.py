import pytest

from tests.support.retrieval_rows import parent_row
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.retrieval.surface import count_selected, select_surface

HTML = "<p>Text <b>of</b> the parent.</p>"


@pytest.mark.parametrize(
    "flag", ["has_table", "has_code", "has_math", "has_definition_list", "has_admonition"]
)
def test_rich_content_takes_the_html(flag: str) -> None:
    assert select_surface(parent_row(html_text=HTML, **{flag: True})) == (HTML, "html")


def test_rich_content_without_html_falls_back_to_markdown() -> None:
    assert select_surface(parent_row(has_table=True)) == ("Text of the parent.", "markdown")


def test_plain_content_is_markdown_even_where_there_is_html() -> None:
    assert select_surface(parent_row(html_text=HTML)) == ("Text of the parent.", "markdown")


def test_steps_alone_do_not_ask_for_html() -> None:
    assert select_surface(parent_row(html_text=HTML, has_steps=True))[1] == "markdown"


def test_markdown_counts_its_token_span() -> None:
    row = parent_row(token_start=7, token_end=12)
    assert count_selected(row, row.chunk_text, "markdown", None) == 5


def test_html_is_counted_where_a_tokenizer_can_and_estimated_otherwise() -> None:
    row = parent_row(html_text=HTML, token_start=0, token_end=5)
    assert count_selected(row, HTML, "html", WordTokenizer()) == WordTokenizer().count(HTML)
    assert count_selected(row, HTML, "html", None) == 9  # 5 tokens in 19 characters, so 9 in 33
