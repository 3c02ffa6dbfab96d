"""Whether the model that answers can be asked, as it is reported before anybody asks it anything."""

from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.embedding_server import Json
from tests.support.ollama_chat import OllamaChatServer
from webrag_desktop import DataFolder
from webrag_desktop.errors import Cancelled
from webrag_desktop.library.chat_model import open_chat_model
from webrag_desktop.models.stack import ChatStatus
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import ChatMessage, ChatRequest


def status(home: Path, server: ChatServer | None = None, **settings: object) -> ChatStatus:
    where = {"CHAT_BASE_URL": server.url} if server else {}
    return DataFolder.at(home, **where, **settings).chat_status()


def test_without_a_model_it_is_reported_how_one_is_set_up_and_nobody_is_asked(tmp_path: Path) -> None:
    with ChatServer("judge") as server:
        found = status(tmp_path, server)
        assert server.looked_up == []
    assert (found.state, found.model, found.name) == ("not set up", None, "")
    for reported in (
        "https://ollama.com",
        "ollama pull ",
        "CHAT_MODEL=",
        str(tmp_path / ".env"),
        "CHAT_BASE_URL",
    ):
        assert reported in found.remedy


def test_a_model_that_ollama_holds_is_ready_with_its_size(tmp_path: Path) -> None:
    with OllamaChatServer("llama3.1", version="0.12.6") as server:
        found = status(tmp_path, server, CHAT_MODEL="llama3.1")
        assert (found.state, found.name, found.version) == ("ready", "llama3.1 8B", "0.12.6")
        assert found.address == server.url
        assert server.received == []  # nothing is asked of the model
        server.pulled = ["qwen3:8b"]
        assert status(tmp_path, server, CHAT_MODEL="qwen3:8b").name == "qwen3:8b"


@pytest.mark.parametrize("pulled", [[], ["llama3.1:70b"]])
def test_one_that_it_does_not_hold_is_missing_with_how_to_fetch_it(tmp_path: Path, pulled: list[str]) -> None:
    with OllamaChatServer("llama3.1") as server:
        server.pulled = pulled
        found = status(tmp_path, server, CHAT_MODEL="llama3.1")
    assert (found.state, found.model) == ("model missing", "llama3.1")
    assert found.remedy.startswith("Fetch it with: ollama pull llama3.1.")


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ([{"id": "judge"}], "ready"),
        ([{"id": "other"}, {"id": "judge"}], "ready"),
        ([{"id": "other", "aliases": ["judge"]}], "ready"),
        ([{"id": "/models/other.gguf", "owned_by": "llamacpp"}], "ready"),  # whatever it is called
        ([{"id": "other"}], "model missing"),
        ([{"id": "other"}, {"id": "more\n"}, {"id": "third"}, {"id": "fourth"}], "model missing"),
        ([], "ready"),
    ],
)
def test_of_other_servers_their_list_is_believed(tmp_path: Path, rows: list[Json], state: str) -> None:
    with ChatServer("judge") as server:
        server.lists_as = {"/v1/models": {"object": "models", "data": rows}}
        found = status(tmp_path, server, CHAT_MODEL="judge")
    assert found.state == state
    if len(rows) == 4:
        assert found.remedy.startswith(
            "It lists other, more, third and others. Name one of them in CHAT_MODEL"
        )


def test_a_server_that_keeps_no_list_is_taken_to_be_ready(tmp_path: Path) -> None:
    with ChatServer("judge", lists=False) as server:
        assert status(tmp_path, server, CHAT_MODEL="judge").state == "ready"


def test_one_that_is_away_or_refuses_the_key_is_reported_and_not_raised(tmp_path: Path) -> None:
    with ChatServer("judge", key="sk-right") as server:
        server.guards_list = True
        found = status(tmp_path, server, CHAT_MODEL="judge", CHAT_API_KEY="sk-wrong")
        assert (found.state, found.remedy) == ("failing", "Check CHAT_API_KEY.")
        assert status(tmp_path, server, CHAT_MODEL="judge", CHAT_API_KEY="sk-right").state == "ready"
    found = status(tmp_path, server, CHAT_MODEL="judge")
    assert (found.state, found.model) == ("does not answer", "judge")
    assert found.detail == f"No chat server answers at {server.url}."
    assert status(tmp_path, CHAT_MODEL="judge", CHAT_BASE_URL="http://me:secret@host").state == "failing"
    assert status(tmp_path, CHAT_MODEL="judge", CHAT_API_KEY="schlüssel").remedy == "Copy CHAT_API_KEY again."


def test_a_wish_to_stop_is_heard(tmp_path: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with ChatServer("judge") as server, pytest.raises(Cancelled):
        DataFolder.at(tmp_path, CHAT_MODEL="judge", CHAT_BASE_URL=server.url).chat_status(cancel)


def test_the_model_that_answers_is_the_one_that_the_settings_name_and_the_key_goes_to_its_server(
    tmp_path: Path,
) -> None:
    assert open_chat_model(DataFolder.at(tmp_path).settings) is None
    with OllamaChatServer("llama3.1", answers=lambda _: "Yes.") as server, ChatServer("judge") as judge:
        settings = DataFolder.at(
            tmp_path,
            CHAT_MODEL="llama3.1",
            CHAT_BASE_URL=server.url,
            CHAT_API_KEY="sk-secret",
            CHAT_CONTEXT_TOKENS=5000,
            RETRIEVAL_RERANK_MODEL="judge",
            RETRIEVAL_RERANK_BASE_URL=judge.url,
        ).settings
        chat = open_chat_model(settings)
        assert chat is not None
        assert (chat.name, chat.context_tokens()) == ("llama3.1", 5000)
        assert [*chat.stream(ChatRequest([ChatMessage("user", "Ebb?")]), seconds=60)]
        asked = [*server.received, *server.looked_up]
        assert {one.headers.get("authorization") for one in asked} == {"Bearer sk-secret"}
        assert judge.received == judge.looked_up == []
