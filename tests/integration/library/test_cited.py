"""What a cite id names is found again, in the version that it names, however often the document changes."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.queue_work import accepted
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.citations import CiteId, DocumentLink
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.texts import versions

Work = Callable[..., int]
QUOTE = "Limpets 🐚 clamp their shells to the rock."
TEXT = f"# Tide pools\n\nWhere the 🌊 meets rock.\n\n## Low tide\n\n{QUOTE}\n\n## High tide\n\nWater.\n"


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


def cite_id_of(library: StoredLibrary, source_id: UUID, words: str = QUOTE) -> CiteId:
    text = library.documents.text(source_id)
    assert text is not None
    start = text.markdown.index(words)
    return CiteId.of(text.id, start, start + len(words))


def test_a_cite_id_opens_the_very_characters(library: StoredLibrary, pools: UUID) -> None:
    cite_id = cite_id_of(library, pools)
    text = library.documents.text(pools)
    assert text is not None
    for reference in (
        cite_id,
        str(cite_id),
        cite_id.link,
        cite_id.link.upper(),
        f"{text.id}.{str(cite_id)[17:]}",
    ):
        place = library.cited.place(reference)
        assert place.text == QUOTE == text.markdown[place.char_start : place.char_end]
        assert (place.document_id, place.version_id, place.cite_id) == (pools, text.id, cite_id)
        assert (place.version_number, place.is_current, place.title) == (1, True, "Tide pools")
        assert place.heading_path == ("Tide pools", "Low tide")
        assert (place.page, place.source_url) == (None, text.source_url)


def test_a_cite_id_without_a_range_is_the_whole_text(library: StoredLibrary, pools: UUID) -> None:
    text = library.documents.text(pools)
    assert text is not None
    place = library.cited.place(CiteId.of(text.id))
    assert (place.text, place.char_start, place.char_end) == (text.markdown, 0, len(text.markdown))
    assert place.heading_path == ("Tide pools",)


def test_an_older_version_is_opened_as_such(
    library: StoredLibrary, pools: UUID, note: Path, work: Work
) -> None:
    cite_id = cite_id_of(library, pools)
    note.write_text(f"# Tide pools\n\nNo shells here.\n\n{QUOTE}\n", encoding="utf-8")
    library.add([str(note)])
    work()
    place = library.cited.place(cite_id)
    assert (place.text, place.version_number, place.is_current) == (QUOTE, 1, False)
    shown = library.cited.place(DocumentLink(pools))
    assert (shown.version_number, shown.is_current) == (2, True)
    assert "No shells here." in shown.text
    assert library.cited.place(DocumentLink(pools).link) == shown


def test_what_is_gone_is_said_with_a_hint(library: StoredLibrary, pools: UUID) -> None:
    cite_id = cite_id_of(library, pools)
    library.documents.remove(pools)
    place = library.cited.place(cite_id)
    assert (place.in_bin, place.is_current) == (True, True)
    library.bin.empty()
    for reference in (cite_id, DocumentLink(pools)):
        with pytest.raises(NotFoundError) as caught:
            library.cited.place(reference)
        assert caught.value.hint


@pytest.mark.parametrize("span", [(0, 2**31), (2**31 - 1, 2**31), (0, len(TEXT) + 1)])
def test_a_range_beyond_the_text_is_refused(
    library: StoredLibrary, pools: UUID, span: tuple[int, int]
) -> None:
    version = CiteId(cite_id_of(library, pools).version, *span)
    with pytest.raises(NotFoundError, match="characters"):
        library.cited.place(version)


def test_two_versions_of_one_name_are_distinguished_from_none(
    database: Database, library: StoredLibrary, pools: UUID
) -> None:
    cite_id = cite_id_of(library, pools)
    with database.connection() as conn:
        conn.execute(
            """
            INSERT INTO document_versions (id, document_id, source_url, title, markdown, plain_text, content_hash,
                                           raw_hash, extractor_version, fetched_at)
            SELECT overlay(id::text PLACING 'ffffffffffff' FROM 25)::uuid, document_id, source_url, title, markdown,
                   plain_text, content_hash, raw_hash, extractor_version, fetched_at FROM document_versions
            """
        )
    with pytest.raises(NotFoundError, match="Several"):
        library.cited.place(cite_id)


def test_a_text_that_is_no_cite_id_is_refused(library: StoredLibrary) -> None:
    with pytest.raises(InputError):
        library.cited.place("webrag://cite/' OR true --")


def test_a_place_is_looked_up_by_the_primary_key(
    database: Database, library: StoredLibrary, pools: UUID
) -> None:
    with database.connection() as conn:
        conn.execute("SET LOCAL enable_seqscan = off")  # a table of one row is always read through otherwise
        plan = conn.execute(
            f"EXPLAIN {versions.CITED_VERSIONS}",
            {"first": pools, "last": pools, "start": 0, "end": None},
        ).fetchall()
    # A range of the index; what is no bound of it would be looked for in all of it.
    assert any("Index Cond: ((id >=" in line[0] and "(id <=" in line[0] for line in plan), plan
