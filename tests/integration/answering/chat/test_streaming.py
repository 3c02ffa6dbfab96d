"""Answers that come piece by piece, by a server that behaves and one that does not."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer, declined, time_is_up_at
from tests.support.chat_streams import (
    Change,
    cut,
    dripping,
    ends_early,
    fails,
    finished,
    paused,
    refusing,
    sends,
    silent,
    streamed,
    thinking,
    unfinished,
)
from tests.support.embedding_server import (
    Fault,
    cut_body,
    dropped,
    elsewhere,
    garbled,
    silence,
    status,
    web_page,
)
from tests.support.llama_server import context_overflow, loading
from tests.support.ollama_chat import OllamaChatServer
from tests.support.reranking import PassingTime
from webrag_desktop.answering.chat.client import chat_address
from webrag_desktop.answering.chat.errors import ANSWERING
from webrag_desktop.answering.chat.models import ServedChatModel
from webrag_desktop.errors import Cancelled, ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import (
    ChatEnd,
    ChatImage,
    ChatMessage,
    ChatPiece,
    ChatRequest,
    ChatText,
    ContextOverflowError,
    JsonSchema,
    LateReplyError,
)
from webrag_desktop.servers.retries import RetryPolicy

MESSAGES = (ChatMessage("system", "Point at sentences."), ChatMessage("user", "Wann ist Ebbe? 潮 \ud83d"))
_TEXT = {"type": "string", "maxLength": 9}
SCHEMA = JsonSchema(
    "claims", {"type": "object", "properties": {"claims": {"type": "array", "items": _TEXT, "minItems": 1}}}
)
REQUEST = ChatRequest(MESSAGES, SCHEMA, most_tokens=300)
# With characters that end a line for some, but not in JSON.
SAID = '{"claims": [{"text": "Um 6 Uhr 潮.\u2028\u0085", "ids": ["s1"]}]}'
KEY = "sk-secret"
TLS_FILE = Path(__file__).parents[3] / "data" / "tls" / "localhost.pem"
Server = ChatServer | OllamaChatServer


@pytest.fixture
def openai() -> Iterator[ChatServer]:
    with ChatServer("judge", answers=lambda _: SAID, key=KEY) as running:
        yield running


@pytest.fixture
def ollama() -> Iterator[OllamaChatServer]:
    with OllamaChatServer("llama3.1", answers=lambda _: SAID) as running:
        yield running


@pytest.fixture(params=["openai", "ollama"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


def model(server: Server, context: int | None = None, time: PassingTime | None = None) -> ServedChatModel:
    passing = time or PassingTime()
    return ServedChatModel(
        chat_address(server.url, ANSWERING),
        server.model,
        KEY,
        context,
        RetryPolicy(clock=passing.clock, wait=passing.rest),
    )


def asked(
    chat: ServedChatModel,
    request: ChatRequest = REQUEST,
    *,
    seconds: float = 60.0,
    cancel: CancelToken | None = None,
) -> list[ChatPiece]:
    return list(chat.stream(request, seconds=seconds, cancel=cancel))


def text_of(pieces: list[ChatPiece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, ChatText))


def end_of(pieces: list[ChatPiece]) -> ChatEnd:
    *_, end = pieces
    assert isinstance(end, ChatEnd)
    return end


def failure(server: Server, fault: Fault, request: ChatRequest = REQUEST) -> tuple[ChatError, str]:
    """What went wrong, and what had been said by then; what may pass goes wrong each time."""
    server.misbehave(fault, times=4)
    said: list[ChatPiece] = []
    with pytest.raises(ChatError) as raised:
        said.extend(model(server).stream(request, seconds=60))
    error = raised.value
    assert KEY not in error.message + error.hint
    assert "RERANK" not in error.message + error.hint
    assert error.message.endswith(".")
    assert error.hint
    return error, text_of(said)


# -- What goes over the wire ----------------------------------------------------------------------------------


def test_the_question_goes_out_as_openai_describes_it_and_the_answer_comes_in_pieces(
    openai: ChatServer,
) -> None:
    pieces = asked(model(openai))
    assert text_of(pieces) == SAID
    assert len(pieces) > 10
    assert end_of(pieces) == ChatEnd(cut=False, prompt_tokens=8, reply_tokens=9)
    (payload,) = openai.payloads
    assert payload == {
        "model": "judge",
        "messages": [
            {"role": "system", "content": "Point at sentences."},
            {"role": "user", "content": "Wann ist Ebbe? 潮 \ufffd"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.0,
        "max_tokens": 300,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "claims", "strict": True, "schema": SCHEMA.schema},
        },
    }
    assert openai.received[0].headers["authorization"] == f"Bearer {KEY}"


def test_ollama_is_asked_by_its_own_interface_how_much_to_make_room_for(ollama: OllamaChatServer) -> None:
    pieces = asked(model(ollama))
    assert text_of(pieces) == SAID
    assert end_of(pieces) == ChatEnd(cut=False, prompt_tokens=8, reply_tokens=9)
    (request,) = ollama.received
    assert request.path == "/api/chat"
    assert request.payload == {
        "model": "llama3.1",
        "messages": [
            {"role": "system", "content": "Point at sentences."},
            {"role": "user", "content": "Wann ist Ebbe? 潮 \ufffd"},
        ],
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": 4096, "temperature": 0.0, "num_predict": 300},
        "format": SCHEMA.schema,
    }


def test_what_is_not_given_is_not_asked_for(server: Server) -> None:
    asked(model(server), ChatRequest(MESSAGES, temperature=None))
    names = {"response_format", "format", "temperature", "max_tokens"}
    assert not names & set(server.payloads[0])
    assert server.payloads[0].get("options", {}).keys() <= {"num_ctx"}


def test_pictures_go_with_the_last_message(openai: ChatServer) -> None:
    pictures = (ChatImage(b"\x89PNG", "image/png"), ChatImage(b"JPEG", "image/jpeg"))
    asked(model(openai), ChatRequest(MESSAGES, images=pictures))
    assert openai.payloads[0]["messages"][1]["content"] == [
        {"type": "text", "text": "Wann ist Ebbe? 潮 \ufffd"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,SlBFRw=="}},
    ]
    with OllamaChatServer("llava", can=("completion", "vision"), answers=lambda _: SAID) as seeing:
        asked(model(seeing), ChatRequest(MESSAGES, images=pictures))
        assert seeing.payloads[0]["messages"][1]["images"] == ["iVBORw==", "SlBFRw=="]


def test_a_model_that_takes_no_pictures_is_refused() -> None:
    picture = ChatRequest(MESSAGES, images=(ChatImage(b"\x89PNG", "image/png"),))
    blind = ChatServer("judge", refuses=frozenset({"images"}), answers=lambda _: SAID)
    for server in (blind, OllamaChatServer(answers=lambda _: SAID)):
        with server, pytest.raises(ChatError, match="takes no pictures") as raised:
            asked(model(server), picture)
        assert "CHAT_IMAGES" in raised.value.hint
        assert len(server.received) == 1


@pytest.mark.parametrize(
    ("refuses", "requests"),
    [
        ({"json_schema"}, 2),
        ({"json_schema", "json_object"}, 3),
        ({"temperature"}, 2),
        ({"maxLength"}, 2),
        ({"minItems"}, 2),
        ({"stream_options"}, 2),
        ({"max_tokens"}, 2),
        ({"json_schema", "json_object", "temperature", "stream_options", "max_tokens"}, 6),
    ],
)
def test_what_a_server_does_not_know_is_left_out_and_not_asked_for_again(
    refuses: set[str], requests: int
) -> None:
    with ChatServer("judge", refuses=frozenset(refuses), answers=lambda _: SAID) as server:
        chat = model(server)
        assert text_of(asked(chat)) == SAID
        assert len(server.received) == requests
        asked(chat)
        assert len(server.received) == requests + 1
        assert server.payloads[-1] == server.payloads[-2]
        left = server.payloads[-1]
        assert not refuses & {*left, left.get("response_format", {}).get("type")}
        if refuses <= {"maxLength", "minItems"}:
            assert left["response_format"]["type"] == "json_schema"
        assert ("max_completion_tokens" in left) is ("max_tokens" in refuses)


def test_an_ollama_that_knows_no_schema_is_asked_for_json() -> None:
    with OllamaChatServer(refuses=frozenset({"json_schema"}), answers=lambda _: SAID) as server:
        assert text_of(asked(model(server))) == SAID
        assert [payload["format"] for payload in server.payloads] == [SCHEMA.schema, "json"]


def test_a_server_that_does_not_stream_says_all_at_once(openai: ChatServer) -> None:
    openai.streams = False
    assert asked(model(openai)) == [ChatText(SAID), ChatEnd(cut=False, prompt_tokens=8, reply_tokens=9)]


# -- Streams as they really are -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        (dripping,),
        (thinking("Low tide, hm <think> hm."),),
        (thinking("Low tide, hm.", aloud=True),),
        (thinking("Low tide, hm.", aloud=True), dripping),
        (thinking("", aloud=True),),
    ],
)
def test_only_what_is_said_is_reported_however_it_comes(server: Server, changes: tuple[Change, ...]) -> None:
    server.misbehave(streamed(*changes))
    assert text_of(asked(model(server))) == SAID


@pytest.mark.parametrize(
    "between",
    [
        b": OPENROUTER PROCESSING\n\n",
        b"event: ping\r\nid: 7\r\nretry: 9\r\n\r\n",
        b":\n",
        b"\n\n",
        b'data: {"choices": []}\n\n',
    ],
)
def test_what_stands_between_events_is_passed_over(openai: ChatServer, between: bytes) -> None:
    openai.misbehave(streamed(sends(between, 0), sends(between, 3), dripping))
    assert text_of(asked(model(openai))) == SAID


def test_a_model_that_writes_of_thoughts_later_is_not_cut_short(server: Server) -> None:
    said = "He said <think>no</think>."
    server.answers = lambda _: said
    assert text_of(asked(model(server))) == said
    server.answers = lambda _: "  <thin ice"
    assert text_of(asked(model(server))) == "  <thin ice"


def test_a_reply_that_ran_out_of_tokens_says_so(server: Server) -> None:
    server.misbehave(streamed(finished("length")))
    assert end_of(asked(model(server))).cut


def test_a_model_that_only_thought_until_it_had_to_stop_is_reported(server: Server) -> None:
    server.answers = lambda _: ""
    for aloud in (False, True):
        error, _ = failure(server, streamed(thinking("Hm, let me see.", aloud=aloud), finished("length")))
        assert "used all that it may write for thinking" in error.message
        assert "CHAT_REPLY_TOKENS" in error.hint


def test_a_stream_that_ends_without_its_last_word_but_said_why_is_whole(openai: ChatServer) -> None:
    openai.misbehave(streamed(lambda pieces: [*pieces, *ends_early(0)([])]))
    assert text_of(asked(model(openai))) == SAID
    openai.misbehave(streamed(unfinished))
    assert text_of(asked(model(openai))) == SAID


def test_a_server_that_counts_nothing_is_fine(server: Server) -> None:
    server.misbehave(streamed(finished(counted=None)))
    assert end_of(asked(model(server))).prompt_tokens is None


# -- What goes wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "says", "said"),
    [
        (streamed(cut(3)), "broke off", SAID[:12]),
        (streamed(cut(0)), "broke off", ""),
        (streamed(ends_early(3)), "broke off", SAID[:12]),
        (streamed(fails("CUDA out of memory", 3)), "failed", SAID[:12]),
        (streamed(sends(b"data: {\n\n{\n", 3)), "incomplete or garbled", SAID[:12]),
        (streamed(sends(b"data: 7\n\n7\n", 3)), "incomplete or garbled", SAID[:12]),
        (dropped, "broke off", ""),
        (cut_body, "broke off", ""),
        (garbled, "incomplete or garbled", ""),
        (web_page, "A web page answered", ""),
        (elsewhere("http://127.0.0.1:9/v1"), "sends us elsewhere", ""),
        (status(401), "did not accept the API key", ""),
        (status(402, "Insufficient Balance"), "no credit left", ""),
        (status(501, "This server does not support completions."), "does not chat", ""),
        (status(400, '"nomic-embed-text" does not support chat'), "does not chat", ""),
    ],
)
def test_each_failure_has_words_of_its_own_and_what_was_said_stands(
    server: Server, fault: Fault, says: str, said: str
) -> None:
    error, reported = failure(server, fault)
    assert says in error.message
    assert reported == said


def test_the_key_that_is_refused_is_that_of_answers(openai: ChatServer) -> None:
    error, _ = failure(openai, status(401))
    assert error.hint == "Check CHAT_API_KEY."


def test_the_words_of_a_server_that_fails_are_reported(server: Server) -> None:
    error, _ = failure(server, streamed(fails("CUDA out of\nmemory", 3)))
    assert "The server says: CUDA out of memory." in error.hint


@pytest.mark.parametrize("fault", [declined, streamed(refusing()), streamed(finished("content_filter"))])
def test_a_model_that_will_not_answer_is_reported(openai: ChatServer, fault: Fault) -> None:
    error, _ = failure(openai, fault)
    assert error.message == "The chat model declined to answer."
    assert "CHAT_MODEL" in error.hint


def test_a_model_that_is_not_there_is_reported_with_how_to_get_it(
    openai: ChatServer, ollama: OllamaChatServer
) -> None:
    openai.model, ollama.pulled = "other", []
    chat = ServedChatModel(chat_address(openai.url), "judge", KEY)
    with pytest.raises(ChatError, match="does not have this model or endpoint") as raised:
        asked(chat)
    assert "CHAT_MODEL" in raised.value.hint
    with pytest.raises(ChatError, match=r"Ollama at .* does not have the model llama3\.1\.") as raised:
        asked(model(ollama))
    assert raised.value.hint == "Fetch it with: ollama pull llama3.1. Or name another one in CHAT_MODEL."


@pytest.mark.parametrize(
    "fault",
    [
        lambda _: context_overflow(3031, 2048),
        status(
            400,
            "This model's maximum context length is 2048 tokens. However, your messages resulted in 3031 tokens.",
        ),
        streamed(
            fails("request (3031 tokens) exceeds the available context size (2048 tokens)", 0, code=400)
        ),
    ],
)
def test_what_is_too_long_is_reported_with_the_sizes_and_not_sent_again(
    openai: ChatServer, fault: Fault
) -> None:
    error, _ = failure(openai, fault)
    assert isinstance(error, ContextOverflowError)
    assert error.context == 2048
    assert "CHAT_CONTEXT_TOKENS" in error.hint
    assert len(openai.received) == 1


# -- Waiting --------------------------------------------------------------------------------------------------


def test_a_server_that_is_busy_or_loads_its_model_is_waited_for(server: Server) -> None:
    time = PassingTime()
    server.misbehave(status(503, "server busy, please try again"), status(429, "slow down", retry_after="7"))
    server.misbehave(loading, times=6)
    assert text_of(asked(model(server, time=time))) == SAID
    assert 7.0 in time.rests


def test_but_not_beyond_the_longest_silence(server: Server) -> None:
    time = PassingTime()
    server.misbehave(status(429, "slow down", retry_after="61"))
    with pytest.raises(ChatError, match="too much to do") as raised:
        asked(model(server, time=time))
    assert (time.rests, raised.value.retry_after) == ([], 61.0)
    server.misbehave(loading, times=100)
    with pytest.raises(ChatError, match="still loading its model"):
        asked(model(server, time=time))
    assert 50 < time.now < 60


def test_what_broke_off_before_a_word_was_said_is_asked_again_and_later_not(server: Server) -> None:
    server.misbehave(dropped, streamed(cut(0)))
    assert text_of(asked(model(server))) == SAID
    before = len(server.received)
    server.misbehave(streamed(cut(1)))
    with pytest.raises(ChatError, match="broke off"):
        asked(model(server))
    assert len(server.received) == before + 1


def test_a_server_that_says_nothing_is_left_when_the_time_is_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = model(server)
    asked(chat)
    server.arrived.clear()
    server.misbehave(silence)
    time_is_up_at(server.arrived, monkeypatch)
    with pytest.raises(LateReplyError, match="did not answer within 60 seconds") as raised:
        asked(chat)
    assert "CHAT_TIMEOUT" in raised.value.hint


def test_a_stream_without_end_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webrag_desktop.answering.chat.client.MOST_STREAM_BYTES", 2 * 2**20)
    server.answers = lambda _: "x" * 100_000  # in thousands of pieces, each wrapped in some hundred bytes
    with pytest.raises(ChatError, match="answers with more than 2 MB"):
        asked(model(server))


def test_silence_in_the_middle_ends_the_answer_and_the_connection(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, three = model(server), threading.Event()
    asked(chat)
    server.misbehave(streamed(silent(3)))
    time_is_up_at(three, monkeypatch)
    pieces = chat.stream(REQUEST, seconds=60)
    said = [next(pieces), next(pieces), next(pieces)]
    three.set()
    with pytest.raises(LateReplyError, match="fell silent in the middle of its answer, for 60 seconds"):
        next(pieces)
    assert text_of(said) == SAID[:12]
    assert server.left.wait(30)


def test_a_long_answer_may_take_longer_than_any_silence(server: Server) -> None:
    chat, first, then = model(server), threading.Event(), threading.Event()
    server.misbehave(streamed(paused(first, 2), paused(then, 5)))
    pieces = chat.stream(REQUEST, seconds=60)
    assert text_of([next(pieces), next(pieces)]) == SAID[:8]  # before the server goes on
    first.set()
    assert text_of([next(pieces), next(pieces), next(pieces)]) == SAID[8:20]
    then.set()
    assert text_of(list(pieces)) == SAID[20:]


def leave_by_cancelling(pieces: Iterator[ChatPiece], cancel: CancelToken) -> None:
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(pieces)


def leave_by_closing(pieces: Iterator[ChatPiece], _cancel: CancelToken) -> None:
    pieces.close()  # type: ignore[attr-defined]  # a generator


@pytest.mark.parametrize("leave", [leave_by_cancelling, leave_by_closing])
def test_leaving_an_answer_ends_the_connection_so_that_the_server_stops(
    server: Server, leave: Callable[[Iterator[ChatPiece], CancelToken], None]
) -> None:
    cancel = CancelToken()
    server.misbehave(streamed(silent(2)))
    pieces = model(server).stream(REQUEST, seconds=3600, cancel=cancel)
    assert text_of([next(pieces), next(pieces)]) == SAID[:8]
    assert not server.left.is_set()
    leave(pieces, cancel)
    assert server.left.wait(30)


def test_a_wish_to_stop_is_heard_in_the_middle_of_a_silence(server: Server) -> None:
    cancel, reported = CancelToken(), []
    server.misbehave(streamed(silent(2)))
    pieces = model(server).stream(REQUEST, seconds=3600, cancel=cancel)
    assert text_of([next(pieces), next(pieces)]) == SAID[:8]

    def waiting() -> None:
        with pytest.raises(Cancelled):
            next(pieces)
        reported.append("stopped")

    thread = threading.Thread(target=waiting)
    thread.start()
    cancel.cancel()
    thread.join(30)
    assert reported == ["stopped"]
    assert server.left.wait(30)


def test_a_wish_to_stop_ends_the_wait_for_a_busy_server(server: Server) -> None:
    cancel = CancelToken()
    server.misbehave(loading, times=100)
    chat = ServedChatModel(chat_address(server.url), server.model, KEY)

    def cancelling() -> None:
        assert server.arrived.wait(30)
        cancel.cancel()

    thread = threading.Thread(target=cancelling)
    thread.start()
    with pytest.raises(Cancelled):
        asked(chat, seconds=3600, cancel=cancel)
    thread.join()


def test_where_nobody_listens_it_is_reported_at_once() -> None:
    with ChatServer("judge") as server:
        gone = model(server)
    with pytest.raises(ChatError, match="No chat server answers") as raised:
        asked(gone)
    assert raised.value.hint == "Start the server. Check CHAT_BASE_URL."


def test_a_name_that_no_computer_has_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ChatError, match="no computer of that name was found") as raised:
        asked(ServedChatModel(chat_address("http://nobody.lan"), "judge"))
    assert raised.value.hint.startswith("Check CHAT_BASE_URL.")


def test_a_server_that_does_not_prove_who_it_is_is_sent_nothing() -> None:
    keys = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    keys.load_cert_chain(TLS_FILE)

    def offering(listening: socket.socket) -> None:
        with listening.accept()[0] as line, pytest.raises((ssl.SSLError, ConnectionError)):
            keys.wrap_socket(line, server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=offering, args=(listening,))
        thread.start()
        chat = ServedChatModel(chat_address(f"https://localhost:{listening.getsockname()[1]}"), "judge")
        with pytest.raises(ChatError, match="does not prove by a certificate who it is") as raised:
            asked(chat)
        thread.join(30)
    assert "CHAT_BASE_URL" in raised.value.hint
    assert "SSL_CERT_FILE" in raised.value.hint


# -- How much a model reads -----------------------------------------------------------------------------------

LONG = ChatRequest((ChatMessage("user", "tide " * 3000),), most_tokens=300)


@pytest.mark.parametrize(
    ("reported", "set_by_user", "context"),
    [
        ({}, None, 8192),
        ({"trained": 6000}, None, 6000),
        ({}, 5000, 5000),
        ({"loaded": 4096}, None, 8192),
        ({"loaded": 10_000}, None, 10_000),  # another size would have it loaded again
        ({"loaded": 65_536}, None, 65_536),
        ({"loaded": 65_536}, 16_384, 8192),
    ],
)
def test_ollama_makes_room_for_what_is_sent(
    reported: dict[str, int], set_by_user: int | None, context: int
) -> None:
    with OllamaChatServer(answers=lambda _: SAID, **reported) as server:  # type: ignore[arg-type]
        asked(model(server, set_by_user), LONG)
        assert server.payloads[0]["options"]["num_ctx"] == context


@pytest.mark.parametrize(
    ("version", "strict", "words"),
    [("0.12.6", True, "has too small a context"), ("0.11.0", False, "read only a part of what it was sent")],
)
def test_what_ollama_does_not_read_is_never_passed_over(version: str, strict: bool, words: str) -> None:
    with OllamaChatServer(answers=lambda _: SAID, version=version, strict=strict) as server:
        with pytest.raises(ContextOverflowError, match=words) as raised:
            asked(model(server, 600), LONG)
        assert raised.value.context == 600
        assert "CHAT_CONTEXT_TOKENS" in raised.value.hint


def test_a_low_count_of_ollamas_tells_of_a_cut_only_where_it_counts_all() -> None:
    for version, cut_off in (("0.1.48", False), ("0.12.5", True), ("0.13.0", False), ("0.33.2", False)):
        with OllamaChatServer(answers=lambda _: SAID, version=version, caches=True) as server:
            chat = model(server)
            asked(chat, LONG)
            if cut_off:
                with pytest.raises(ContextOverflowError, match="only a part"):
                    asked(chat, LONG)
            else:
                assert end_of(asked(chat, LONG)).prompt_tokens == 1


def test_what_another_server_did_not_read_is_not_passed_over(openai: ChatServer) -> None:
    openai.reads = 100
    with pytest.raises(ContextOverflowError, match="read only a part"):
        asked(model(openai), LONG)


@pytest.mark.parametrize(
    ("server", "set_by_user", "tokens"),
    [
        (ChatServer("judge", context=2048), None, 2048),
        (ChatServer("judge", context=2048), 1024, 1024),
        (ChatServer("judge", context=2048), 9999, 2048),
        (ChatServer("judge"), None, None),
        (ChatServer("judge"), 9999, 9999),
        (ChatServer("judge", lists=False), 9999, 9999),
        (OllamaChatServer(), None, 32_768),
        (OllamaChatServer(trained=8192), None, 8192),
        (OllamaChatServer(loaded=65_536), None, 65_536),
        (OllamaChatServer(), 100_000, 100_000),
        (OllamaChatServer(trained=8192), 100_000, 8192),
    ],
)
def test_how_much_is_read_is_what_the_server_tells_within_what_the_user_set(
    server: Server, set_by_user: int | None, tokens: int | None
) -> None:
    with server:
        assert model(server, set_by_user).context_tokens() == tokens


@pytest.mark.parametrize(
    ("server", "sight"),
    [
        (ChatServer("judge", sees=True), "sees"),
        (ChatServer("judge", sees=False), "blind"),
        (ChatServer("judge"), "unknown"),
        (OllamaChatServer(can=("completion", "vision")), "sees"),
        (OllamaChatServer(), "blind"),
        (OllamaChatServer(can=()), "unknown"),
    ],
)
def test_whether_a_model_sees_is_what_the_server_tells(server: Server, sight: str) -> None:
    with server:
        assert model(server).sight() == sight
    away = model(server)
    assert (away.sight(), away.context_tokens()) == ("unknown", None)


def test_a_thinking_model_of_ollamas_is_asked_to_answer_at_once() -> None:
    with OllamaChatServer(can=("completion", "thinking"), answers=lambda _: SAID) as server:
        asked(model(server))
        assert server.payloads[0]["think"] is False
