"""Filters given as plain data."""

from dataclasses import fields
from datetime import date, datetime
from uuid import UUID

import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.contracts.filters import FILTERS, SearchFilters, read_filters

ID = "a150b5f0-96d8-4a9a-ab1e-7fc927755918"


def test_nothing_given_restricts_nothing() -> None:
    assert not read_filters({})
    assert not read_filters(dict.fromkeys(FILTERS))


def test_every_filter_of_the_model_is_known() -> None:
    assert {field.name for field in fields(SearchFilters)} == set(FILTERS)


def test_plain_data_gives_the_same_as_the_model() -> None:
    given = {
        "sites": ["python.org"],
        "tags": ("thesis", "lab"),
        "doc_types": {"pdf", "html"},
        "documents": [ID],
        "published_from": "2024",
        "published_to": "2024-02",
        "fetched_from": date(2025, 1, 2),
        "fetched_to": "2026-01-02T03:04:05+00:00",
        "max_depth": 2,
    }
    assert read_filters(given) == SearchFilters(
        sites=["python.org"],
        tags=["thesis", "lab"],
        doc_types=["html", "pdf"],
        documents=[UUID(ID)],
        published_from=date(2024, 1, 1),
        published_to=date(2024, 2, 29),
        fetched_from=date(2025, 1, 2),
        fetched_to=datetime.fromisoformat("2026-01-02T03:04:05+00:00"),
        max_depth=2,
    )


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ({"colour": ["red"]}, "no filter 'colour'"),
        ({"tags": "thesis"}, "tags is a text"),
        ({"tags": 5}, "filter tags is 5"),
        ({"tags": {"thesis": True}}, "filter tags is"),
        ({"published_from": "lately"}, "published_from is 'lately'"),
        ({"published_from": 2024.5}, "published_from is 2024.5"),
        ({"documents": ["7"]}, "'7', is no id"),
        ({"max_depth": "2"}, "max_depth is '2'"),
        ({"min_depth": True}, "min_depth is True"),
        ({"doc_types": ["scroll"]}, "'scroll'"),
    ],
    ids=str,
)
def test_what_nothing_can_meet_is_refused(given: dict[str, object], reported: str) -> None:
    with pytest.raises(InputError, match=reported) as refused:
        read_filters(given)
    assert refused.value.hint
