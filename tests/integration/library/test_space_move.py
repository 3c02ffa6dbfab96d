"""A library moves to another embedding space while it is searched; nothing is missed, nothing is mixed."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.conftest import Address
from tests.support.backup_home import Home
from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import (
    OLD_CHUNKS,
    OTHER_BOTH,
    OTHER_CHUNKS,
    OTHER_MODEL,
    RIVERS,
    MovingLibrary,
    ask_for,
    assert_moved,
    embedding,
    library_chunks,
    of_length,
    shape,
)
from tests.support.queue_work import article, assert_sound
from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
from webrag_desktop.jobs import one_job
from webrag_desktop.storage.database import Database


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


@pytest.mark.parametrize("what", [OTHER_MODEL, OTHER_CHUNKS, OTHER_BOTH])
def test_the_library_moves_to_what_the_settings_ask_for(
    library: MovingLibrary, models: EmbeddingServer, what: str
) -> None:
    before, figures = shape(library), library.count("SELECT child_chunks FROM corpus")
    wanted = ask_for(library, models, what)
    assert wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    after = shape(wanted)
    assert (before[0] != after[0]) == (what != OTHER_CHUNKS)
    assert (before[1] != after[1]) == (what != OTHER_MODEL)
    assert (wanted.count("SELECT child_chunks FROM corpus") > figures) == (what != OTHER_MODEL)
    found = wanted.search("cold water of the Rhine")
    assert len(found.query_embedding) == after[0]
    assert found.degraded is None
    assert found.chunks[0].title == "Rhine"


def test_settings_that_ask_for_another_space_name_the_move_as_remedy(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    for what, setting in ((OTHER_MODEL, "EMBEDDING_DIMENSIONS"), (OTHER_CHUNKS, "chunk settings")):
        wanted = ask_for(library, models, what)
        with pytest.raises(ConfigurationError, match=setting) as caught:
            wanted.spaces.settle()
        assert "`webrag space move`" in caught.value.hint
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    assert wanted.spaces.settle() == library.spaces.settle()  # on its way there
    assert library.spaces.settle() == library.spaces.settle()
    with pytest.raises(ConfigurationError):
        MovingLibrary(library.database, embedding(models, 32), OLD_CHUNKS).spaces.settle()


def test_a_question_is_not_refused_for_the_sake_of_chunk_sizes(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    assert ask_for(library, models, OTHER_CHUNKS).search("cold water").degraded is None


def test_searches_see_the_old_space_alone_until_the_swap(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    old = {
        mode: library.search(mode).model_copy(update={"timing": None}) for mode in ("cold water Oder", "sea")
    }
    chunks = [library_chunks(library)]
    wanted.moving.begin()
    for done in range(len(RIVERS) + 1):  # every document, then the index
        _move, progress = wanted.moving.progress()
        assert progress is not None
        assert (progress.documents_done, progress.documents) == (done, len(RIVERS)) or done == len(RIVERS)
        for question, answer in old.items():
            assert wanted.search(question).model_copy(update={"timing": None}) == answer
        assert library_chunks(library) == chunks[0]
        assert_sound(library.database)
        assert wanted.step() == [True]
    assert shape(library)[0] == 48
    wanted.step()
    assert shape(library)[0] == 64
    assert_sound(library.database)
    assert library_chunks(library) != chunks[0]


def test_a_process_that_searches_follows_the_library_to_its_new_space(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    running = (wanted.spaces, library.spaces)  # with the new settings, and with those of before
    before = [spaces.searched() for spaces in running]
    wanted.work()
    for spaces, asked in zip(running, before, strict=True):
        after = spaces.searched()
        assert after.stored.space.model.dimensions == 64
        assert len(after.embedder.embed_query("cold water")) == 64
        assert after.stored.id == asked.stored.id + 1
        assert len(asked.embedder.embed_query("cold water")) == 48  # a question that was under way ends well
        spaces.close()
    assert_moved(wanted)


def test_what_comes_changes_and_goes_meanwhile_is_not_missed(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(3)
    with library.database.connection() as conn:
        carried = [row[0] for row in conn.execute("SELECT id FROM documents ORDER BY id LIMIT 2")]
        conn.execute("DELETE FROM sources WHERE id = %s", [carried[0]])
        name = conn.execute("SELECT title FROM documents WHERE id = %s", [carried[1]]).fetchone()
    assert name is not None
    wanted.change(carried[1], name[0], "The mountain is made of granite and of ice.")
    added = wanted.add("Mosel", "Vineyards stand above the bends of this water.")
    assert_sound_but_queue(wanted)
    wanted.work()
    assert_moved(wanted)
    assert wanted.count("SELECT documents FROM corpus") == len(RIVERS)
    for source_id, question in ((added, "vineyards bends"), (carried[1], "mountain granite ice")):
        assert wanted.search(question).chunks[0].document_id == source_id


def assert_sound_but_queue(library: MovingLibrary) -> None:
    """Two jobs are open, all the rest is in order."""
    assert library.count("SELECT count(*) FROM jobs WHERE finished_at IS NULL") == 2
    assert_sound(library.database)


def test_a_page_read_again_with_the_same_text_is_not_indexed_again_for_the_sake_of_the_move(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_CHUNKS)
    wanted.moving.begin()
    wanted.step(2)
    models.received.clear()
    with library.database.connection() as conn:
        carried = conn.execute("SELECT id, title FROM documents ORDER BY id LIMIT 1").fetchone()
    assert carried is not None
    wanted.change(carried[0], carried[1], "The river carries cold water to the sea.")
    wanted.moving.pause()
    wanted.work()
    assert models.embedded_texts == []
    wanted.moving.resume()
    wanted.work()
    assert_moved(wanted)


def test_what_is_reported_again_of_a_text_is_reported_again_in_the_new_space_without_embedding(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer reader reads the same text: the chunks cut for the new space are cut again, their vectors are kept."""
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(len(RIVERS))
    models.received.clear()
    monkeypatch.setattr(one_job, "EXTRACTOR_VERSION", EXTRACTOR_VERSION + 1)
    with library.database.connection() as conn:
        carried = conn.execute("SELECT id, title FROM documents ORDER BY id LIMIT 1").fetchone()
    assert carried is not None
    wanted.change(carried[0], carried[1], "", page=article(carried[1]))
    wanted.moving.pause()
    wanted.work()
    _move, progress = wanted.moving.progress()
    assert progress is not None
    assert progress.documents_done == len(RIVERS) - 1
    wanted.moving.resume()
    wanted.work()
    assert_moved(wanted)
    assert of_length(models, 48) == []
    assert not [text for text in of_length(models, 64) if "number" in text]
    assert wanted.count(f"SELECT max(extractor_version) - {EXTRACTOR_VERSION} FROM document_versions") == 1


