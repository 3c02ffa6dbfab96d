"""The bin is narrowed, sorted and grouped by what its rows show, in memory and by the database, as all lists are."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.sources import Group, Grouping, Labels, SortKey
from webrag_desktop.storage.checks import repair
from webrag_desktop.storage.database import Database

SORTS: tuple[SortKey, ...] = ("title", "site", "kind", "published")
GROUPINGS: tuple[Grouping, ...] = ("kind", "site")
TEXT = [Section([Passage("one")])]


@dataclass(frozen=True)
class Shelf:
    """A page by Müller in each form of its letter, a PDF without a title, and what never had a text."""

    composed: UUID
    decomposed: UUID
    untitled: UUID
    waiting: UUID

    @property
    def all(self) -> list[UUID]:
        return [self.composed, self.decomposed, self.untitled, self.waiting]


@pytest.fixture
def shelf(database: Database, library: StoredLibrary) -> Shelf:
    written = SyntheticLibrary(database)
    found = Shelf(
        written.add("https://b.example/one", TEXT, title="Zwei M\u00fcller am Kanal"),
        written.add("https://a.example/two", TEXT, title="Ein Mu\u0308ller am Fluss"),
        written.add("https://c.example/report.pdf", TEXT),
        library.add(["https://valentia.example/log"])[0].source_id,  # type: ignore[union-attr]
    )
    with database.connection() as conn:
        conn.execute("UPDATE sources SET state = 'ready' WHERE id = ANY(%s)", [found.all[:3]])
        conn.execute("UPDATE documents SET site = webrag_host(source_url)")
        _tell(conn.execute, found.untitled, "pdf", "1858-08-05")
        _tell(conn.execute, found.decomposed, "html", "1866-07-27")
        conn.execute("UPDATE sources SET user_title = 'Das Gesuch von 1851' WHERE id = %s", [found.waiting])
    library.labels.change([found.untitled], Labels(tags=("Ärztlich",)), Labels())
    return found


def _tell(execute: object, source_id: UUID, kind: str, day: str) -> None:
    execute(  # type: ignore[operator]
        "UPDATE documents SET doc_type = %s, published_time = %s, published_at = %s::timestamptz WHERE id = %s",
        [kind, day, day, source_id],
    )


@pytest.mark.parametrize("group", ["all", "bin"])
@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("muller", ("composed", "decomposed")),
        ("M\u00dcLLER", ("composed", "decomposed")),
        ("mu\u0308ller kanal", ("composed",)),
        ("example", ("composed", "decomposed", "untitled", "waiting")),
        ("c.example/report", ("untitled",)),
        ("valentia", ("waiting",)),
        ("gesuch", ("waiting",)),
        ("arztlich", ("untitled",)),
        ("\u00a8", ("composed", "decomposed", "untitled", "waiting")),
        ("kanalfluss", ()),
        ("https", ()),
    ],
)
def test_the_bin_is_narrowed_as_all_documents_are(
    library: StoredLibrary, shelf: Shelf, group: Group, typed: str, names: tuple[str, ...]
) -> None:
    if group == "bin":
        assert library.documents.remove_all(shelf.all) == 4
    wanted = [getattr(shelf, name) for name in names]
    assert library.documents.listing(group, descending=False, containing=typed) == wanted
    every = library.documents.listing(group, descending=False)
    places = library.documents.words().narrowing([id_.int for id_ in every])(typed)
    assert [every[at] for at in places] == wanted


def test_the_bin_is_sorted_and_grouped_by_what_its_rows_show(library: StoredLibrary, shelf: Shelf) -> None:
    before = library.documents.rows(shelf.all)
    orders = {sort: library.documents.listing("all", sort=sort) for sort in SORTS}
    groups = {by: library.documents.grouped(by, "all", sort="title", descending=False) for by in GROUPINGS}
    library.documents.remove_all(shelf.all)
    for sort, order in orders.items():
        assert library.documents.listing("bin", sort=sort) == order, sort
    for by, found in groups.items():
        assert library.documents.grouped(by, "bin", sort="title", descending=False) == found, by
    assert orders["published"][:2] == [shelf.decomposed, shelf.untitled]
    assert groups["kind"].groups == (("html", 2), ("pdf", 1), ("unknown", 1))
    for id_, row in library.documents.rows(shelf.all, or_in_bin=True).items():
        for name in ("title", "source_url", "doc_type", "published_time"):
            assert getattr(row, name) == getattr(before[id_], name)
        assert not row.searchable


def test_what_is_shown_of_removed_documents_stays_until_they_are_read_or_deleted(
    database: Database, library: StoredLibrary, shelf: Shelf
) -> None:
    def kept() -> int:
        with database.connection() as conn:
            return int(conn.execute("SELECT count(*) FROM removed_documents").fetchone()[0])  # type: ignore[index]

    library.documents.remove_all(shelf.all)
    assert kept() == 3
    library.bin.restore([shelf.composed])
    assert library.documents.listing("all", containing="muller") == [shelf.composed]
    assert [row.id for row in library.documents.titled("muller kanal", 8)] == [shelf.composed]
    SyntheticLibrary(database).replace(shelf.composed, "https://b.example/one", TEXT)
    assert kept() == 2
    library.bin.delete([shelf.untitled])
    assert kept() == 1
    with database.connection() as conn:
        conn.execute("UPDATE sources SET removed_at = now() WHERE id = %s", [shelf.composed])
        assert repair.drop_stale_cache(conn) >= 1
    assert kept() == 2


def test_a_title_is_found_without_its_accents_in_any_form(library: StoredLibrary, shelf: Shelf) -> None:
    for typed in ("muller", "M\u00fcller", "mu\u0308LLER"):
        assert [row.id for row in library.documents.titled(typed, 8)] == [shelf.decomposed, shelf.composed]
    assert library.documents.titled("  ", 8) == []
