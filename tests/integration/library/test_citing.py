"""Citations are the user's: in their order, verbatim, and there when the page changes or goes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread
from uuid import UUID, uuid4

import pytest

from tests.support.queue_work import accepted, assert_sound
from webrag_desktop.citations.spans import CONTEXT_LENGTH
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.citations import StoredCitation
from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.storage.database import Database

Work = Callable[..., int]
TEXT = """# Tide pools 🦀

Where the **sea** meets rock.

## Low tide

Limpets clamp their [shells](https://example.org/shells) to the rock. 鏡のような水。

### At night

Crabs walk about.
"""
QUOTE = "Limpets clamp their [shells](https://example.org/shells) to the rock."


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "pools.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def pools(library: StoredLibrary, note: Path, work: Work) -> UUID:
    """A document that is ready."""
    source_id = accepted(library.add([str(note)])[0]).source_id
    work()
    return source_id


def shown(library: StoredLibrary, source_id: UUID) -> DocumentVersion:
    text = library.documents.text(source_id)
    assert text is not None
    return text


def cite(library: StoredLibrary, source_id: UUID, words: str) -> StoredCitation:
    text = shown(library, source_id)
    start = text.markdown.index(words)
    return library.citations.cite(text.id, start, start + len(words))


def change(library: StoredLibrary, note: Path, work: Work, text: str) -> None:
    note.write_text(text, encoding="utf-8")
    assert accepted(library.add([str(note)])[0]).verdict == "changed"
    work()


def test_a_citation_keeps_the_words_as_stored_and_as_read(
    database: Database, library: StoredLibrary, pools: UUID
) -> None:
    cited = cite(library, pools, QUOTE)
    text = shown(library, pools)
    assert cited.verbatim == QUOTE == text.markdown[cited.char_start : cited.char_end]
    assert cited.quote == "Limpets clamp their shells to the rock."
    assert (cited.title, cited.section_heading, cited.heading) == ("Tide pools 🦀", "Low tide", "Low tide")
    assert (cited.state, cited.moved_by, cited.position) == ("exact", None, 1)
    assert (cited.document_id, cited.version_id, cited.active_version) == (pools, text.id, text.id)
    assert cited.prefix == text.markdown[cited.char_start - CONTEXT_LENGTH : cited.char_start]
    assert cited.suffix.startswith(" 鏡のような水。")
    assert library.citations.all() == [cited]
    assert library.documents.version(text.id) == text
    assert_sound(database)


def test_the_nearest_heading_is_kept_beside_the_section(library: StoredLibrary, pools: UUID) -> None:
    cited = cite(library, pools, "Crabs walk about.")
    assert (cited.section_heading, cited.heading) == ("Low tide", "At night")


def test_what_the_caller_knows_of_the_place_wins(library: StoredLibrary, pools: UUID) -> None:
    text = shown(library, pools)
    cited = library.citations.cite(text.id, 0, 5, heading="Own", anchor="own")
    assert (cited.heading, cited.anchor) == ("Own", "own")


def test_citing_the_same_again_adds_nothing(library: StoredLibrary, pools: UUID) -> None:
    assert cite(library, pools, QUOTE) == cite(library, pools, QUOTE)
    assert len(library.citations.all()) == 1


def test_what_is_not_there_cannot_be_cited(library: StoredLibrary, pools: UUID) -> None:
    text = shown(library, pools)
    with pytest.raises(NotFoundError):
        library.citations.cite(uuid4(), 0, 4)
    with pytest.raises(InputError):
        library.citations.cite(text.id, 4, 4)
    with pytest.raises(InputError):
        library.citations.cite(text.id, 0, len(text.markdown) + 1)
    assert library.citations.all() == []


def test_words_that_stay_in_place_are_exact_in_the_new_text(
    library: StoredLibrary, pools: UUID, note: Path, work: Work
) -> None:
    cited = cite(library, pools, QUOTE)
    change(library, note, work, TEXT.replace("Crabs walk about.", "Crabs sleep."))
    (now,) = library.citations.all()
    assert (now.state, now.moved_by) == ("exact", None)
    assert now.version_id == cited.version_id != now.active_version == shown(library, pools).id


def test_words_that_moved_are_found_and_reported_by_how_much(
    database: Database, library: StoredLibrary, pools: UUID, note: Path, work: Work
) -> None:
    cite(library, pools, QUOTE)
    inserted = f"{QUOTE} But elsewhere. 🌊\n\n"  # the same words in other surroundings
    change(library, note, work, TEXT.replace("## Low tide", inserted + "## Low tide"))
    (now,) = library.citations.all()
    assert (now.state, now.moved_by) == ("moved", len(inserted))
    old = library.documents.version(now.version_id) if now.version_id else None
    assert old is not None
    assert old.markdown[now.char_start : now.char_end] == QUOTE  # the old text stays
    assert_sound(database)


def test_words_that_went_are_lost_and_the_quote_stays(
    library: StoredLibrary, pools: UUID, note: Path, work: Work
) -> None:
    cite(library, pools, QUOTE)
    change(library, note, work, TEXT.replace("clamp", "fasten"))
    (now,) = library.citations.all()
    assert (now.state, now.moved_by, now.verbatim) == ("lost", None, QUOTE)


def test_a_citation_outlives_its_document(database: Database, library: StoredLibrary, pools: UUID) -> None:
    cited = cite(library, pools, QUOTE)
    library.documents.delete_all([pools])
    (now,) = library.citations.all()
    names = ("document_id", "version_id", "active_version", "active_start", "active_end")
    gone = dict.fromkeys(names)
    assert now == replace(cited, state="lost", **gone)  # type: ignore[arg-type]
    assert_sound(database)


def test_order_is_the_users(library: StoredLibrary, pools: UUID) -> None:
    words = ("Where", "Limpets", "Crabs", "rock")
    ids = [cite(library, pools, word).id for word in words]
    assert [one.verbatim for one in library.citations.all()] == list(words)
    assert library.citations.move(ids[3], 1)
    assert [one.verbatim for one in library.citations.all()] == ["rock", "Where", "Limpets", "Crabs"]
    assert library.citations.move(ids[3], 3)
    assert [one.verbatim for one in library.citations.all()] == ["Where", "Limpets", "rock", "Crabs"]
    assert library.citations.move(ids[0], 99)
    assert [one.verbatim for one in library.citations.all()] == ["Limpets", "rock", "Crabs", "Where"]
    assert [one.position for one in library.citations.all()] == [1, 2, 3, 4]
    assert not library.citations.move(uuid4(), 1)


def test_what_was_removed_can_be_put_back_where_it_was(
    database: Database, library: StoredLibrary, pools: UUID
) -> None:
    for word in ("Where", "Limpets", "Crabs"):
        cite(library, pools, word)
    before = library.citations.all()
    removed = library.citations.remove(before[1].id)
    assert removed == before[1]
    assert [one.verbatim for one in library.citations.all()] == ["Where", "Crabs"]
    assert library.citations.remove(before[1].id) is None
    for _ in range(2):  # a second time changes nothing
        library.citations.restore(removed)
        assert library.citations.all() == before
    assert_sound(database)


def test_what_is_put_back_after_its_document_went_stands_alone(
    database: Database, library: StoredLibrary, pools: UUID
) -> None:
    removed = library.citations.remove(cite(library, pools, QUOTE).id)
    assert removed is not None
    library.documents.delete_all([pools])
    library.citations.restore(removed)
    (now,) = library.citations.all()
    assert (now.state, now.document_id, now.version_id, now.verbatim) == ("lost", None, None, QUOTE)
    assert_sound(database)


def test_many_citing_at_once_get_a_place_each_and_none_twice(library: StoredLibrary, pools: UUID) -> None:
    text = shown(library, pools)
    together = Barrier(6)

    def add(start: int) -> None:
        together.wait()
        library.citations.cite(text.id, start, start + 4)

    threads = [Thread(target=add, args=(start,)) for start in (0, 1, 2, 2, 1, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = library.citations.all()
    assert [one.position for one in found] == [1, 2, 3]
    assert sorted(one.char_start for one in found) == [0, 1, 2]


def test_details_tell_how_a_document_begins(library: StoredLibrary, pools: UUID) -> None:
    details = library.documents.details(pools)
    assert details is not None
    assert details.first_words.startswith("Where the sea meets rock. Limpets clamp their shells")
    assert details.kept_bytes > 0
    assert details.row == library.documents.rows([pools])[pools]
    assert library.documents.details(uuid4()) is None


def test_citing_tells_whether_it_is_new(library: StoredLibrary, pools: UUID) -> None:
    first, again = cite(library, pools, QUOTE), cite(library, pools, QUOTE)
    assert (first.is_new, again.is_new) == (True, False)
    assert first == again
