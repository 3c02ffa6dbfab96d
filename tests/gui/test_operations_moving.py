"""A move to another embedding space, offered, steered and followed by the window of a real library."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.support.embedding_server import EmbeddingServer
from tests.support.gui_library import Address, Heard, heard, open_operations, paused_operations, settings_for
from tests.support.held_answers import Held, deliver
from tests.support.huggingface import HubServer, HuggingFaceHere, unigram_folder
from tests.support.moving import MODEL, MovingLibrary, embedding
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.upkeep import MoveOffer
from webrag_desktop.gui.maintenance.operations import moving
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
OLD, NEW = f"{MODEL} with 48 dimensions", f"{MODEL} with 64 dimensions"


@pytest.fixture
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 1536}) as server:
        yield server


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def asking(address: Address, models: EmbeddingServer, tmp_path: Path) -> Callable[[int], Settings]:
    """Settings that ask for vectors of a length."""

    def settings(dimensions: int) -> Settings:
        return settings_for(
            address,
            tmp_path / "home",
            EMBEDDING_BACKEND="openai",
            EMBEDDING_MODEL=MODEL,
            EMBEDDING_BASE_URL=models.url,
            EMBEDDING_API_KEY="k",
            EMBEDDING_DIMENSIONS=dimensions,
        )

    return settings


@pytest.fixture
def library(address: Address, models: EmbeddingServer, asking: Callable[[int], Settings]) -> Iterator[None]:
    """Two documents in the old space."""
    settings, database = asking(48), Database(address)
    made = MovingLibrary(database, embedding(models, 48), settings.chunk_targets())
    for river in ("Rhine", "Elbe"):
        made.add(river)
    made.work()
    yield
    database.close()


@pytest.fixture
def still(library: None, asking: Callable[[int], Settings], qtbot: QtBot) -> Iterator[Operations]:
    """The settings ask for the new space, and the queue is paused: no worker carries a move out."""
    with paused_operations(asking(64), qtbot) as made:
        yield made


def test_what_the_settings_ask_for_is_offered_and_the_move_is_steered(
    still: Operations, qtbot: QtBot
) -> None:
    reported, offers, notices = (
        Heard(still.moving.progress),
        Heard(still.moving.offered),
        Heard(still.moving.noticed),
    )
    still.moving.compare()
    heard(qtbot, lambda: len(offers) == 1)
    assert offers.last == MoveOffer(OLD, NEW)
    assert reported.all == []
    still.moving.begin()
    heard(qtbot, lambda: len(reported) == 1 and len(offers) == 2)
    assert (reported.last.wanted, reported.last.state, reported.last.done, reported.last.total) == (
        NEW,
        "moving",
        0,
        2,
    )
    assert reported.last.held
    assert offers.last is None
    still.moving.pause()
    heard(qtbot, lambda: reported.last.state == "paused")
    still.moving.resume()
    heard(qtbot, lambda: reported.last.state == "moving")
    still.moving.cancel()
    heard(qtbot, lambda: reported.last is None and offers.last == MoveOffer(OLD, NEW))
    assert [notice.text for notice in notices.all] == [f"The move ended. Your library stays with {OLD}."]
    notices.last.on_action()  # taken back: it begins again
    heard(qtbot, lambda: reported.last is not None and reported.last.state == "moving")


def test_a_move_is_followed_to_its_end(
    library: None, asking: Callable[[int], Settings], qtbot: QtBot
) -> None:
    with open_operations(asking(64), qtbot) as do:
        reported, notices = Heard(do.moving.progress), Heard(do.moving.noticed)
        do.moving.compare()
        do.moving.begin()
        heard(qtbot, lambda: bool(notices.all))
        assert [notice.text for notice in notices.all] == [f"Your library is searched with {NEW} now."]
        assert reported.last is None
        assert {one.wanted for one in reported.all if one is not None} == {NEW}
        do.moving.compare(by_user=True)
        heard(qtbot, lambda: len(notices) == 2)
        assert notices.last.text == f"Your library uses {MODEL}, as your settings ask."


def test_whoever_asks_is_answered(address: Address, asking: Callable[[int], Settings], qtbot: QtBot) -> None:
    with open_operations(asking(64), qtbot) as do:
        notices, offers = Heard(do.moving.noticed), Heard(do.moving.offered)
        do.moving.compare()
        heard(qtbot, lambda: len(offers) == 1)
        assert notices.all == []
        do.moving.compare(by_user=True)
        heard(qtbot, lambda: len(notices) == 1)
        assert notices.last.text == "The first document decides which model the library gets."
        failures = Heard(do.moving.failed)
        do.moving.begin()
        heard(qtbot, lambda: len(failures) == 1)
        assert "nothing to move" in failures.last.message


def test_a_tokenizer_that_has_to_be_downloaded_is_reported_before_the_move_begins(
    library: None,
    address: Address,
    models: EmbeddingServer,
    tmp_path: Path,
    qtbot: QtBot,
    huggingface: HuggingFaceHere,
) -> None:
    settings = settings_for(
        address,
        tmp_path / "home",
        EMBEDDING_BACKEND="openai",
        EMBEDDING_MODEL="bge-m3",
        EMBEDDING_BASE_URL=models.url,
        EMBEDDING_API_KEY="k",
        EMBEDDING_TOKENIZER="BAAI/bge-m3",
    )
    with (
        HubServer("BAAI/bge-m3", unigram_folder(tmp_path / "model")) as hub,
        paused_operations(settings, qtbot) as do,
    ):
        huggingface.look_at(hub.url)
        reported, offers = Heard(do.moving.progress), Heard(do.moving.offered)
        for by_user in (False, True):
            do.moving.compare(by_user=by_user)
            heard(qtbot, lambda: len(offers) == 1 + by_user)  # noqa: B023 - called before the next turn
            assert offers.last == MoveOffer(MODEL, "the tokenizer BAAI/bge-m3", hub.url)
        assert hub.received == []
        do.moving.begin()
        heard(qtbot, lambda: len(reported) == 1)
        assert (reported.last.wanted, reported.last.state) == ("bge-m3", "moving")
        assert hub.fetched == ["tokenizer_config.json", "tokenizer.json"]


def test_the_window_knows_a_library_of_a_small_model_by_its_usual_sizes(
    address: Address, tmp_path: Path, qtbot: QtBot
) -> None:
    with EmbeddingServer({"all-minilm": 384}) as server:
        settings = settings_for(
            address,
            tmp_path / "home",
            EMBEDDING_BACKEND="ollama",
            EMBEDDING_MODEL="all-minilm",
            EMBEDDING_BASE_URL=server.url,
        )
        database = Database(address)
        made = MovingLibrary(database, settings.embedding_options(), settings.chunk_targets())
        made.add("Rhine")
        assert made.work() == 1
        with open_operations(settings, qtbot) as do:
            notices, failures = Heard(do.moving.noticed), Heard(do.moving.failed)
            do.moving.compare(by_user=True)
            heard(qtbot, lambda: len(notices) + len(failures) == 1)
            assert [one.text for one in notices.all] == [
                "Your library uses all-minilm, as your settings ask."
            ]
        database.close()


def test_an_older_answer_does_not_show_a_move_again(
    asking: Callable[[int], Settings], library: None, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    with paused_operations(asking(64), qtbot) as do:
        shown, offers = Heard(do.moving.progress), Heard(do.moving.offered)
        do.moving.compare()
        heard(qtbot, lambda: bool(offers.all))
        do.moving.begin()
        heard(qtbot, lambda: bool(shown.all) and shown.last is not None)
        held = Held(monkeypatch, moving, "_space_state")
        do.session.space_changed.emit()
        heard(qtbot, held.has_read.is_set)
        do.moving.cancel()
        heard(qtbot, lambda: shown.last is None)
        known = len(shown)
        deliver(qtbot, held)
        assert not any(shown.all[known:])
