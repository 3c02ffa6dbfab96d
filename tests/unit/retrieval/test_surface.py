import pytest

from tests.support.retrieval_rows import parent_row
from webrag_desktop.retrieval.contracts.passages import (
    as_retrieved,
    count_selected,
    select_surface,
    unmatched,
)

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
    assert count_selected(parent_row(token_start=7, token_end=12, html_tokens=30), "markdown") == 5


def test_html_counts_what_was_counted_of_it() -> None:
    assert (
        count_selected(parent_row(html_text=HTML, token_start=0, token_end=5, html_tokens=30), "html") == 30
    )


def test_a_result_shows_every_field_of_its_name_as_it_is_stored() -> None:
    row = parent_row(page=7, anchor="low", has_steps=True, depth=2, token_start=5, token_end=9)
    shown, stored = as_retrieved(unmatched(row), whole=True).model_dump(), row._asdict()
    same = shown.keys() & stored.keys()
    assert {"title", "page", "heading_path", "has_steps", "depth", "fetched_at"} < same
    assert {name: shown[name] for name in same} == {name: stored[name] for name in same}
    assert stored.keys() - same == {"id", "html_text", "html_tokens"}
