"""Facts that the user sets: kept apart from what documents say, undone by the window, and joined with duplicates."""

from uuid import UUID

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.gui.data.library import FactChange
from webrag_desktop.gui.library.operations.bibliography import _change, _facts_of
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.texts import bibliography

TEXT = [Section([Passage("one")])]


@pytest.fixture
def paper(database: Database) -> UUID:
    """A page that says who wrote it, and has a guessed date."""
    made = SyntheticLibrary(database).add("https://a.example/tides", TEXT, title="Tides")
    with database.connection() as conn:
        conn.execute(
            """
            UPDATE documents SET authors = '{"J. Doe"}', author_names = 'j doe', published_time = '2021',
                   published_at = '2021-01-01', published_precision = 'year', published_guessed = true,
                   fact_sources = '{"authors": "byline", "published_time": "guess"}'
            """
        )
        conn.execute("UPDATE sources SET state = 'ready'")
    return made


def row(library: StoredLibrary, document_id: UUID) -> SourceRow:
    found = library.documents.get(document_id)
    assert found is not None
    return found


def test_what_the_document_says_comes_back(library: StoredLibrary, paper: UUID) -> None:
    before = row(library, paper)
    library.bibliography.change(
        paper, {"authors": ["Jane  Doe", "Ángela Ruiz"], "published_time": "3 May 2020", "journal": "Tides"}
    )
    set_ = row(library, paper)
    assert [*set_.authors] == ["Jane Doe", "Ángela Ruiz"]
    assert (set_.published_time, set_.published_guessed, set_.journal) == ("2020-05-03", False, "Tides")
    assert set_.fact_sources == {"authors": "user", "published_time": "user", "journal": "user"}
    assert set_.stated_facts["published_time"] == {"value": "2021", "source": "guess", "guessed": True}
    library.bibliography.change(paper, {}, ["journal", "authors"])
    assert [*row(library, paper).authors] == ["J. Doe"]
    library.bibliography.change(paper, {}, ["published_time"])
    assert row(library, paper) == before


def test_a_fact_that_there_is_not(library: StoredLibrary, paper: UUID) -> None:
    library.bibliography.change(paper, {"authors": None, "published_time": ""})
    found = row(library, paper)
    assert ([*found.authors], found.published_time, found.fact_sources) == ([], None, {})
    assert set(found.stated_facts) == {"authors", "published_time"}


def test_lists_are_narrowed_sorted_and_counted_by_authors(
    library: StoredLibrary, database: Database, paper: UUID
) -> None:
    other = SyntheticLibrary(database).add("https://b.example/waves", TEXT, title="Waves")
    library.bibliography.change(other, {"authors": ["Ángela Ruiz", "J. Doe"]})
    assert library.documents.listing(containing="angela") == [other]
    assert set(library.documents.listing(containing="doe")) == {paper, other}
    assert library.documents.listing(sort="authors", descending=False) == [paper, other]
    assert library.documents.facets().authors == (("J. Doe", 2), ("Ángela Ruiz", 1))


def test_a_title_stays_and_can_be_taken_back(library: StoredLibrary, database: Database, paper: UUID) -> None:
    change = FactChange(paper, {}, (), "Of  the tides")
    back = _change(change, library, None)  # type: ignore[arg-type]
    with database.connection() as conn:
        conn.execute("UPDATE documents SET title = 'Read again'")  # as reading it again does
    assert row(library, paper).title == "Of the tides"
    assert library.bibliography.titles(paper) == ("Of the tides", "Read again")
    assert library.documents.listing(containing="of tides") == [paper]
    facts = _facts_of(paper, library, None)  # type: ignore[arg-type]
    assert facts is not None
    assert (facts.user_title, facts.stated_title) == ("Of the tides", "Read again")
    assert back == FactChange(paper, {}, (), "")
    _change(back, library, None)  # type: ignore[arg-type]
    assert row(library, paper).title == "Read again"
    with pytest.raises(InputError):
        library.bibliography.change(paper, {}, title="x" * 501)
    with pytest.raises(NotFoundError):
        library.bibliography.change(UUID(int=7), {}, title="Tides")


