"""The history of searches, and searches with a name, in a database."""

from collections.abc import Sequence
from dataclasses import astuple
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.parts import Labelling
from webrag_desktop.library.searches import Searches
from webrag_desktop.models.searches import KeptSearch
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library.searches import note_search

PDF = {"doc_types": ["pdf"], "published_from": "1990"}


class Found:
    """Stands for searching: always the same documents, and a note of what was asked."""

    def __init__(self, documents: Sequence[UUID] = ()) -> None:
        self.documents = list(documents)
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, query: str, *, filters: Any, cancel: object) -> Any:
        self.asked.append((query, filters))
        return SimpleNamespace(chunks=[SimpleNamespace(document_id=id_) for id_ in self.documents])


@pytest.fixture
def searches(database: Database) -> Searches:
    return Searches(database, Found())


def questions(searches: Searches) -> list[str]:
    return [one.question for one in searches.history()]


def test_what_is_asked_again_comes_to_the_top_once(searches: Searches) -> None:
    for question, filters in (
        ("tides", None),
        ("limpets", PDF),
        ("limpets", None),
        (" tides ", {"tags": ()}),
    ):
        searches.note(question, filters)
    assert [(one.question, one.filters) for one in searches.history()] == [
        ("tides", {}),
        ("limpets", {}),
        ("limpets", PDF),
    ]
    assert [one.question for one in searches.history(1)] == ["tides"]


def test_the_oldest_of_the_history_go_and_names_stay(database: Database, searches: Searches) -> None:
    searches.save("kept", "the first of all")
    with database.connection() as conn:
        for number in range(4):
            note_search(conn, uuid4(), f"question {number}", {}, most=2)
    assert questions(searches) == ["question 3", "question 2"]
    assert searches.clear() == 2
    assert questions(searches) == []
    assert [one.name for one in searches.saved()] == ["kept"]


def test_names_are_one_whatever_their_case_and_are_listed_by_it(searches: Searches) -> None:
    searches.save("  Whitehouse   coils", "coils", PDF)
    searches.save("letters", "thomson")
    with pytest.raises(InputError, match="Another search is called “WHITEHOUSE COILS”"):
        searches.save("WHITEHOUSE COILS", "other")
    with pytest.raises(InputError, match="Another search"):
        searches.rename("letters", "whitehouse Coils")
    searches.rename("WHITEHOUSE COILS", "Whitehouse Coils")
    searches.rename("letters", "Thomson’s letters")
    assert [one.name for one in searches.saved()] == ["Thomson’s letters", "Whitehouse Coils"]
    assert searches.get("whitehouse coils").filters == PDF


def test_a_search_of_the_history_is_kept_under_a_name(searches: Searches) -> None:
    searches.note("tides", PDF)
    (noted,) = searches.history()
    searches.rename(str(noted.id)[:8], "Tides")
    assert questions(searches) == []
    assert [(one.id, one.name, one.filters) for one in searches.saved()] == [(noted.id, "Tides", PDF)]


def test_what_was_removed_can_be_put_back_as_it_was(searches: Searches) -> None:
    made = searches.save("Tides", "tides", PDF)
    removed = searches.remove("tides")
    assert KeptSearch(*astuple(removed)[:6]) == made
    with pytest.raises(NotFoundError):
        searches.get(made.id)
    searches.put_back(removed)
    assert searches.saved() == [made]
    searches.remove(made.id)
    searches.save("tides", "others")
    with pytest.raises(InputError, match="Another search"):
        searches.put_back(removed)


@pytest.mark.parametrize(
    "unknown", ["", "abc", "nothing", "%", "0000", "00000000-0000-0000-0000-000000000000"]
)
def test_an_unknown_search_is_named(searches: Searches, unknown: str) -> None:
    with pytest.raises(NotFoundError, match="There is no search"):
        searches.remove(unknown)


@pytest.mark.parametrize(
    ("name", "question", "filters"),
    [
        (" ", "q", None),
        ("n", " ", None),
        ("n\0", "q", None),
        ("n", "q\0", None),
        ("n", "q", {"doc_types": ["scroll"]}),
        ("n", "q", {"published_from": "soon"}),
        ("n", "q", {"colour": ["red"]}),
    ],
)
def test_what_cannot_be_searched_is_not_kept(
    searches: Searches, name: str, question: str, filters: dict[str, Any] | None
) -> None:
    with pytest.raises(InputError):
        searches.save(name, question, filters)
    assert searches.saved() == []


def test_new_results_are_found_documents_that_came_after_it_was_looked_at(
    database: Database,
) -> None:
    synthetic = SyntheticLibrary(database)
    old = synthetic.add("https://a.example/old", [Section([Passage("limpets", 0.9)])])
    search = Found([old])
    searches = Searches(database, search)
    kept = searches.save("Limpets", "limpets", {"sites": ["a.example"]})
    assert searches.count_new(kept.id) == 0
    assert search.asked == []  # nothing came: nothing has to be searched
    new = synthetic.add("https://a.example/new", [Section([Passage("limpets too", 0.9)])])
    synthetic.add("https://a.example/other", [Section([Passage("kelp", 0.9)])])
    search.documents = [old, new, new]
    assert searches.count_new(kept.id) == 1
    ((query, filters),) = search.asked
    assert (query, list(filters.sites)) == ("limpets", ["a.example"])
    searches.mark_seen(kept.id)
    assert searches.count_new(kept.id) == 0


def test_kept_searches_follow_a_collection_that_is_renamed(database: Database, searches: Searches) -> None:
    """Also those of the history; what names no collection, or another one, stays as it was."""
    labels = Labelling(database)
    sea = labels.create_collection("Sea")
    searches.save("Limpets", "limpets", {"collections": ["Coast", "sea"], "tags": ["Sea"]})
    searches.save("Kelp", "kelp", PDF)
    searches.note("tides", {"collections": ["Sea"]})
    labels.rename_collection(sea.id, "Ocean")
    assert [one.filters for one in searches.saved()] == [
        PDF,
        {"collections": ["Coast", "Ocean"], "tags": ["Sea"]},
    ]
    assert [one.filters for one in searches.history()] == [{"collections": ["Ocean"]}]


def test_a_search_that_is_put_back_names_its_collections_as_they_are_now(
    database: Database, searches: Searches
) -> None:
    labels = Labelling(database)
    sea, coast = labels.create_collection("Sea"), labels.create_collection("Coast")
    kept = searches.save("Limpets", "limpets", {"collections": ["sea", "Coast", "Nowhere"], "tags": ["Sea"]})
    removed = searches.remove(kept.id)
    labels.rename_collection(sea.id, "Ocean")
    labels.delete_collection(coast.id)
    searches.put_back(removed)
    (again,) = searches.saved()
    assert again.filters == {"collections": ["Ocean", "Coast", "Nowhere"], "tags": ["Sea"]}
    assert (again.id, again.name, again.seen_at) == (kept.id, "Limpets", kept.seen_at)
