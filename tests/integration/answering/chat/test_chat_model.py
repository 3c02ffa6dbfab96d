"""The chat model over the wire, by a server that behaves and one that does not."""

import errno
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer, completion, declined, time_is_up_at
from tests.support.embedding_server import (
    Fault,
    Json,
    Reply,
    cut_body,
    dropped,
    elsewhere,
    garbled,
    json_reply,
    out_of_credit,
    silence,
    status,
    web_page,
)
from tests.support.llama_server import context_overflow, loading
from webrag_desktop.answering.chat.client import chat_address
from webrag_desktop.answering.chat.models import OpenAiChatModel
from webrag_desktop.errors import Cancelled, ChatError, ConfigurationError, WebragError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.reranking.prompt import schema_of
from webrag_desktop.servers.chat import ChatMessage, ChatReply, ContextOverflowError

MESSAGES = [
    ChatMessage("system", "Judge."),
    ChatMessage("user", json.dumps({"question": "tide", "passages": [{"id": 1, "text": "The tide 潮."}]})),
]
KEY = "sk-secret"
SCHEMA = schema_of(1)
TLS_FILE = Path(__file__).parents[3] / "data" / "tls" / "localhost.pem"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer("judge", key=KEY) as running:
        yield running


def model(server: ChatServer, name: str = "judge", key: str | None = KEY) -> OpenAiChatModel:
    return OpenAiChatModel(chat_address(server.url), name, key)


def ask(chat: OpenAiChatModel, seconds: float = 60.0, cancel: CancelToken | None = None) -> ChatReply:
    return chat.reply(MESSAGES, schema=SCHEMA, seconds=seconds, cancel=cancel)


def failure(server: ChatServer, fault: Fault) -> ChatError:
    server.misbehave(fault)
    with pytest.raises(ChatError) as raised:
        ask(model(server))
    assert KEY not in raised.value.message + raised.value.hint
    return raised.value


def test_the_question_goes_out_as_openai_describes_it(server: ChatServer) -> None:
    reply = ask(model(server))
    (payload,) = server.payloads
    assert payload["model"] == "judge"
    assert payload["messages"] == [{"role": one.role, "content": one.content} for one in MESSAGES]
    assert (payload["stream"], payload["temperature"]) == (False, 0)
    assert payload["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": SCHEMA.name, "strict": True, "schema": SCHEMA.schema},
    }
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(reply.text)["results"]["1"]["relevance_score"] == 100
    assert (reply.cut, reply.prompt_tokens is not None) == (False, True)


def test_without_a_schema_no_format_is_asked_for_and_without_a_key_none_is_sent() -> None:
    with ChatServer("judge") as server:
        model(server, key=None).reply(MESSAGES, seconds=60)
        assert "response_format" not in server.payloads[0]
        assert "authorization" not in server.received[0].headers


@pytest.mark.parametrize(
    ("refuses", "formats"),
    [
        ({"json_schema"}, ["json_schema", "json_object"]),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", None]),
        ({"temperature"}, ["json_schema", "json_schema"]),
        ({"maxLength"}, ["json_schema", "json_schema"]),
        ({"json_schema", "json_object", "temperature"}, ["json_schema", "json_object", None, None]),
    ],
)
def test_what_a_server_does_not_know_is_left_out_and_not_asked_for_again(
    refuses: set[str], formats: list[str | None]
) -> None:
    with ChatServer("judge", refuses=frozenset(refuses)) as server:
        chat = model(server)
        ask(chat)
        assert [one.get("response_format", {}).get("type") for one in server.payloads] == formats
        ask(chat)
        assert server.payloads[-1] == server.payloads[-2]
        assert ("temperature" in server.payloads[-1]) is ("temperature" not in refuses)
        lengths = "maxLength" in json.dumps(server.payloads[-1].get("response_format"))
        assert lengths is not bool({"maxLength", "json_schema"} & refuses)