def test_one_that_turns_out_to_be_another_brings_its_facts(
    library: StoredLibrary, database: Database, paper: UUID
) -> None:
    other = SyntheticLibrary(database).add("https://b.example/tides", TEXT, title="Tides")
    library.bibliography.change(paper, {"authors": ["Jane Doe"]})
    library.bibliography.change(other, {"authors": ["Somebody Else"], "journal": "Tides"}, title="Of tides")
    with database.connection() as conn:
        bibliography.take_over(conn, other, paper)
    found = row(library, paper)
    assert ([*found.authors], found.journal) == (["Jane Doe"], "Tides")
    assert found.fact_sources["journal"] == "user"
    assert found.title == "Of tides"


def test_authors_are_in_the_order_of_family_names(library: StoredLibrary, database: Database) -> None:
    names = [
        "Zoë Abel", "The Brook Institute", "Al Carter", "Martin Luther Čapek Jr.", "Ana Duarte", "Ludwig van Beethoven",
        "Sigma-Tau O’Neil", "山田太郎",
    ]  # fmt: skip
    made = SyntheticLibrary(database)
    for at, name in enumerate(names):
        id_ = made.add(f"https://a.example/{at}", TEXT, title="x")
        library.bibliography.change(id_, {"authors": [name, "Aaron Aal"]})
    listed = [
        row(library, id_).authors[0] for id_ in library.documents.listing(sort="authors", descending=False)
    ]
    assert listed == [names[at] for at in (0, 1, 3, 2, 4, 6, 5, 7)]


def test_the_bin_shows_authors_and_is_sorted_and_narrowed_by_them(
    library: StoredLibrary, database: Database, paper: UUID
) -> None:
    other = SyntheticLibrary(database).add("https://b.example/waves", TEXT, title="Waves")
    library.bibliography.change(other, {"authors": ["Zoë Abel"]})
    library.documents.remove(paper)
    library.documents.remove(other)
    assert {tuple(one.authors) for one in library.bin.all()} == {("Zoë Abel",), ("J. Doe",)}
    assert library.documents.listing("bin", containing="zoe") == [other]
    assert library.documents.listing("bin", sort="authors", descending=False) == [other, paper]


def test_the_window_takes_a_change_back(library: StoredLibrary, paper: UUID) -> None:
    before = row(library, paper)
    library.bibliography.change(paper, {"authors": ["Jane Doe"]})
    change = FactChange(paper, {"doi": ("10.1234/a",)}, ("authors",))
    back = _change(change, library, None)  # type: ignore[arg-type]
    assert back == FactChange(paper, {"authors": ("Jane Doe",)}, ("doi",))
    assert row(library, paper).doi == "10.1234/a"
    _change(back, library, None)  # type: ignore[arg-type]
    assert [*row(library, paper).authors] == ["Jane Doe"]
    assert row(library, paper).doi is None
    library.bibliography.change(paper, {}, ["authors"])
    assert row(library, paper) == before
    facts = _facts_of(paper, library, None)  # type: ignore[arg-type]
    assert facts is not None
    assert (facts.known["authors"], facts.by_user) == (("J. Doe",), frozenset())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("doi", "tides"),
        ("isbn", "0-306-40615-3"),
        ("arxiv_id", "x"),
        ("published_time", "once"),
        ("volume", "1" * 99),
    ],
)
def test_what_cannot_be_is_refused(library: StoredLibrary, paper: UUID, name: str, value: str) -> None:
    with pytest.raises(InputError):
        library.bibliography.change(paper, {name: value})  # type: ignore[dict-item]


def test_a_document_that_is_gone(library: StoredLibrary) -> None:
    with pytest.raises(NotFoundError):
        library.bibliography.change(UUID(int=7), {"journal": "Tides"})
    with pytest.raises(InputError):
        library.bibliography.change(UUID(int=7), {"authors": ["x" * 500]})
