"""Filters written into a question: what is one, what it means, and what is left of the question."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webrag_desktop.text.typed_filters import filter_values, is_date, typed_filters, without, written


def found(text: str) -> list[tuple[str, tuple[str, ...], bool]]:
    return [(one.field, one.values, one.is_open) for one in typed_filters(text)]


def rest(text: str) -> str:
    return without(text, typed_filters(text))


def test_every_name_is_read_in_the_order_written() -> None:
    text = (
        'type:pdf tide site:shore.example in:"To read" tag:sea lang:de has:table section:Methods after:1990 '
    )
    assert found(text) == [
        ("doc_types", ("pdf",), False),
        ("sites", ("shore.example",), False),
        ("collections", ("To read",), False),
        ("tags", ("sea",), False),
        ("languages", ("de",), False),
        ("content_flags", ("has_table",), False),
        ("sections", ("Methods",), False),
        ("published_from", ("1990",), False),
    ]
    assert rest(text) == "tide "


@pytest.mark.parametrize(
    "text",
    [
        "what is std::vector",
        "see https://site.example/in:out",
        "time:12 note: something",
        'they wrote "site:a.example and" more',
        "website:a.example",
        "in: the sea",
        'tag:"" tide',
        "",
    ],
)
def test_other_words_are_no_filters(text: str) -> None:
    assert found(text) == []
    assert rest(text) == text


@pytest.mark.parametrize(
    ("text", "values"),
    [("tide site:", ()), ("tide site:sho", ("sho",)), ('tide in:"To re', ("To re",)), ('tide in:"', ())],
)
def test_a_filter_at_the_end_may_still_go_on(text: str, values: tuple[str, ...]) -> None:
    ((_field, found_values, is_open),) = found(text)
    assert (found_values, is_open) == (values, True)


def test_closing_the_quotation_marks_ends_it() -> None:
    assert found('in:"To read"') == [("collections", ("To read",), False)]


def test_kinds_and_contents_have_the_names_that_people_use() -> None:
    assert found("TYPE:Web,md has:tables has:steps has:definition-list ") == [
        ("doc_types", ("html", "markdown"), False),
        ("content_flags", ("has_table",), False),
        ("content_flags", ("has_steps",), False),
        ("content_flags", ("has_definition_list",), False),
    ]


@pytest.mark.parametrize(
    ("before", "last"),
    [
        ("2000", "1999"),
        ("2000-01", "1999-12"),
        ("2000-5", "2000-04"),
        ("2000-03-01", "2000-02-29"),
        ("soon", "soon"),
        ("2000-13", "2000-13"),
    ],
)
def test_before_a_date_ends_with_what_lies_before_it(before: str, last: str) -> None:
    assert found(f"before:{before} ") == [("published_to", (last,), False)]


def test_dates_are_distinguished_from_other_words() -> None:
    assert is_date("1990")
    assert is_date("1990-05")
    assert is_date("1990-05-31")
    assert not is_date("soon")
    assert not is_date("2000-13")


def test_several_values_of_a_field_come_together() -> None:
    typed = typed_filters('site:a.example,b.example site:a.example tag:"to read" after:1990 before:2000 ')
    assert filter_values(typed) == {
        "sites": ["a.example", "b.example"],
        "tags": ["to read"],
        "published_from": "1990",
        "published_to": "1999",
    }


@pytest.mark.parametrize(("name", "value"), [("in", "To read"), ("site", "a.example"), ("tag", "a,b")])
def test_what_is_written_is_read_again(name: str, value: str) -> None:
    (again,) = typed_filters(written(name, value) + " ")
    assert again.values == (value,)


_CHARACTERS = st.one_of(st.sampled_from('"",:;\' \tainsite'), st.characters(exclude_categories=["Cs"]))
_NAMED = st.text(_CHARACTERS, min_size=1).map(str.strip).filter(bool)


@given(st.sampled_from(["in", "tag", "section", "site", "lang"]), _NAMED)
@example("in", '5" disks')
@example("in", 'say "hi" now')
@example("in", '"x"')
@example("site", '"a","b"')
@example("tag", '"')
def test_any_name_is_read_again_as_it_was_written(name: str, value: str) -> None:
    text = f"tide {written(name, value)} table"
    (again,) = typed_filters(text)
    assert (again.name, again.values, again.is_open) == (name, (value,), False)
    assert rest(text) == "tide table"


def test_doubled_quotation_marks_do_not_end_a_value() -> None:
    assert found('in:"5"" di') == [("collections", ('5" di',), True)]
    assert found('in:"""') == [("collections", ('"',), True)]


@pytest.mark.parametrize("name", ['5"', 'say"it"', '5"x'])
def test_a_quotation_mark_within_a_word_is_a_character_like_others(name: str) -> None:
    assert found(f"in:{name}") == [("collections", (name,), True)]
    text = f'tide in:{name} "salt water" tag:sea x'
    assert found(text) == [("collections", (name,), False), ("tags", ("sea",), False)]
    assert rest(text) == 'tide "salt water" x'


@pytest.mark.parametrize(
    ("written", "doc_type"),
    [("md", "markdown"), ("HTM", "html"), ("txt", "text"), ("web", "html"), ("word", "docx"), ("pdf", "pdf")],
)
def test_a_type_is_named_by_its_endings_too(written: str, doc_type: str) -> None:
    assert found(f"type:{written}") == [("doc_types", (doc_type,), True)]
