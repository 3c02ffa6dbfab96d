"""A library whose tokenizer file lies elsewhere by now, or nowhere: known by its content, missed where it counts."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import (
    NEW_CHUNKS,
    OLD_CHUNKS,
    RIVERS,
    MovingLibrary,
    assert_moved,
    embedding,
)
from tests.support.tokenizer_file import bert_file
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers.tokenizer_file import TokenizerUnreadableError
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.storage.database import Database

QUESTION = "Where does the Rhine rise?"


@pytest.fixture
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({"mine": 64, "text-embedding-3-small": 1536}) as running:
        yield running


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return bert_file(tmp_path / "tokenizer.json")


def described(models: EmbeddingServer, file: Path, dimensions: int = 64) -> EmbeddingOptions:
    return EmbeddingOptions(
        backend="openai",
        base_url=models.url,
        model="mine",
        api_key=SecretStr("k"),
        dimensions=dimensions,
        tokenizer=str(file),
    )


@pytest.fixture
def library(database: Database, models: EmbeddingServer, file: Path) -> MovingLibrary:
    made = MovingLibrary(database, described(models, file), OLD_CHUNKS)
    for river in RIVERS:
        made.add(river)
    assert made.work() == len(RIVERS)
    return made


@pytest.fixture
def moved(library: MovingLibrary, file: Path, tmp_path: Path) -> MovingLibrary:
    """The same with the file, and the settings that name it, elsewhere."""
    elsewhere = file.rename(tmp_path / "moved.dat")
    return replace(library, options=replace(library.options, tokenizer=str(elsewhere)))


def test_a_library_works_on_with_the_file_elsewhere(moved: MovingLibrary) -> None:
    assert moved.search(QUESTION).degraded is None
    moved.add("Mosel", "The Mosel bends below vineyards.")
    assert moved.work() == 1
    assert moved.count("SELECT count(*) FROM sources WHERE state <> 'ready'") == 0


def test_the_same_file_elsewhere_is_no_reason_to_move(moved: MovingLibrary) -> None:
    assert moved.moving.look().matches
    assert not moved.moving.begin()
    assert not moved.moving.begin(as_new=True)
    assert moved.count("SELECT count(*) FROM embedding_spaces") == 1


def test_a_move_goes_on_to_the_space_begun_though_the_file_moves_meanwhile(
    library: MovingLibrary, models: EmbeddingServer, tmp_path: Path
) -> None:
    known = MovingLibrary(library.database, embedding(models, 48), OLD_CHUNKS)
    known.moving.begin()
    known.work()
    assert_moved(known)
    (there := replace(library, targets=NEW_CHUNKS)).moving.begin()
    elsewhere = Path(str(library.options.tokenizer)).rename(tmp_path / "elsewhere.json")
    there.options = replace(there.options, tokenizer=str(elsewhere))
    there.moving.begin()
    there.work()
    assert_moved(there)


def test_chunks_are_cut_again_with_the_file_elsewhere(moved: MovingLibrary) -> None:
    wanted = replace(moved, targets=NEW_CHUNKS)
    assert wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)


@pytest.mark.parametrize("named", [True, False])
def test_without_the_file_words_are_searched_and_the_remedy_is_reported(
    library: MovingLibrary, file: Path, tmp_path: Path, named: bool
) -> None:
    kept = file.rename(tmp_path / "away.json")
    library.options = replace(library.options, tokenizer=str(file) if named else None)
    found = library.search("Rhine")
    assert found.chunks[0].title == "Rhine"
    assert f"{file} cannot be read" in (found.degraded or "")
    assert "et EMBEDDING_TOKENIZER to the path" in (found.degraded or "")
    library.add("Mosel", "The Mosel bends below vineyards.")
    with pytest.raises(ConfigurationError, match="built with") as caught:
        library.work()
    assert str(file) in caught.value.message
    assert "et EMBEDDING_TOKENIZER to the path" in caught.value.hint
    assert library.count("SELECT count(*) FROM sources WHERE state = 'queued'") == 1
    kept.rename(file)
    assert library.search("Rhine").degraded is None
    assert library.work() == 1


def test_a_running_search_heals_when_the_file_is_back(
    library: MovingLibrary, file: Path, tmp_path: Path
) -> None:
    kept = file.rename(tmp_path / "away.json")
    spaces = library.spaces
    assert spaces.searched().tokenizer is None
    with pytest.raises(TokenizerUnreadableError):
        spaces.searched().embedder.embed_query("Rhine")
    kept.rename(file)
    assert spaces.searched().tokenizer is not None
    spaces.close()


def test_a_changed_file_in_the_same_place_contradicts_the_library(library: MovingLibrary, file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(ConfigurationError, match="EMBEDDING_TOKENIZER says"):
        library.spaces.settle()


def test_the_way_to_another_model_is_open_without_the_file(
    library: MovingLibrary, models: EmbeddingServer, file: Path
) -> None:
    file.unlink()
    away = MovingLibrary(library.database, embedding(models, 48), OLD_CHUNKS)
    assert away.moving.begin()
    assert "cannot be read" in (library.search("Rhine").degraded or "")
    away.work()
    assert_moved(away)
    assert away.search(QUESTION).degraded is None


def test_wrong_dimensions_are_reported_by_what_the_settings_say(
    database: Database, models: EmbeddingServer, file: Path
) -> None:
    new = MovingLibrary(database, described(models, file, dimensions=65), OLD_CHUNKS)
    new.add("Rhine")
    with pytest.raises(
        ConfigurationError, match="64 numbers per text, but EMBEDDING_DIMENSIONS says 65"
    ) as caught:
        new.work()
    assert "Set EMBEDDING_DIMENSIONS to 64" in caught.value.hint


def test_a_move_to_wrong_dimensions_says_so(
    library: MovingLibrary, models: EmbeddingServer, file: Path
) -> None:
    wrong = replace(library, options=described(models, file, dimensions=65))
    wrong.moving.begin()
    wrong.step(1)
    move, _progress = wrong.moving.progress()
    assert move is not None
    assert "EMBEDDING_DIMENSIONS says 65" in (move.problem or "")
    assert "library" not in (move.problem or "")
    assert "webrag space cancel" in (move.hint or "")
