"""Old texts stay, what changed can be read, and citations follow into the new text when it lands."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import accepted, article, assert_sound
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
from webrag_desktop.jobs import rereading
from webrag_desktop.library.parts import Versions
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.citations import StoredCitation
from webrag_desktop.storage.database import Database

Work = Callable[..., int]
TEXT = """# Tide pools

Where the **sea** meets rock.

## Low tide

Limpets clamp their shells to the rock. Where crabs walk, limpets rest.

## High tide

Everything is under water.
"""
QUOTE = "Limpets clamp their shells to the rock."


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "pools.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def pools(library: StoredLibrary, note: Path, work: Work) -> UUID:
    source_id = accepted(library.add([str(note)])[0]).source_id
    work()
    return source_id


@pytest.fixture
def change(library: StoredLibrary, note: Path, work: Work) -> Callable[[str], None]:
    def changed(text: str) -> None:
        note.write_text(text, encoding="utf-8")
        library.add([str(note)])
        work()

    return changed


def cite(library: StoredLibrary, source_id: UUID, words: str) -> StoredCitation:
    text = library.documents.text(source_id)
    assert text is not None
    start = text.markdown.index(words)
    return library.citations.cite(text.id, start, start + len(words))


def there(library: StoredLibrary, one: StoredCitation) -> str | None:
    """What stands where a citation is said to stand now."""
    text = library.documents.version(one.active_version) if one.active_version else None
    return text.markdown[one.active_start : one.active_end] if text and one.active_start is not None else None


def test_versions_tell_what_came_when_and_why(
    database: Database, library: StoredLibrary, pools: UUID, change: Callable[[str], None]
) -> None:
    cite(library, pools, QUOTE)
    longer = TEXT + "\nSeals are seldom seen.\n"
    change(longer)
    first, second = Versions(database).of(pools)
    assert (first.number, first.reason, first.active, first.citations) == (1, "first", False, 1)
    assert (second.number, second.reason, second.active, second.citations) == (2, "changed", True, 0)
    shown = library.documents.text(pools)
    assert shown is not None
    assert (second.id, second.characters) == (shown.id, len(shown.markdown))
    assert second.fetched_at > first.fetched_at
    assert Versions(database).of(uuid4()) == []


def test_how_far_one_read_is_said_of_the_text_that_was_read_only(
    library: StoredLibrary, pools: UUID, change: Callable[[str], None]
) -> None:
    read = library.documents.text(pools)
    assert read is not None
    assert library.documents.keep_place(pools, read.id, 60)
    assert library.document(str(pools)).read_to == 60
    change(TEXT.replace("Where the", "Long before anybody walked there, and where the"))
    assert library.document(str(pools)).read_to is None
    now = library.documents.text(pools)
    assert now is not None
    assert now.id != read.id
    assert library.documents.keep_place(pools, now.id, 20)
    assert library.document(str(pools)).read_to == 20


def test_what_changed_last_is_reported_by_default(
    database: Database, library: StoredLibrary, pools: UUID, change: Callable[[str], None]
) -> None:
    with pytest.raises(InputError, match="one text so far"):
        Versions(database).diff(pools)
    change(TEXT.replace("clamp", "fasten"))
    change(TEXT.replace("clamp", "fasten").replace("under water", "deep under water"))
    last = Versions(database).diff(pools)
    assert (last.before.number, last.after.number) == (2, 3)
    (changed,) = last.difference.changes
    assert [(one.kind, one.text) for one in changed.words] == [
        ("same", "Everything is "), ("added", "deep "), ("same", "under water."),
    ]  # fmt: skip
    assert len(Versions(database).diff(pools, before=1).difference.changes) == 2
    back = Versions(database).diff(pools, before=3, after=1)
    assert (back.old, back.new) == (last.new, Versions(database).diff(pools, before=1).old)
    for wrong in ({"before": 4}, {"after": 9}):
        with pytest.raises(NotFoundError):
            Versions(database).diff(pools, **wrong)
    with pytest.raises(InputError, match="same version"):
        Versions(database).diff(pools, before=3)
    with pytest.raises(NotFoundError, match="no text yet"):
        Versions(database).diff(uuid4())


def test_citations_are_found_again_when_the_new_text_lands(
    database: Database,
    library: StoredLibrary,
    pools: UUID,
    change: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for words in (QUOTE, "the **sea** meets", "Everything is under water."):
        cite(library, pools, words)
    change(TEXT.replace("**sea**", "*sea*").replace("under water", "under salt water"))
    monkeypatch.setattr(rereading, "anchors_in", None)  # it was done already
    kept, marked, lost = library.citations.all()
    assert (kept.state, kept.as_rendered, there(library, kept)) == ("exact", False, QUOTE)
    assert (marked.state, marked.as_rendered, there(library, marked)) == ("exact", True, "the *sea* meets")
    assert (lost.state, there(library, lost)) == ("lost", "Everything is under salt water")
    assert lost.similarity == 1  # of its words, and yet it is lost
    for one in (kept, marked, lost):
        old = library.documents.version(one.version_id) if one.version_id else None
        assert old is not None
        assert old.markdown[one.char_start : one.char_end] == one.verbatim
    assert_sound(database)


def test_citations_follow_from_version_to_version(
    library: StoredLibrary, pools: UUID, change: Callable[[str], None]
) -> None:
    cite(library, pools, QUOTE)
    states = []
    for text in ("News first.\n\n" + TEXT, TEXT.replace(QUOTE, ""), TEXT):
        change(text)
        (now,) = library.citations.all()
        states.append((now.state, now.moved_by, there(library, now)))
    assert states == [
        ("moved", len("News first.\n\n"), QUOTE),
        ("lost", None, None),
        ("exact", None, QUOTE),
    ]


def test_an_old_text_can_be_cited_and_what_was_removed_comes_back_as_it_stands(
    database: Database, library: StoredLibrary, pools: UUID, change: Callable[[str], None]
) -> None:
    old = library.documents.text(pools)
    assert old is not None
    change("News first.\n\n" + TEXT)
    start = old.markdown.index(QUOTE)
    cited = library.citations.cite(old.id, start, start + len(QUOTE))
    assert (cited.state, there(library, cited)) == ("moved", QUOTE)
    assert library.citations.remove(cited.id) == cited
    library.citations.restore(cited)
    assert library.citations.all() == [cited]
    with database.connection() as conn:  # mended: what was found out before does not count any more
        conn.execute("UPDATE citations SET char_start = char_start + 1, verbatim = substr(verbatim, 2)")
    (now,) = library.citations.all()
    assert there(library, now) == QUOTE[1:]


def test_a_newer_reader_brings_a_version_and_moves_citations(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    pages.pages["/oder"] = article("Oder")
    source_id = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    cite(library, source_id, "This is sentence number 3 about Oder.")
    with database.connection() as conn:  # as an older reader would have left it
        conn.execute(
            """
            UPDATE document_versions SET extractor_version = 0, content_hash = 'of the older reader',
                   markdown = 'Menu' || E'\\n\\n' || markdown, plain_text = 'Menu' || E'\\n\\n' || plain_text,
                   plain_map = '[[0, 0, 6]]' || (
                       SELECT jsonb_agg(jsonb_build_array((run->0)::int + 6, (run->1)::int + 6, run->2) ORDER BY n)
                         FROM jsonb_array_elements(plain_map) WITH ORDINALITY AS r (run, n))
            """
        )
        conn.execute("UPDATE citations SET char_start = char_start + 6, char_end = char_end + 6")
    assert library.documents.reextract([source_id]) == [source_id]
    work()
    assert Versions(database).of(source_id)[1].extractor_version == EXTRACTOR_VERSION
    assert [row.reason for row in Versions(database).of(source_id)] == ["first", "reread"]
    (now,) = library.citations.all()
    assert (now.state, now.moved_by, there(library, now)) == ("moved", -6, now.verbatim)
    (change,) = Versions(database).diff(source_id).difference.changes
    assert change.kind == "removed"
