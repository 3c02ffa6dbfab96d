"""How much a chat server says that it reads at once."""

from collections.abc import Iterator

import pytest

from tests.support.chat_server import ChatServer
from tests.support.embedding_server import Json
from webrag_desktop.answering.chat.client import chat_address
from webrag_desktop.answering.chat.models import OpenAiChatModel
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken

KEY = "sk-secret"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer("judge", key=KEY) as running:
        yield running


def model(server: ChatServer) -> OpenAiChatModel:
    return OpenAiChatModel(chat_address(server.url), "judge", KEY)


def looked_up(server: ChatServer, answer: Json, *, ollama: Json | None = None) -> int | None:
    """What is read of a list, and of Ollama's other one."""
    server.lists_as = {"/v1/models": answer, "/api/ps": ollama}
    return model(server).context_tokens()


@pytest.mark.parametrize(
    ("row", "tokens"),
    [
        ({"id": "judge", "meta": {"n_ctx": 2048, "n_ctx_train": 8192}}, 2048),
        ({"id": "/models/other.gguf", "meta": {"n_ctx": 2048}}, 2048),
        ({"id": "judge", "max_model_len": 32768}, 32768),
        ({"id": "judge", "meta": {"n_ctx": True}}, None),
        ({"id": "judge", "meta": None}, None),
        ({"id": "judge"}, None),
    ],
)
def test_a_server_tells_how_much_it_reads(server: ChatServer, row: Json, tokens: int | None) -> None:
    assert looked_up(server, {"data": [row]}) == tokens
    assert server.looked_up[0].headers["authorization"] == f"Bearer {KEY}"


def test_of_several_models_only_the_one_that_is_meant_counts(server: ChatServer) -> None:
    others = [{"id": "other", "meta": {"n_ctx": 1}}, {"id": "more", "max_model_len": 2}]
    named = {"id": "a", "aliases": ["b", "judge"], "meta": {"n_ctx": 512}}
    assert looked_up(server, {"data": others}) is None
    assert looked_up(server, {"data": [*others, named]}) == 512


@pytest.mark.parametrize(
    ("running", "tokens"),
    [
        ([{"name": "judge:latest", "context_length": 32768}], 32768),
        ([{"name": "judge:8b", "context_length": 32768}], 4096),
        ([{"name": "judge:latest"}], 4096),
        ([], 4096),
    ],
)
def test_ollama_tells_it_of_what_is_loaded(server: ChatServer, running: list[Json], tokens: int) -> None:
    listed = {"data": [{"id": "judge:latest", "owned_by": "library"}]}
    assert looked_up(server, listed, ollama={"models": running}) == tokens


@pytest.mark.parametrize("answer", [{}, {"data": 7}, {"data": [7]}, {"data": []}, [], "models"])
def test_a_list_that_is_none_tells_nothing(server: ChatServer, answer: Json) -> None:
    assert looked_up(server, answer) is None


def test_nor_does_a_server_without_one_or_one_that_is_away_or_not_in_this_house() -> None:
    with ChatServer("judge", lists=False) as server:
        assert model(server).context_tokens() is None
    assert model(server).context_tokens() is None
    assert OpenAiChatModel(chat_address("https://chat.example.com"), "judge").context_tokens() is None


def test_a_wish_to_stop_is_heard_while_a_server_is_looked_at(server: ChatServer) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        model(server).context_tokens(cancel)
