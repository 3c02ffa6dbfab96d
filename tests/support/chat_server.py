"""A stand-in chat server on loopback that speaks ``/v1/chat/completions`` as OpenAI and Ollama do, and can misbehave.

    with ChatServer("judge") as server:
        server.misbehave(says(fenced))
        ... OpenAiChatModel(chat_address(server.url), "judge")
        assert server.asked[-1]["question"] == "when is low tide"

    with ChatServer("llama3.1", answers=lambda payload: '{"claims": []}') as server:
        server.misbehave(streamed(thinking("Hm."), cut(after=2)))

Without ``answers`` it judges passages by how many of the question's words stand in them, in the form that it is asked
for: each by the rubric, the best of a list, or the better of two. A fault takes the place of the
next good answer; it may look at the good answer, a whole one, and spoil it. Where a stream was asked for, what a fault
says is streamed, too; :func:`~tests.support.chat_streams.streamed` says how. One with a ``context`` says what
llama.cpp's server was heard to say; ``ollama_chat.py`` has one that is Ollama.
"""

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self

import pytest

from tests.support.chat_streams import (
    Piece,
    StreamedReply,
    openai_stream,
    pieces_of,
)
from tests.support.embedding_server import Fault, HttpServer, Received, Reply, error_reply, json_reply
from tests.support.llama_server import context_overflow
from webrag_desktop.servers import interruption

Json = dict[str, Any]
Answers = Callable[[Json], str]
PATH = "/v1/chat/completions"


