"""Tags and collections: given, taken, counted, kept where documents join, and safe while the database is away."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.queue_work import OPTIONS, accepted
from webrag_desktop.errors import Cancelled, InputError, NotFoundError, WebragError
from webrag_desktop.ingestion.files import ACCEPTED_AT_ONCE
from webrag_desktop.library.intake import keep_for_later
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.queue import SourceChanged
from webrag_desktop.models.sources import (
    LONGEST_LABEL,
    NO_LABELS,
    CollectionRow,
    LabelCount,
    Labels,
    in_tree_order,
)
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.spool import BATCH_SUFFIX
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.events import listening
from webrag_desktop.storage.library.sources import merge_source

LINKS = ["https://a.example/", "https://b.example/"]
SEA = Labels.of(["Sea", "to  read "], ["Theses"])


def add(library: StoredLibrary, links: list[str], labels: Labels = NO_LABELS) -> list[UUID]:
    return [accepted(one).source_id for one in library.add(links, labels=labels)]


def test_everything_given_gets_the_labels_also_what_was_there(library: StoredLibrary) -> None:
    add(library, LINKS[:1])
    for source in add(library, LINKS, SEA):
        assert library.labels.of(source) == Labels(("Sea", "to read"), ("Theses",))
    assert library.labels.tags() == [LabelCount("Sea", 2), LabelCount("to read", 2)]
    assert [(one.name, one.documents) for one in library.labels.collections()] == [("Theses", 2)]


def test_labels_that_differ_in_case_alone_are_one(library: StoredLibrary) -> None:
    first, second = add(library, LINKS, SEA)
    library.labels.change([first, second], Labels.of(["SEA", "Über"], ["THESES", "b"]), NO_LABELS)
    assert library.labels.of(first) == Labels(("Sea", "to read", "Über"), ("b", "Theses"))
    library.labels.change([first], NO_LABELS, Labels.of(["sea", "ÜBER", "unknown"], ["theses", "unknown"]))
    assert library.labels.of(first) == Labels(("to read",), ("b",))
    assert library.labels.of(second) == Labels(("Sea", "to read", "Über"), ("b", "Theses"))


def test_a_deleted_collection_leaves_its_documents(library: StoredLibrary) -> None:
    (source,) = add(library, LINKS[:1], SEA)
    theses = library.labels.find_collection("theses")
    library.labels.delete_collection(theses.id)
    assert library.labels.of(source) == Labels(("Sea", "to read"), ())
    assert library.documents.get(source) is not None
    with pytest.raises(NotFoundError):
        library.labels.delete_collection(theses.id)
    with pytest.raises(NotFoundError, match="theses"):
        library.labels.find_collection("theses")


def tree(library: StoredLibrary) -> list[tuple[str, int, int]]:
    return [(row.name, level, row.documents) for row, level in in_tree_order(library.labels.collections())]


def test_collections_are_a_tree_whose_counts_include_what_is_below(library: StoredLibrary) -> None:
    labels = library.labels
    coast = labels.create_collection(" Coast ")
    north = labels.create_collection("North", coast.id)
    labels.create_collection("Atlas")
    add(library, LINKS, Labels.of(collections=["north"]))
    assert tree(library) == [("Atlas", 0, 0), ("Coast", 0, 2), ("North", 1, 2)]
    assert library.documents.listing("collection", collection=coast.id, descending=False) == (
        library.documents.listing("collection", collection=north.id, descending=False)
    )
    labels.rename_collection(north.id, "NORTH")  # only its case
    labels.colour_collection(north.id, "teal")
    assert labels.find_collection("north") == CollectionRow(north.id, "NORTH", 2, coast.id, "teal")
    labels.colour_collection(north.id, None)
    labels.nest_collection(north.id, None)
    assert tree(library) == [("Atlas", 0, 0), ("Coast", 0, 0), ("NORTH", 0, 2)]


def test_a_collection_is_never_within_itself(library: StoredLibrary) -> None:
    labels = library.labels
    coast = labels.create_collection("Coast")
    north = labels.create_collection("North", coast.id)
    far = labels.create_collection("Far", north.id)
    with pytest.raises(InputError, match="“Coast” cannot be put into “Far”, which is within it"):
        labels.nest_collection(coast.id, far.id)
    with pytest.raises(InputError, match="into itself"):
        labels.nest_collection(coast.id, coast.id)
    assert tree(library) == [("Coast", 0, 0), ("North", 1, 0), ("Far", 2, 0)]


def test_names_of_collections_are_unique(library: StoredLibrary) -> None:
    coast = library.labels.create_collection("Coast")
    atlas = library.labels.create_collection("Atlas")
    with pytest.raises(InputError, match="already"):
        library.labels.create_collection("COAST", atlas.id)
    with pytest.raises(InputError, match="already"):
        library.labels.rename_collection(atlas.id, "coast")
    library.labels.delete_collection(coast.id)
    with pytest.raises(NotFoundError):
        library.labels.create_collection("Shore", coast.id)


def test_what_is_within_a_deleted_collection_moves_up_and_back(library: StoredLibrary) -> None:
    labels = library.labels
    coast = labels.create_collection("Coast")
    north = labels.create_collection("North", coast.id)
    labels.create_collection("Far", north.id)
    labels.colour_collection(north.id, "red")
    (source, other) = add(library, LINKS, Labels.of(collections=["North"]))
    deleted = labels.delete_collection(north.id)
    assert tree(library) == [("Coast", 0, 0), ("Far", 1, 0)]
    library.documents.remove(other)
    labels.restore_collection(deleted)
    assert tree(library) == [("Coast", 0, 1), ("North", 1, 1), ("Far", 2, 0)]
    assert labels.find_collection("North").colour == "red"
    assert labels.of(source).collections == ("North",)


def test_pages_that_turn_out_to_be_one_keep_the_labels_of_both(
    library: StoredLibrary, database: Database
) -> None:
    (kept,) = add(library, LINKS[:1], Labels.of(["a"], ["A"]))
    (duplicate,) = add(library, LINKS[1:], Labels.of(["b"], ["B"]))
    with database.connection() as conn:
        merge_source(conn, duplicate, kept)
    assert library.labels.of(kept) == Labels(("a", "b"), ("A", "B"))
    assert library.labels.of(duplicate) == NO_LABELS


def test_a_window_is_reported(library: StoredLibrary, database: Database) -> None:
    sources = add(library, LINKS)
    with listening(database) as (listener, _conn):
        library.labels.change(sources, SEA, NO_LABELS)
        heard: list[object] = []
        while len(heard) < len(sources):
            heard += listener.hear(10)
    assert sorted(heard, key=str) == sorted((SourceChanged(one, "queued") for one in sources), key=str)


def test_what_waits_for_the_database_waits_with_its_labels(library: StoredLibrary, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Limpets.", encoding="utf-8")
    keep_for_later(library.spool, [str(note), *LINKS], OPTIONS, WebragError("It is away."), SEA)
    assert library.spool.count() == 3
    library.take_in()
    assert {library.labels.of(source.id) for source in library.documents.all()} == {SEA}
    assert len(library.documents.all()) == 3


def test_what_an_end_in_mid_work_leaves_over_is_labelled_later(library: StoredLibrary) -> None:
    links = [f"https://x{n}.example/" for n in range(ACCEPTED_AT_ONCE + 5)]
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        library.add(links, cancel, labels=SEA)
    library.take_in()
    assert [(one.name, one.documents) for one in library.labels.collections()] == [("Theses", len(links))]


def test_a_batch_of_an_earlier_version_has_no_labels(library: StoredLibrary, tmp_path: Path) -> None:
    folder = tmp_path / "intake"
    folder.mkdir()
    (folder / f"{1:020d}-{'0' * 32}{BATCH_SUFFIX}").write_text(json.dumps(LINKS))
    library.take_in()
    assert {library.labels.of(source.id) for source in library.documents.all()} == {NO_LABELS}
    assert [source.url for source in library.documents.all()] == LINKS


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "\ud800", "x" * (LONGEST_LABEL + 1)])
def test_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(InputError) as refused:
        Labels.of(["good", name])
    assert refused.value.message.encode()