@pytest.mark.parametrize("what", [OTHER_MODEL, OTHER_BOTH])
def test_a_changed_paragraph_sends_its_chunks_alone_in_either_space(
    library: MovingLibrary, models: EmbeddingServer, what: str
) -> None:
    """Vectors are known by the text they were made from, while the library moves as well."""
    source_id = library.add("Inn", page=sections(*PLACES))
    library.work()
    wanted = ask_for(library, models, what)
    wanted.moving.begin()
    wanted.step(len(RIVERS) + 1)
    sent = {dimensions: granite(models, dimensions) for dimensions in (48, 64)}
    models.received.clear()
    wanted.change(source_id, "Inn", "", page=sections(*PLACES[:-1], "over"))
    wanted.work()
    assert_moved(wanted)
    for dimensions, before in sent.items():
        assert len(before) >= len(PLACES), dimensions
        assert ["over the valley" in text for text in granite(models, dimensions)] == [True], dimensions


PLACES = ("above", "below", "beside", "behind", "before", "around", "across", "along")


def sections(*places: str) -> str:
    """A page with a section on granite at each of these places."""
    texts = (
        f"<h2>Part</h2><p>Granite stands {place} the valley of this river, all year.</p>" for place in places
    )
    return f"<title>Inn</title><main><h1>Inn</h1>{''.join(texts)}</main>"