def test_a_request_that_is_refused_in_any_form_is_reported_with_the_servers_words(server: ChatServer) -> None:
    server.misbehave(status(400, f"This model cannot do that.\n\x1b[2J {KEY}"), times=4)
    with pytest.raises(ChatError) as raised:
        ask(model(server))
    assert raised.value.message.endswith("refused the request.")
    assert "The server says: This model cannot do that." in raised.value.hint
    assert not {"\n", "\x1b"} & set(raised.value.hint)
    assert KEY not in raised.value.hint
    assert not raised.value.transient


@pytest.mark.parametrize(
    ("fault", "context", "sent"),
    [
        (lambda _: context_overflow(3031, 2048), 2048, 3031),
        (status(400, "This model's maximum context length is 4096 tokens."), 4096, None),
        (status(413), None, None),
    ],
)
def test_a_request_that_is_too_long_is_not_sent_again_in_another_form(
    server: ChatServer, fault: Fault, context: int | None, sent: int | None
) -> None:
    error = failure(server, fault)
    assert isinstance(error, ContextOverflowError)
    assert (error.context, error.sent, error.transient) == (context, sent, False)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("fault", "says", "transient"),
    [
        (status(401), "did not accept the API key", False),
        (status(403), "did not accept the API key", False),
        (status(404, 'model "judge" not found, try pulling it first'), "does not have this model", False),
        (status(404, "model not found", native=True), "does not have this model", False),
        (status(429, "Rate limit reached"), "too much to do", True),
        (status(503, "server busy, please try again", native=True), "too much to do", True),
        (status(500, "CUDA out of memory"), "failed", True),
        (loading, "still loading its model", True),
        (status(501, "This server does not support completions."), "does not chat", False),
        (status(402, "Insufficient Balance"), "no credit left", False),
        (out_of_credit, "no credit left", False),
        (web_page, "A web page answered", False),
        (garbled, "incomplete or garbled", True),
        (cut_body, "broke off", True),
        (dropped, "broke off", True),
        (declined, "declined to answer", False),
        (elsewhere("http://127.0.0.1:9/v1"), "sends us elsewhere", False),
        (lambda _: Reply(200, b"", {}), "incomplete or garbled", True),
        (lambda _: json_reply({"choices": []}), "incomplete or garbled", True),
        (lambda _: json_reply({"choices": [{"message": {"content": 7}}]}), "incomplete or garbled", True),
        (lambda _: json_reply({"error": {"message": "loading model"}}), "incomplete or garbled", True),
        (lambda _: completion("", finish_reason="content_filter"), "declined to answer", False),
    ],
)
def test_each_failure_has_words_of_its_own(
    server: ChatServer, fault: Fault, says: str, transient: bool
) -> None:
    error = failure(server, fault)
    assert says in error.message
    assert error.message.endswith(".")
    assert error.hint
    assert error.transient is transient


def test_the_time_that_a_busy_server_names_is_passed_on(server: ChatServer) -> None:
    assert failure(server, status(429, "slow down", retry_after="2")).retry_after == 2.0
    moment = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    wanted = failure(server, status(503, "slow down", retry_after=moment)).retry_after
    assert wanted is not None
    assert 3000 < wanted <= 3600


@pytest.mark.parametrize("kind", ["text/plain", "text/event-stream", ""])
def test_json_under_another_content_type_is_read_all_the_same(server: ChatServer, kind: str) -> None:
    def other_type(answer: Json) -> Reply:
        return Reply(200, json.dumps(answer).encode(), {"Content-Type": kind})

    server.misbehave(other_type)
    assert json.loads(ask(model(server)).text)


def test_a_reply_that_ran_out_of_tokens_says_so(server: ChatServer) -> None:
    server.misbehave(lambda _: completion('{"results": [', finish_reason="length"))
    assert ask(model(server)).cut


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "many"}, {"prompt_tokens": True}, {}])
def test_a_server_that_counts_nothing_is_fine(server: ChatServer, usage: object) -> None:
    server.misbehave(lambda answer: json_reply(answer | {"usage": usage}))
    assert ask(model(server)).prompt_tokens is None


