"""The model of filters: what it refuses, and what its values stand for."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from tests.support.time_zone import time_zone
from webrag_desktop.errors import InputError
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS, SearchFilters, read_site, restriction
from webrag_desktop.storage.searching.restriction import Site


@pytest.fixture
def in_new_york() -> Iterator[None]:
    """A user whose clock is behind UTC, by four hours in summer."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no tzset")
    with time_zone("America/New_York"):
        yield


def test_nothing_said_restricts_nothing() -> None:
    assert not SearchFilters()
    assert not SearchFilters(tags=[], published_from=None)
    assert restriction(SearchFilters()) is None
    assert restriction(None, []) is None
    assert restriction(None, ["https://a/"]) is not None


def test_zero_is_a_value() -> None:
    assert SearchFilters(max_depth=0)
    assert restriction(SearchFilters(max_depth=0)) is not None


def test_lists_are_copied_and_cannot_be_changed() -> None:
    tags = ["a", "b", "a"]
    filters = SearchFilters(tags=tags)
    tags.append("c")
    assert filters.tags == ("a", "b")
    assert hash(filters) == hash(SearchFilters(tags=("a", "b")))
    with pytest.raises(AttributeError):
        filters.tags = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    "impossible",
    [
        {"doc_types": ["doc"]},
        {"content_flags": ["table"]},
        {"content_types": ["film"]},
        {"tags": [" "]},
        {"tags": "thesis"},
        {"tags": [1]},
        {"documents": ["nope"]},
        {"min_depth": True},
        {"sites": [""]},
        {"sites": ["//"]},
        {"sites": ["example.org:port"]},
        {"sites": ["[::1"]},
        {"sites": ["two words"]},
        {"min_depth": -1},
        {"max_depth": -1},
        {"min_depth": 2, "max_depth": 1},
        {"min_depth": 2**31},
        {"published_from": date(2024, 5, 2), "published_to": date(2024, 5, 1)},
        {"fetched_from": datetime(2024, 5, 2, tzinfo=UTC), "fetched_to": datetime(2024, 5, 1, tzinfo=UTC)},
        {"fetched_from": datetime(2024, 5, 2, tzinfo=UTC), "fetched_to": datetime(2024, 5, 2, tzinfo=UTC)},
        {"published_to": date.max},
    ],
    ids=str,
)
def test_what_nothing_can_meet_is_refused_with_a_hint(impossible: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        SearchFilters(**impossible)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("::1", Site("::1", None)),
        ("example.org", Site("example.org")),
        (" Docs.Example.org ", Site("docs.example.org")),
        ("https://www.example.org/x?y", Site("example.org")),
        ("127.0.0.1:8000", Site("127.0.0.1", 8000)),
        ("http://[::1]:80/", Site("::1", 80)),
        ("bücher.example", Site("xn--bcher-kva.example")),
        ("www.", Site("www.")),
        ("a\0b", Site("a\0b")),
    ],
)
def test_a_site_is_read_as_it_is_stored(text: str, site: Site) -> None:
    assert read_site(text) == site


def test_a_day_is_whole_and_the_users_own(in_new_york: None) -> None:
    filters = SearchFilters(fetched_from=date(2024, 7, 1), fetched_to=date(2024, 7, 1))
    first, end = filters.criteria()[0].fetched
    assert first is not None
    assert end is not None
    assert first.instant == datetime(2024, 7, 1, 4, tzinfo=UTC)
    assert end.instant - first.instant == timedelta(days=1)
    assert (first.day, end.day) == (datetime(2024, 7, 1, tzinfo=UTC), datetime(2024, 7, 2, tzinfo=UTC))


def test_a_day_on_which_clocks_change_is_whole(in_new_york: None) -> None:
    first, end = (
        SearchFilters(fetched_from=date(2024, 3, 10), fetched_to=date(2024, 3, 10)).criteria()[0].fetched
    )
    assert first is not None
    assert end is not None
    assert end.instant - first.instant == timedelta(hours=23)


def test_a_moment_is_itself_and_without_a_zone_the_users_own(in_new_york: None) -> None:
    filters = SearchFilters(
        published_from=datetime(2024, 7, 1, 12),  # noqa: DTZ001
        published_to=datetime(2024, 7, 1, 18, tzinfo=UTC),
    )
    first, end = filters.criteria()[0].published
    assert first is not None
    assert end is not None
    assert first.instant == datetime(2024, 7, 1, 16, tzinfo=UTC)
    assert first.day == datetime(2024, 7, 1, 12, tzinfo=UTC)  # by the calendar it is noon
    assert end.instant == end.day == datetime(2024, 7, 1, 18, tzinfo=UTC)


def test_the_names_that_answers_use() -> None:
    filters = SearchFilters(
        modules=["ros.org", "Intro to robots"],
        chapters=["Sensors"],
        content_types=["code", "pdf", "has_table"],
    )
    criteria, chapters = filters.criteria()
    assert criteria.modules == ([Site("ros.org")], ("ros.org", "Intro to robots"))
    assert criteria.content_types == (["pdf"], ["has_code", "has_table"])
    assert chapters.sections == ("Sensors",)


def test_flags_are_those_of_chunks() -> None:
    assert set(CONTENT_FLAGS) == set(ContentFlags.model_fields)