def granite(models: EmbeddingServer, dimensions: int) -> list[str]:
    """Texts on granite that were sent for vectors of that length."""
    return [text for text in of_length(models, dimensions) if "Granite" in text]


def test_vectors_of_the_same_model_are_taken_along_where_the_text_is_the_same(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    """Larger parents cut some children otherwise; only those are sent."""
    wanted = MovingLibrary(library.database, library.options, ChunkTargets(64, 210))
    wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    assert len(models.embedded_texts) < wanted.count("SELECT child_chunks FROM corpus")


def test_there_and_back_again(library: MovingLibrary, models: EmbeddingServer) -> None:
    wanted, before = ask_for(library, models, OTHER_BOTH), library_chunks(library)
    wanted.moving.begin()
    wanted.work()
    library.moving.begin()
    library.work()
    assert_moved(library)
    assert library_chunks(library) == before


def test_an_empty_library_moves_and_one_without_a_space_has_nothing_to_move(
    database: Database, models: EmbeddingServer
) -> None:
    empty = MovingLibrary(database, embedding(models, 48), OLD_CHUNKS)
    with pytest.raises(InputError, match="no documents yet"):
        empty.moving.begin()
    empty.spaces.settle()
    wanted = ask_for(empty, models, OTHER_BOTH)
    assert wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)


def test_a_search_under_way_keeps_its_space_over_swap_and_tidying(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    """The old vectors stay until nobody who began before can look at them."""
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(len(RIVERS) + 1)
    old = library.spaces.settle()
    with library.database.dedicated() as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert reader.execute("SELECT count(*) FROM documents").fetchone() == (len(RIVERS),)
        assert wanted.step() == [True]
        assert shape(library)[0] == 64
        assert wanted.step(3) == [False, False, False]
        seen = reader.execute(
            f'SELECT count(*) FROM "{old.table}" e JOIN chunks c ON c.id = e.chunk_id'
        ).fetchone()
        assert seen is not None
        assert seen[0] > 0
        reader.execute("COMMIT")
    wanted.work()
    assert_moved(wanted)


def test_readers_see_all_old_or_all_new(library: MovingLibrary, models: EmbeddingServer) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    with library.database.connection() as conn:
        old_children = conn.execute("SELECT child_chunks FROM corpus").fetchone()
    seen: list[tuple[object, ...]] = []
    over = Event()

    def read() -> None:
        while not over.is_set():
            with library.database.connection() as conn:
                seen.append(conn.execute(LOOK).fetchone() or ())

    reader = Thread(target=read)
    reader.start()
    wanted.moving.begin()
    wanted.work()
    over.set()
    reader.join()
    assert_moved(wanted)
    with library.database.connection() as conn:
        new_children = conn.execute("SELECT child_chunks FROM corpus").fetchone()
    assert old_children is not None
    assert new_children is not None
    old, new = (48, old_children[0], old_children[0]), (64, new_children[0], new_children[0])
    assert set(seen) <= {old, new}
    assert old in seen


# The corpus, its documents and its space, as one statement sees them.
LOOK = """
    SELECT s.dimensions, c.child_chunks::int, (SELECT sum(child_chunks) FROM documents)::int
      FROM corpus c JOIN embedding_spaces s ON s.id = c.active_space
"""


def test_a_library_saved_in_mid_move_goes_on_with_it_where_it_is_restored(
    library: MovingLibrary,
    models: EmbeddingServer,
    clone: Callable[[str], Address],
    migrated_template: str,
    tmp_path: Path,
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(3)
    saved = tmp_path / "library.webrag"
    with library.database.connection() as conn:
        name = conn.info.dbname
    there = clone(migrated_template)
    Home(there | {"dbname": name}, tmp_path / "here").save(saved)
    Home(there, tmp_path / "there").restore(saved)
    database = Database(there)
    restored = MovingLibrary(database, wanted.options, wanted.targets)
    assert_sound(database)
    models.received.clear()
    restored.work()
    assert_moved(restored)
    assert restored.search("cold water of the Rhine").chunks[0].title == "Rhine"
    database.close()
