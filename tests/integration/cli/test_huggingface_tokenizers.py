"""A library whose tokenizer is HuggingFace's: a folder, a name in its cache, or one that its hub has."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer
from tests.support.huggingface import (
    TEXTS,
    HubServer,
    HuggingFaceHere,
    as_transformers_reads,
    put_into_cache,
    unigram_folder,
)
from webrag_desktop import DataFolder
from webrag_desktop.cli.shapes.reports import SpaceReport
from webrag_desktop.config import Settings
from webrag_desktop.embedding.factory import open_tokenizer

NAME = "somebody/ships"
MODEL = "a-model-of-my-own"
QUESTION = "Where were thoughtful ships counted?"
SHIPS = "# Ships\n\n" + "\n\n".join(TEXTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return unigram_folder(tmp_path / "model")


@pytest.fixture
def models(folder: Path) -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 64, "bge-m3": 1024}, tokenizer=open_tokenizer(str(folder))) as server:
        yield server


@pytest.fixture
def asking(models: EmbeddingServer) -> Mapping[str, str]:
    """Settings for a model that the program does not know, without its tokenizer."""
    return {
        "EMBEDDING_BACKEND": "openai",
        "EMBEDDING_MODEL": MODEL,
        "EMBEDDING_BASE_URL": models.url,
        "EMBEDDING_DIMENSIONS": "64",
    }


@pytest.fixture
def page(tmp_path: Path) -> str:
    file = tmp_path / "ships.md"
    file.write_text(SHIPS, encoding="utf-8")
    return str(file)


def with_setting(library: Program, **settings: str) -> Program:
    return ProgramHere(library.home, {**library.extra, **settings})


def another(folder: Path, name: str) -> str:
    """One more page to add."""
    file = folder / f"{name}.md"
    file.write_text(f"# All about {name}\n\nWhere there are {name}, thoughtful ships lie.", encoding="utf-8")
    return str(file)


def assert_usable(library: Program, tmp_path: Path) -> None:
    """What it holds is found by meaning, and what is added is indexed."""
    answered = library.answer("search", QUESTION, "--json")
    assert answered["degraded"] is None
    assert answered["chunks"][0]["title"] == "Ships"
    assert library.run("add", another(tmp_path, "harbours")).code == 0
    assert SpaceReport.model_validate(library.answer("space", "--json")).matches


@pytest.mark.parametrize("said", ["folder", "name"])
def test_a_library_is_counted_by_the_named_tokenizer_wherever_it_lies(
    asking: Mapping[str, str],
    folder: Path,
    page: str,
    tmp_path: Path,
    said: str,
    huggingface: HuggingFaceHere,
) -> None:
    if said == "name":
        put_into_cache(huggingface.cache, NAME, folder)
    with program(
        ProgramHere, **asking, EMBEDDING_TOKENIZER=NAME if said == "name" else str(folder)
    ) as library:
        added = library.run("add", page)
        assert (added.code, "Downloading" in added.err) == (0, False)
        chunking = SpaceReport.model_validate(library.answer("space", "--json")).active
        assert chunking is not None
        assert f"{f'hf:{NAME}' if said == 'name' else f'file:{folder}'}#" in chunking.chunking
        own = as_transformers_reads(folder)
        own.backend_tokenizer.no_truncation()
        with (
            DataFolder(Settings.of(WEBRAG_HOME=library.home, **library.extra)).open() as services,
            services.database.connection() as conn,
        ):
            row = conn.execute("SELECT max(token_end) FROM chunks WHERE chunk_level = 'child'").fetchone()
        assert row == (len(own(SHIPS, add_special_tokens=False, padding=False).input_ids),)
        assert_usable(library, tmp_path)
        moved = shutil.move(folder, tmp_path / "moved")
        if said == "name":
            shutil.rmtree(huggingface.cache)
        assert_usable(with_setting(library, EMBEDDING_TOKENIZER=str(moved)), tmp_path)


def test_a_named_tokenizer_is_fetched_when_it_is_needed_and_that_is_said_first(
    asking: Mapping[str, str], folder: Path, page: str, tmp_path: Path, huggingface: HuggingFaceHere
) -> None:
    with HubServer(NAME, folder) as hub:
        huggingface.look_at(hub.url)
        with program(Program, **asking, EMBEDDING_TOKENIZER=NAME) as library:
            assert library.run("stack", "start").code == 0
            looked = library.run("status")
            assert looked.code == 3
            assert f"The tokenizer {NAME} is not on this computer" in looked.out
            assert (
                f"the next document that is added, or `webrag space move`, downloads it from {hub.url}"
                in " ".join(looked.out.split())
            )
            assert hub.received == []
            added = library.run("add", page)
            assert added.code == 0
            said = f"Note: Downloading the tokenizer {NAME} from {hub.url}, as EMBEDDING_TOKENIZER says"
            assert said in added.err
            assert "PyTorch" not in added.err + (library.home / "logs" / "worker.log").read_text("utf-8")
            asked = len(hub.received)
            assert hub.fetched == ["tokenizer_config.json", "tokenizer.json"]
            assert_usable(library, tmp_path)
            assert len(hub.received) == asked


def test_the_worker_fetches_it_too_and_says_so_in_its_log(
    asking: Mapping[str, str], folder: Path, page: str, huggingface: HuggingFaceHere
) -> None:
    with HubServer(NAME, folder) as hub:
        huggingface.look_at(hub.url)
        with program(Program, **asking, EMBEDDING_TOKENIZER=NAME) as library:
            assert library.run("work", "--background").code == 0
            assert hub.received == []  # nothing was queued, so nothing was needed
            with DataFolder(Settings.of(WEBRAG_HOME=library.home, **library.extra)).open() as services:
                services.add([page])
            worked = library.run("work", "--background")
            assert worked.code == 0
            assert f"WARNING Downloading the tokenizer {NAME} from {hub.url}" in worked.err
            assert hub.fetched == ["tokenizer_config.json", "tokenizer.json"]
            assert library.answer("search", QUESTION, "--json")["chunks"][0]["title"] == "Ships"


def test_a_tokenizer_gone_from_the_cache_is_missed_and_fetched_again(
    asking: Mapping[str, str], folder: Path, page: str, tmp_path: Path, huggingface: HuggingFaceHere
) -> None:
    put_into_cache(huggingface.cache, NAME, folder)
    with HubServer(NAME, folder) as hub, program(ProgramHere, **asking, EMBEDDING_TOKENIZER=NAME) as library:
        assert library.run("add", page).code == 0
        shutil.rmtree(huggingface.cache)
        away = library.run("add", another(tmp_path, "piers"))
        assert away.code == 4
        assert f"{NAME} cannot be downloaded from http://127.0.0.1:9" in away.err
        by_words = library.answer("search", "thoughtful ships", "--json")
        assert by_words["chunks"]
        assert f"The tokenizer {NAME} is not on this computer" in by_words["degraded"]
        huggingface.look_at(hub.url)
        look = SpaceReport.model_validate(library.answer("space", "--json"))
        assert look.problem is not None
        assert f"{NAME} is not on this computer" in look.problem
        assert hub.received == []
        moved = library.run("space", "move")
        assert moved.code == 0
        assert "Downloading the tokenizer" in moved.err
        assert "there is nothing to move" in moved.err
        assert_usable(library, tmp_path)


def test_a_known_model_is_moved_to_once_its_tokenizer_is_named(
    models: EmbeddingServer, folder: Path, page: str, tmp_path: Path, huggingface: HuggingFaceHere
) -> None:
    wanted = {"EMBEDDING_BACKEND": "openai", "EMBEDDING_MODEL": "bge-m3", "EMBEDDING_BASE_URL": models.url}
    with HubServer("BAAI/bge-m3", folder) as hub, program(ProgramHere) as library:
        huggingface.look_at(hub.url)
        assert library.run("add", page).code == 0
        library.until_no_worker()
        unnamed = with_setting(library, **wanted).run("space", "move")
        assert unnamed.code == 4
        assert f"Set EMBEDDING_TOKENIZER to BAAI/bge-m3 to have it downloaded from {hub.url}" in unnamed.err
        assert hub.received == []
        named = with_setting(library, **wanted, EMBEDDING_TOKENIZER="BAAI/bge-m3")
        assert named.run("space", "move").code == 0
        # From now on the name of the model suffices, as the cache has what belongs to it.
        assert_usable(with_setting(library, **wanted), tmp_path)


def test_the_usual_chunk_sizes_give_way_to_a_small_model(page: str, tmp_path: Path) -> None:
    with (
        EmbeddingServer({"all-minilm": 384}) as models,
        program(
            ProgramHere,
            EMBEDDING_BACKEND="ollama",
            EMBEDDING_MODEL="all-minilm",
            EMBEDDING_BASE_URL=models.url,
        ) as library,
    ):
        assert library.run("status").code == 0
        assert library.run("add", page).code == 0
        assert "chunks headings-4/222-1000-222/bert-base-uncased" in library.run("space").out
        assert_usable(library, tmp_path)
        refused = with_setting(library, CHUNK_CHILD_TOKENS="256").run("add", another(tmp_path, "piers"))
        assert refused.code == 4
        assert "CHUNK_CHILD_TOKENS is 256, but all-minilm takes 222 tokens of text at most" in refused.err
        assert with_setting(library, CHUNK_CHILD_TOKENS="222").run("work").code == 0