def test_a_server_that_hangs_is_left_when_the_time_is_up(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.misbehave(silence)
    time_is_up_at(server.arrived, monkeypatch)
    with pytest.raises(ChatError, match="did not answer within 60 seconds") as raised:
        ask(model(server), seconds=60)
    assert raised.value.transient


def test_so_is_one_that_answers_drop_by_drop(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.misbehave(lambda answer: Reply(200, json.dumps(answer).encode(), drip=True))
    time_is_up_at(server.dripped, monkeypatch)
    with pytest.raises(ChatError, match="did not answer within 60 seconds"):
        ask(model(server), seconds=60)


def test_nothing_more_is_read_of_it_then_though_there_is_no_handle_to_shut_it_down(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: socket.socket) -> socket.socket:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket.socket, "dup", none_left)
    server.misbehave(lambda _: Reply(200, b" " * 10_000, drip=True))  # which takes a quarter of an hour
    time_is_up_at(server.dripped, monkeypatch)
    before = set(threading.enumerate())
    with pytest.raises(ChatError, match="did not answer"):
        ask(model(server), seconds=60)
    for thread in set(threading.enumerate()) - before:
        if thread.name == "chat request":
            thread.join(60)
            assert not thread.is_alive()


def test_a_wish_to_stop_ends_the_wait_for_an_answer_at_once(server: ChatServer) -> None:
    server.misbehave(silence)
    cancel, outcome = CancelToken(), []

    def asking() -> None:
        with pytest.raises(Cancelled):
            ask(model(server), seconds=3600, cancel=cancel)
        outcome.append("stopped")

    thread = threading.Thread(target=asking)
    thread.start()
    assert server.arrived.wait(30)
    cancel.cancel()
    thread.join(30)
    assert outcome == ["stopped"]
    with pytest.raises(Cancelled):
        ask(model(server), cancel=cancel)
    assert len(server.received) == 1


def asking_in_background(address: str, seconds: float, cancel: CancelToken) -> Future[ChatReply]:
    """The outcome of a question that a thread of its own asks."""
    outcome: Future[ChatReply] = Future()

    def asking() -> None:
        try:
            outcome.set_result(ask(OpenAiChatModel(chat_address(address), "judge"), seconds, cancel))
        except WebragError as error:
            outcome.set_exception(error)

    threading.Thread(target=asking, daemon=True).start()
    return outcome


class BlockedResolver:
    """Knows every name as loopback, but says so only once it is released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.released = threading.Event(), threading.Event()
        self.asking: threading.Thread | None = None
        self._really = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)

    def _look_up(self, host: str, port: int, *more: int) -> object:
        self.asking = threading.current_thread()
        self.asked.set()
        assert self.released.wait(30)
        return self._really("127.0.0.1", port, *more)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """Takes connections, and says nothing over them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        yield server


def test_a_wish_to_stop_does_not_wait_for_the_name_of_a_host(
    monkeypatch: pytest.MonkeyPatch, listening: socket.socket
) -> None:
    resolver, cancel = BlockedResolver(monkeypatch), CancelToken()
    outcome = asking_in_background(f"http://chat.lan:{listening.getsockname()[1]}", 3600, cancel)
    assert resolver.asked.wait(30)
    cancel.cancel()
    assert isinstance(outcome.exception(timeout=30), Cancelled)
    assert not resolver.released.is_set()
    resolver.released.set()
    with listening.accept()[0] as line:
        line.settimeout(30)
        assert line.recv(1) == b""  # a connection that is made after all is closed, and nothing sent over it
    assert resolver.asking is not None
    resolver.asking.join(30)
    assert not resolver.asking.is_alive()


def test_nor_does_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = BlockedResolver(monkeypatch)
    time_is_up_at(resolver.asked, monkeypatch)
    error = asking_in_background("http://chat.lan:9", 3600, CancelToken()).exception(timeout=30)
    assert isinstance(error, ChatError)
    assert (error.message, error.transient) == ("No chat server answers at http://chat.lan:9.", True)
    resolver.released.set()
    assert resolver.asking is not None
    resolver.asking.join(30)


def test_a_wish_to_stop_does_not_wait_for_the_keys_of_a_connection(listening: socket.socket) -> None:
    cancel = CancelToken()
    outcome = asking_in_background(f"https://127.0.0.1:{listening.getsockname()[1]}", 3600, cancel)
    with listening.accept()[0] as line:
        line.settimeout(30)
        assert line.recv(65536)  # the first that is said of keys; nobody replies
        cancel.cancel()
        assert isinstance(outcome.exception(timeout=30), Cancelled)
        while line.recv(65536):  # until the connection is closed, though no time was up
            pass


def test_an_answer_without_end_is_refused(server: ChatServer) -> None:
    server.misbehave(lambda _: completion("x" * (5 * 2**20)))
    with pytest.raises(ChatError, match="more than 4 MB"):
        ask(model(server))


@pytest.mark.parametrize("code", [408, 425, 502, 504])
def test_what_proxies_say_of_a_server_that_is_busy_may_pass(server: ChatServer, code: int) -> None:
    error = failure(server, status(code, "Not now"))
    assert "too much to do" in error.message
    assert error.transient


def test_a_server_in_the_house_is_not_asked_through_the_proxy_for_the_internet(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert ask(model(server)).text


def test_a_proxy_is_not_taken_for_the_server_that_it_leads_to(
    monkeypatch: pytest.MonkeyPatch, listening: socket.socket
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listening.getsockname()[1]}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("webrag_desktop.servers.client.CONNECT_SECONDS", 0.2)
    outcome = asking_in_background("https://chat.example.com", 3600, CancelToken())
    with listening.accept()[0] as line:
        assert line.recv(65536).startswith(b"CONNECT chat.example.com:443 ")
        line.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        error = outcome.exception(timeout=30)
    assert isinstance(error, ChatError)
    assert error.message == "No chat server answers at https://chat.example.com."


def test_a_server_that_does_not_prove_who_it_is_is_sent_nothing(listening: socket.socket) -> None:
    keys = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    keys.load_cert_chain(TLS_FILE)
    outcome = asking_in_background(f"https://localhost:{listening.getsockname()[1]}", 60, CancelToken())
    with listening.accept()[0] as line:
        line.settimeout(30)
        with pytest.raises((ssl.SSLError, ConnectionError)):
            keys.wrap_socket(line, server_side=True)
    error = outcome.exception(timeout=30)
    assert isinstance(error, ChatError)
    assert "does not prove by a certificate who it is" in error.message
    assert "SSL_CERT_FILE" in error.hint
    assert not error.transient


def test_where_nobody_listens_it_is_reported_and_not_tried_again() -> None:
    with ChatServer("judge") as server:
        gone = model(server)
    with pytest.raises(ChatError, match="No chat server answers") as raised:
        ask(gone)
    assert not raised.value.transient


def test_nor_is_a_host_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ChatError, match="No chat server answers") as raised:
        ask(OpenAiChatModel(chat_address("http://nobody.lan"), "judge"))
    assert not raised.value.transient


@pytest.mark.parametrize(
    ("written", "endpoint"),
    [
        ("localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions"),
        ("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/chat/completions"),
        ("example.org/api", "https://example.org/api/v1/chat/completions"),
    ],
)
def test_an_address_may_be_written_with_or_without_its_end(written: str, endpoint: str) -> None:
    assert chat_address(written).openai("chat/completions") == endpoint


@pytest.mark.parametrize("written", ["http://me:pass@host", "http://host/v1?key=1", "ftp://host", "http://"])
def test_an_address_that_is_none_is_reported_without_its_secrets(written: str) -> None:
    with pytest.raises(ConfigurationError, match="chat server's address") as raised:
        chat_address(written)
    assert "pass" not in raised.value.message.replace("password", "")
    assert "RETRIEVAL_RERANK_BASE_URL" in raised.value.hint


def test_a_proxy_that_cannot_be_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://proxy")
    chat = OpenAiChatModel(chat_address("https://chat.example.org"), "judge")
    with pytest.raises(ConfigurationError, match="proxy"):
        ask(chat)
