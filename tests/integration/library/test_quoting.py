"""Citing by words: as they are read, letter for letter, or not at all."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.support.queue_work import accepted, assert_sound
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.database import Database

Work = Callable[..., int]
TEXT = """# Tide pools 🦀

Where the **sea** meets rock. It was \\-18 degrees.

Limpets clamp their
[shells](https://example.org/shells) to the rock. 鏡のような水。

The rock is bare. The rock is old.
"""


@pytest.fixture
def pools(library: StoredLibrary, tmp_path: Path, work: Work) -> UUID:
    path = tmp_path / "pools.md"
    path.write_text(TEXT, encoding="utf-8")
    source_id = accepted(library.add([str(path)])[0]).source_id
    work()
    return source_id


@pytest.mark.parametrize(
    ("quote", "verbatim"),
    [
        ("the sea meets", "the **sea** meets"),
        ("the **sea** meets", "the **sea** meets"),
        ("was -18 degrees.", "was \\-18 degrees."),
        (" Limpets  clamp\ntheir shells ", "Limpets clamp their\n[shells"),
        ("[shells](https://example.org/shells)", "[shells](https://example.org/shells)"),
        ("ような", "ような"),
    ],
)
def test_words_are_found_as_they_are_read(
    library: StoredLibrary, pools: UUID, quote: str, verbatim: str
) -> None:
    text = library.documents.text(pools)
    assert text is not None
    stored = library.citations.cite_quote(pools, quote)
    assert stored.verbatim.split() == verbatim.split()
    assert text.markdown[stored.char_start : stored.char_end] == stored.verbatim
    assert (stored.is_new, stored.state, stored.version_id) == (True, "exact", text.id)
    assert not library.citations.cite_quote(pools, quote).is_new


def test_of_several_places_it_must_be_said_which(
    library: StoredLibrary, pools: UUID, database: Database
) -> None:
    with pytest.raises(InputError, match="occur 2 times") as several:
        library.citations.cite_quote(pools, "The rock is")
    assert "--occurrence, from 1 to 2" in several.value.hint
    with pytest.raises(InputError, match="only 2 times"):
        library.citations.cite_quote(pools, "The rock is", 3)
    first, second = (library.citations.cite_quote(pools, "The rock is", number) for number in (1, 2))
    assert second.char_start - first.char_start == len("The rock is bare. ")
    assert [one.position for one in library.citations.all()] == [1, 2]
    assert_sound(database)


def test_what_does_not_stand_there_is_not_cited(library: StoredLibrary, pools: UUID) -> None:
    for quote in ("the lake meets", "THE SEA MEETS"):
        with pytest.raises(NotFoundError, match="are not in the text") as nowhere:
            library.citations.cite_quote(pools, quote)
        assert "in capitals or not as there" in nowhere.value.hint
    with pytest.raises(InputError, match="empty"):
        library.citations.cite_quote(pools, " \n ")
    with pytest.raises(NotFoundError, match="no text"):
        library.citations.cite_quote(uuid4(), "the sea meets")
    assert library.citations.all() == []


def test_a_citation_is_named_by_the_beginning_of_its_id(library: StoredLibrary, pools: UUID) -> None:
    stored = library.citations.cite_quote(pools, "the sea meets")
    assert library.citations.find(str(stored.id)[:6].upper()).id == stored.id
    for unknown in (str(stored.id)[:3], "", str(uuid4())):
        with pytest.raises(NotFoundError):
            library.citations.find(unknown)