class ChatServer:
    """Offers one model until the ``with`` block ends.

    ``answers`` says what the model answers to a request. ``key``: requests without it get 401. ``refuses``: what of a
    request it does not know (``json_schema``, ``json_object``, ``temperature``, ``maxLength``, ``minItems``,
    ``stream_options``, ``max_tokens``, ``images``) and answers with 400. ``reads``: how many tokens it reads, as
    Ollama, which drops the rest without a word. ``context``: how many it reads and writes, as llama.cpp, which refuses
    more and stops where it ends; it ``lists`` that unless told not to. Tokens are words. ``sees``: what its ``/props``
    tell of pictures, None where there are none.
    """

    def __init__(
        self,
        model: str = "judge",
        *,
        answers: Answers | None = None,
        key: str | None = None,
        refuses: frozenset[str] = frozenset(),
        reads: int | None = None,
        context: int | None = None,
        lists: bool = True,
        sees: bool | None = None,
    ) -> None:
        self.model = model
        self.answers = answers
        self.sees = sees
        self.key = key
        self.refuses = refuses
        self.reads = reads
        self.context = context
        self.lists = lists
        self.received: list[Received] = []
        self.looked_up: list[Received] = []
        self.lists_as: dict[str, Any] = {}
        self.released = threading.Event()
        self.arrived = threading.Event()
        self._faults: deque[Fault] = deque()
        self._lock = threading.Lock()
        self._http = HttpServer(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    paths: tuple[str, ...] = (PATH,)
    guards_list = False  # whether it asks for the key before it lists anything
    streams = True  # a server may say all at once, whatever it is asked for

    @property
    def url(self) -> str:
        """The address, without ``/v1``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def dripped(self) -> threading.Event:
        """Set once a reply that drips has begun."""
        return self._http.dripped

    @property
    def left(self) -> threading.Event:
        """Set once a client has gone before the end of a stream."""
        return self._http.left

    @property
    def payloads(self) -> list[Json]:
        """What was sent, in order of arrival."""
        return [request.payload for request in self.received]

    @property
    def asked(self) -> list[Json]:
        """The question and passages of each request."""
        return [_asked(payload) for payload in self.payloads]

    def misbehave(self, *faults: Fault, times: int = 1) -> None:
        """Answer the next requests with these faults, each so many times."""
        self._faults.extend(fault for fault in faults for _ in range(times))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()

    def reply(self, request: Received) -> Reply:
        """The answer to one request; looks at what the server lists are kept apart from questions."""
        if request.path not in self.paths:
            self.looked_up.append(request)
            return self._refusal_of_key(request, guarded=self.guards_list) or self._listing(request)
        with self._lock:
            self.received.append(request)
            fault = self._faults.popleft() if self._faults else None
        self.arrived.set()
        good = self._good_reply(request)
        return self._as_asked_for(fault(json.loads(good.body)) if fault else good, request)

    def _as_asked_for(self, reply: Reply, request: Received) -> Reply:
        """A whole answer becomes a stream where one is wanted; whatever else was to be said stays as it is."""
        whole = (
            self.streams and reply.status == 200 and not (reply.cut or reply.drop or reply.hold or reply.drip)
        )
        if not (whole and request.payload.get("stream") and is_completion(reply)):
            return reply
        pieces = pieces_of(json.loads(reply.body))
        for change in reply.changes if isinstance(reply, StreamedReply) else ():
            pieces = change(pieces)
        return self._stream(pieces, request)

    def _stream(self, pieces: Sequence[Piece], request: Received) -> Reply:
        stream = openai_stream(pieces, request.payload)
        return Reply(headers={"Content-Type": "text/event-stream"}, stream=stream)

    def _good_reply(self, request: Received) -> Reply:
        payload = request.payload
        if (refusal := self._refusal_of_key(request, guarded=True)) is not None:
            return refusal
        if request.path != PATH:
            return Reply(404, b"404 page not found", {"Content-Type": "text/plain"})
        if payload["model"] != self.model:
            name = payload["model"]
            return error_reply(404, f'model "{name}" not found, try pulling it first', kind="not_found_error")
        if (words := self._refusal(payload)) is not None:
            return error_reply(400, words)
        tokens = sum(_words(message["content"]) for message in payload["messages"])
        content = self._answer(payload)
        if self.context is not None:
            return self._within(self.context, tokens, content)
        return completion(content, tokens if self.reads is None else min(tokens, self.reads))

    def _refusal_of_key(self, request: Received, *, guarded: bool) -> Reply | None:
        if not guarded or self.key is None or request.headers.get("authorization") == f"Bearer {self.key}":
            return None
        return error_reply(401, "Incorrect API key provided: sk-no.", code="invalid_api_key")

    def _refusal(self, payload: Json) -> str | None:
        """What it says of a request that it does not know all of; None where it does."""
        shape = payload.get("response_format", {})
        wanted = shape.get("type")
        pictures = any(not isinstance(message["content"], str) for message in payload["messages"])
        sayings = {
            wanted: f"Invalid parameter: 'response_format' of type '{wanted}' is not supported.",
            "temperature": "Unsupported value: 'temperature' does not support 0 with this model.",
            "maxLength": "Invalid schema for response_format 'relevance': 'maxLength' is not permitted.",
            "minItems": "Invalid schema for response_format 'claims': minItems is not supported.",
            "stream_options": "Unrecognized request argument supplied: stream_options",
            "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "images": "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
        }
        asks = {wanted, *payload, *(name for name in ("maxLength", "minItems") if name in json.dumps(shape))}
        asks |= {"images"} if pictures else set()
        return next((words for name, words in sayings.items() if name in asks & self.refuses), None)

    def _answer(self, payload: Json) -> str:
        if self.answers is not None:
            return self.answers(payload)
        asked, rules = judged(_asked(payload)), payload["messages"][0]["content"]
        form = listed if '"first"' in rules else compared if '"better"' in rules else dict
        return json.dumps(form(asked), ensure_ascii=False)

    @staticmethod
    def _within(context: int, tokens: int, content: str) -> Reply:
        if tokens > context:
            return context_overflow(tokens, context)
        words = content.split()
        if tokens + len(words) > context:
            return completion(" ".join(words[: context - tokens]), tokens, finish_reason="length")
        return completion(content, tokens)

    def _listing(self, request: Received) -> Reply:
        if request.path in self.lists_as:
            return json_reply(self.lists_as[request.path])
        if request.path == "/props" and self.sees is not None:
            return json_reply({"modalities": {"vision": self.sees, "audio": False}})
        if request.path != "/v1/models" or not self.lists:
            return error_reply(404, "File Not Found", kind="not_found_error")
        meta = {} if self.context is None else {"meta": {"n_ctx": self.context, "n_ctx_train": 131_072}}
        row = {"id": self.model, "object": "model", "owned_by": "llamacpp", **meta}
        return json_reply({"object": "list", "data": [row]})


def is_completion(reply: Reply) -> bool:
    """Whether it is a whole answer as OpenAI puts it."""
    try:
        content = json.loads(reply.body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        return False
    return content is None or isinstance(content, str)


def _words(content: str | list[Json]) -> int:
    """How many words a message has; a picture among its parts has none."""
    parts = [{"text": content}] if isinstance(content, str) else content
    return sum(len(part.get("text", "").split()) for part in parts)


def time_is_up_at(moment: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever waits for an answer run out of time at that very moment, however fast or slow the computer is."""

    class Waiting(threading.Event):
        """Set, or out of time, whichever comes first."""

        def __init__(self) -> None:
            super().__init__()
            self._over = threading.Event()

        def set(self) -> None:
            super().set()
            self._over.set()

        def clear(self) -> None:
            super().clear()
            self._over.clear()

        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None, "nobody waits for ever"
            if self.is_set():
                return True
            threading.Thread(target=self._end_at_the_moment, daemon=True).start()
            assert self._over.wait(60)
            return self.is_set()

        def _end_at_the_moment(self) -> None:
            if moment.wait(60):
                self._over.set()

    monkeypatch.setattr(interruption, "Event", Waiting)


def judged(asked: Json) -> Json:
    """A judgement of every passage: 100, 70, 40 or 0 by how many of the question's words stand in it."""
    words = set(re.findall(r"\w+", asked["question"].lower()))
    return {"results": {str(passage["id"]): _judgement(passage, words) for passage in asked["passages"]}}


def listed(judgements: Json) -> Json:
    """The same judgements as the best three of a list."""
    best = _best_first(judgements)
    named = dict(zip(("first", "second", "third"), (*map(int, best), 0, 0, 0), strict=False))
    return {**named, "answers": any(judgements["results"][one]["answerability"] for one in best[:1])}


def compared(judgements: Json) -> Json:
    """The same judgements as the better of two."""
    said = listed(judgements)
    return {"better": said["first"], "answers": said["answers"]}


def _best_first(judgements: Json) -> list[str]:
    """The numbers of the passages that have to do with the question."""
    scores = {number: one["relevance_score"] for number, one in judgements["results"].items()}
    return sorted((number for number, score in scores.items() if score), key=lambda number: -scores[number])


def _judgement(passage: Json, words: set[str]) -> Json:
    held = len(words & set(re.findall(r"\w+", passage["text"].lower()))) / max(1, len(words))
    score = 100 if held == 1 else 70 if held >= 0.5 else 40 if held > 0 else 0
    sentence = next((one for one in re.split(r"(?<=[.!?])\s+", passage["text"]) if one), "")
    return {
        "relevance_score": score,
        "answerability": score == 100,
        "key_evidence": sentence if score else "",
    }


def completion(
    content: str | None, prompt_tokens: int = 10_000, finish_reason: str = "stop", **more: object
) -> Reply:
    """A good answer as both kinds of servers put it."""
    message = {"role": "assistant", "content": content, **more}
    return json_reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "judge",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": 9,
                "total_tokens": prompt_tokens + 9,
            },
        }
    )


def says(change: Callable[[str], str]) -> Fault:
    """The good answer with what the model says changed."""
    return lambda answer: completion(change(answer["choices"][0]["message"]["content"]))


def fenced(content: str) -> str:
    """In a code fence, as models like to put JSON."""
    return f"```json\n{content}\n```"


def with_prose(content: str) -> str:
    """With words around it, a brace among them."""
    return f"Sure! Here are {{my}} judgements:\n{content}\nI hope that helps."


def results(change: Callable[[Json], object]) -> Fault:
    """The good answer after ``change`` had its way with its judgements by number."""

    def changed(content: str) -> str:
        reply = json.loads(content)
        change(reply["results"])
        return json.dumps(reply)

    return says(changed)


def cut_reply(answer: Json) -> Reply:
    """The model ran out of tokens."""
    content = answer["choices"][0]["message"]["content"]
    return completion(content[: len(content) // 2], finish_reason="length")


def declined(_: Json) -> Reply:
    """The model refuses, as OpenAI puts it."""
    return completion(None, refusal="I'm sorry, I can't assist with that.")


def _asked(payload: Json) -> Json:
    content = payload["messages"][-1]["content"]
    asked: Json = json.loads(content if isinstance(content, str) else content[0]["text"])
    return asked
