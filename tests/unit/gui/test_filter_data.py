"""What the window's filters say of themselves, and what they become for the core."""

from dataclasses import fields
from datetime import date
from uuid import uuid4

import pytest

from webrag_desktop.gui.data.filters import (
    FIELDS,
    NO_FILTERS,
    ChosenFilters,
    FilterChoices,
    Period,
    is_period,
)
from webrag_desktop.gui.data.library import LabelChange, LabelNames
from webrag_desktop.gui.research.filter_strip import (
    FIELD_ICONS,
    chip_words,
    field_word,
    filters_on,
    value_icon,
    value_word,
)
from webrag_desktop.gui.research.operations.asking import search_filters
from webrag_desktop.gui.research.operations.searching import site_value
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.models.formats import DOC_TYPES
from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS, SearchFilters, read_site

ALL = ChosenFilters(
    sites=("a.example",),
    collections=("Theses",),
    tags=("sea", "to read"),
    authors=("Jane Doe",),
    doc_types=("pdf",),
    languages=("en",),
    content_flags=("has_table",),
    sections=("Results",),
    published=Period("2019", "2020-02"),
    fetched=Period("2024-05-31"),
)


def test_every_field_is_named_drawn_and_counted() -> None:
    assert {one.name for one in fields(ChosenFilters)} - {"order"} == set(FIELDS) == set(FIELD_ICONS)
    assert {one.name for one in fields(FilterChoices)} == set(FIELDS) - {"published", "fetched"}
    assert len({field_word(field) for field in FIELDS}) == len(FIELDS)
    assert ALL.fields == FIELDS
    assert not NO_FILTERS


def test_a_field_is_taken_out_alone() -> None:
    rest = ALL
    for field in FIELDS:
        rest = rest.without(field)
        assert field not in rest.fields
        assert rest.fields == FIELDS[FIELDS.index(field) + 1 :]
    assert rest == NO_FILTERS


def test_the_core_gets_all_of_it() -> None:
    assert search_filters(NO_FILTERS) is None
    assert search_filters(ALL) == SearchFilters(
        sites=["a.example"],
        collections=["Theses"],
        tags=["sea", "to read"],
        authors=["Jane Doe"],
        doc_types=["pdf"],
        languages=["en"],
        content_flags=["has_table"],
        sections=["Results"],
        published_from=date(2019, 1, 1),
        published_to=date(2020, 2, 29),
        fetched_from=date(2024, 5, 31),
    )


@pytest.mark.parametrize("host", ["a.example", "127.0.0.1", "2001:db8::1"])
def test_the_host_of_a_document_can_be_filtered_by(host: str) -> None:
    assert read_site(site_value(host)) == (host, None)


@pytest.mark.parametrize(
    ("first", "last", "right"),
    [
        ("", "", True),
        ("2019", "", True),
        (" 2019-05 ", "2019-05-31", True),
        ("2019", "2019", True),
        ("2020", "2019", False),
        ("2019-06", "2019-05-31", False),
        ("2024-5-3", "2024-5", True),
        ("31.05.2024", "", False),
        ("soon", "", False),
        ("", "2019-13", False),
    ],
)
def test_a_period_has_dates_in_order(first: str, last: str, right: bool) -> None:
    assert is_period(Period(first, last)) is right


@pytest.mark.parametrize(
    ("chosen", "short", "whole"),
    [
        (ChosenFilters(sites=("a",)), "a", "a"),
        (ChosenFilters(sites=("a", "b")), "a or b", "a or b"),
        (ChosenFilters(sites=("a", "b", "c")), "a or 2 more", "a or b or c"),
        (ChosenFilters(sites=("a", "b", "c", "d")), "a or 3 more", "a or b or c or d"),
        (ChosenFilters(doc_types=("pdf", "html")), "PDF or Web page", "PDF or Web page"),
        (ChosenFilters(languages=("de", "x-tlh")), "German or x-tlh", "German or x-tlh"),
        (ChosenFilters(content_flags=("has_math",)), "Formulas", "Formulas"),
        (ChosenFilters(published=Period("1990")), "from 1990", "from 1990"),
        (ChosenFilters(published=Period(last="1995-05")), "to 1995-05", "to 1995-05"),
        (ChosenFilters(fetched=Period("1990", "1995")), "1990 to 1995", "1990 to 1995"),
        (ChosenFilters(fetched=Period("1990", "1990")), "1990", "1990"),
    ],
)
def test_a_chip_says_what_holds(chosen: ChosenFilters, short: str, whole: str) -> None:
    assert chip_words(chosen, chosen.fields[0]) == (short, whole)


def test_every_type_and_flag_of_the_core_has_words_and_an_icon() -> None:
    for field, values in (("doc_types", DOC_TYPES), ("content_flags", CONTENT_FLAGS)):
        assert len({value_word(field, value) for value in values}) == len(values)  # type: ignore[arg-type]
        assert all(value_icon(field, value) for value in values)  # type: ignore[arg-type]
    assert tuple(ContentFlags.model_fields) == CONTENT_FLAGS


def test_filters_are_counted_in_a_sentence() -> None:
    assert [filters_on(1), filters_on(4)] == ["One filter is on.", "4 filters are on."]


def test_a_change_of_nothing_is_none() -> None:
    assert not LabelChange((uuid4(),))
    assert LabelChange((), remove=LabelNames(collections=("a",)))
