"""Filters on a real library: what there is to choose from, and searches that keep to what is chosen."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.corpus import ENCYCLOPAEDIA, GLOSSARY, SKLEARN
from tests.support.gui_library import Address, Heard, heard, listed, open_operations, settings_for
from webrag_desktop.gui.data.filters import Choice, ChosenFilters, FilterChoices, Period
from webrag_desktop.gui.data.library import DocumentDetails, DocumentLabels, LabelChange, LabelNames, LabelUse
from webrag_desktop.gui.data.view_data import SearchResults
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.retrieval.contracts.filters import CONTENT_FLAGS

Clone = Callable[[str], Address]


@pytest.fixture
def do(clone: Clone, corpus_template: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(clone(corpus_template), tmp_path), qtbot) as made:
        yield made


def asked(do: Operations, qtbot: QtBot, filters: ChosenFilters) -> SearchResults:
    results = Heard(do.searching.results)
    do.searching.restrict(filters)
    do.searching.search("iterators, trees and garbage collection")
    heard(qtbot, lambda: len(results) > 0)
    found: SearchResults = results.last
    assert found.filters == filters
    return found


def choices(do: Operations, qtbot: QtBot) -> FilterChoices:
    reported = Heard(do.filtering.choices)
    do.filtering.fetch()
    heard(qtbot, lambda: len(reported) > 0)
    found: FilterChoices = reported.last
    return found


def labels(do: Operations, qtbot: QtBot) -> DocumentLabels:
    reported = Heard(do.labelling.labels)
    do.labelling.fetch(listed(do, qtbot))
    heard(qtbot, lambda: len(reported) > 0)
    found: DocumentLabels = reported.last
    return found


def changed(do: Operations, qtbot: QtBot, change: LabelChange) -> None:
    reported = Heard(do.labelling.changed)
    do.labelling.change(change)
    heard(qtbot, lambda: len(reported) > 0)


def details(do: Operations, qtbot: QtBot) -> list[DocumentDetails]:
    return [details_of(do, qtbot, id_) for id_ in listed(do, qtbot)]


def details_of(do: Operations, qtbot: QtBot, document_id: UUID) -> DocumentDetails:
    reported = Heard(do.documents.details)
    do.documents.fetch_details(document_id)
    heard(qtbot, lambda: len(reported) > 0)
    found: DocumentDetails = reported.last
    return found


# -- Searching ----------------------------------------------------------------------------------------------------


def test_choices_are_those_of_the_library(do: Operations, qtbot: QtBot) -> None:
    one, two, _three = listed(do, qtbot)
    changed(do, qtbot, LabelChange((one, two), LabelNames(("sea", "to read"), ("Theses",))))
    found = choices(do, qtbot)
    assert {one.value for one in found.sites} == {
        "scikit-learn.org",
        "docs.python.org",
        "en.wikipedia.org",
    }
    assert found.doc_types == (Choice("html", 3),)
    assert found.languages == (Choice("en", 3),)
    assert found.tags == (Choice("sea", 2), Choice("to read", 2))
    assert found.collections == (Choice("Theses", 2),)
    assert tuple(one.value for one in found.content_flags) == CONTENT_FLAGS
    assert found.sections == ()


def test_a_search_keeps_to_the_filters_and_tells_them(do: Operations, qtbot: QtBot) -> None:
    everything = {group.address for group in asked(do, qtbot, ChosenFilters()).groups}
    assert everything == {SKLEARN, GLOSSARY, ENCYCLOPAEDIA}
    some = asked(do, qtbot, ChosenFilters(sites=("docs.python.org", "wikipedia.org")))
    assert {group.address for group in some.groups} == {GLOSSARY, ENCYCLOPAEDIA}
    assert some.corpus_documents == 2
    none = asked(do, qtbot, ChosenFilters(fetched=Period("1990", "1991-05")))
    assert (none.groups, none.corpus_documents) == ((), 0)
    assert {group.address for group in asked(do, qtbot, ChosenFilters()).groups} == everything


def test_filters_that_contradict_themselves_say_so(do: Operations, qtbot: QtBot) -> None:
    failures = Heard(do.searching.failed)
    do.searching.restrict(ChosenFilters(published=Period("2020", "2019")))
    do.searching.search("trees")
    heard(qtbot, lambda: len(failures) == 1)
    assert "publication" in failures.last.message


# -- Labelling ----------------------------------------------------------------------------------------------------


def test_labels_of_several_are_counted_and_shown_in_details(do: Operations, qtbot: QtBot) -> None:
    one, two, _three = ids = listed(do, qtbot)
    changed(do, qtbot, LabelChange(ids, LabelNames(("sea",))))
    changed(do, qtbot, LabelChange((one, two), LabelNames(("Lab",), ("Theses",))))
    assert labels(do, qtbot) == DocumentLabels(
        ids, "", (LabelUse("Lab", 2, 2), LabelUse("sea", 3, 3)), (LabelUse("Theses", 2, 2),)
    )
    assert [(one.tags, one.collections) for one in details(do, qtbot)] == [
        (("Lab", "sea"), ("Theses",)),
        (("Lab", "sea"), ("Theses",)),
        (("sea",), ()),
    ]
    tagged = asked(do, qtbot, ChosenFilters(tags=("lab",), collections=("theses",)))
    assert {group.document_id for group in tagged.groups} <= {one, two}
    assert tagged.corpus_documents == 2


def test_a_change_of_labels_is_taken_back_as_each_document_was(do: Operations, qtbot: QtBot) -> None:
    one, two, _three = ids = listed(do, qtbot)
    changed(do, qtbot, LabelChange((one,), LabelNames(("sea", "lab"), ("Theses",))))
    changed(do, qtbot, LabelChange((two,), LabelNames(("lab",))))
    before = [(one.tags, one.collections) for one in details(do, qtbot)]
    notices, reported = Heard(do.labelling.noticed), Heard(do.labelling.changed)
    add, remove = LabelNames(("SEA", "new"), ("Theses", "Other")), LabelNames(("lab",))
    changed(do, qtbot, LabelChange(ids, add, remove))
    assert notices.last.text == "Tags and collections of 3 documents changed."
    assert all(one.tags == ("new", one.tags[1]) for one in details(do, qtbot))
    do.undo.undo()
    heard(qtbot, lambda: len(reported) == 2)
    assert [(one.tags, one.collections) for one in details(do, qtbot)] == before
    assert len(notices) == 1


def test_what_changes_nothing_is_not_reported_of_and_what_cannot_be_a_name_is_refused(
    do: Operations, qtbot: QtBot
) -> None:
    (one, *_others) = listed(do, qtbot)
    changed(do, qtbot, LabelChange((one,), LabelNames(("sea",))))
    notices, failures = Heard(do.labelling.noticed), Heard(do.labelling.failed)
    do.labelling.change(LabelChange((one,)))
    changed(do, qtbot, LabelChange((one,), LabelNames(("Sea",)), LabelNames(("unknown",))))
    do.labelling.change(LabelChange((one,), LabelNames(("x" * 101,))))
    heard(qtbot, lambda: len(failures) == 1)
    assert "cannot be the name" in failures.last.message
    assert not notices.all


def test_documents_that_are_gone_have_no_labels(do: Operations, qtbot: QtBot) -> None:
    reported = Heard(do.labelling.labels)
    do.labelling.fetch((uuid4(),))
    heard(qtbot, lambda: len(reported) == 1)
    assert reported.last.ids == ()
