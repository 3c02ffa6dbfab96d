"""What the composition root decides before anything is open."""

import threading
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError, DatabaseUnreachableError, EmbeddingError
from webrag_desktop.library import opening
from webrag_desktop.library.stored import spool_of
from webrag_desktop.models.documents import SpooledIntake
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import ProgressCallback
from webrag_desktop.stack.base import DatabaseAddress, Stack
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.text import language


def intake(url: str) -> SpooledIntake:
    return SpooledIntake(kind="url", url=url, url_key=url)


def waiting(spool: Spool) -> list[str]:
    return [entry.url for _, entry in spool.waiting()]


def test_what_was_meant_for_one_database_never_goes_to_another(tmp_path: Path) -> None:
    own = Settings.of(WEBRAG_HOME=tmp_path)
    other = Settings.of(WEBRAG_HOME=tmp_path, WEBRAG_DATABASE_URL="postgresql://me:hunter2@db/x")
    spool_of(other).put(intake("https://example.org/"))
    assert waiting(spool_of(own)) == []
    assert waiting(spool_of(other)) == ["https://example.org/"]
    assert not any("hunter2" in str(path) for path in tmp_path.rglob("*"))


def test_naming_the_default_stack_keeps_the_same_intake(tmp_path: Path) -> None:
    spool_of(Settings.of(WEBRAG_HOME=tmp_path)).put(intake("https://example.org/"))
    assert waiting(spool_of(Settings.of(WEBRAG_HOME=tmp_path, WEBRAG_STACK="embedded"))) == [
        "https://example.org/"
    ]


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="file") as caught:
        DataFolder(Settings.of(WEBRAG_HOME=file / "home")).open()
    assert "WEBRAG_HOME" in caught.value.message


def test_an_external_stack_without_an_address_says_which_setting_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="names no server"):
        DataFolder(Settings.of(WEBRAG_HOME=tmp_path, WEBRAG_STACK="external")).open()


class Leaving:
    """A stack whose database went away right after it had answered."""

    read_only = False

    def __init__(self) -> None:
        self.is_closed = False

    def open(self, _progress: ProgressCallback) -> DatabaseAddress:
        return DatabaseAddress(host="127.0.0.1", port=1, dbname="x", user="me", password="")

    def ensure_in_place(self) -> None:
        pass

    def close(self) -> None:
        self.is_closed = True


def test_a_database_that_goes_away_while_it_is_opened_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Leaving()
    monkeypatch.setattr(opening, "choose_stack", lambda _options: stack)
    monkeypatch.setattr(opening, "_migrate", lambda *_arguments: None)
    before = set(threading.enumerate())
    with pytest.raises(DatabaseUnreachableError):
        DataFolder(Settings.of(WEBRAG_HOME=tmp_path)).open()
    assert stack.is_closed
    started = set(threading.enumerate()) - before
    for thread in started:
        thread.join(10.0)  # a timer that was cancelled takes a moment to end
    assert not any(thread.is_alive() for thread in started)


def test_the_stack_is_released_also_where_the_database_cannot_be_closed(tmp_path: Path) -> None:
    stack, database = MagicMock(spec=Stack), MagicMock(spec=Database)
    database.close.side_effect = DatabaseUnreachableError("Gone.", "Start it.")
    library = Library(Settings.of(WEBRAG_HOME=tmp_path), stack, database)
    with pytest.raises(DatabaseUnreachableError):
        library.close()
    stack.close.assert_called_once_with()


@pytest.mark.parametrize("failure", [None, EmbeddingError("It is gone.", "Start it.")])
def test_what_an_empty_answer_to_a_question_needs_is_loaded_before_it_is_asked(
    failure: EmbeddingError | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(Settings.of(WEBRAG_HOME=tmp_path), MagicMock(spec=Stack), MagicMock(spec=Database))
    model = EmbeddingModel(
        backend="ollama", model="all-minilm", dimensions=384, tokenizer="t", max_tokens=256
    )
    spaces = MagicMock()
    spaces.searched.return_value.embedder.embed_query.side_effect = failure
    monkeypatch.setattr(library, "embedding_model", lambda: model)
    monkeypatch.setattr(library, "_opened_spaces", spaces)
    language._loaded.cache_clear()  # another test may have loaded it
    with pytest.raises(EmbeddingError) if failure else nullcontext():
        library.prepare_search()
    assert spaces.searched.return_value.embedder.embed_query.called
    assert language._loaded.cache_info().currsize == 1
