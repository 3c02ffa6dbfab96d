"""A chat server's answer as a stream, by both protocols, and what can go wrong with one.

    server.misbehave(streamed(thinking("Hm."), fails("out of memory", after=2)))

An answer is a list of pieces. A change takes such a list and gives another, so changes go together in any order.
``after`` counts the pieces of text that come before.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.embedding_server import BreakOff, Fault, Line, Reply

Json = dict[str, Any]
LENGTH = 4  # characters of a piece of text


@dataclass(frozen=True)
class Say:
    """More of the answer."""

    text: str


@dataclass(frozen=True)
class Think:
    """More of what the model thinks aloud."""

    text: str


@dataclass(frozen=True)
class Finish:
    """The model is done; ``counted`` is what the server says that it read, None where it does not count."""

    reason: str
    counted: int | None
    written: int


@dataclass(frozen=True)
class Refuse:
    """The model declines."""

    text: str


@dataclass(frozen=True)
class Fail:
    """The server says that something went wrong."""

    message: str
    code: int


@dataclass(frozen=True)
class Raw:
    """Just these bytes."""

    content: bytes


@dataclass(frozen=True)
class Hold:
    """Nothing until that moment, or until the client leaves."""

    until: threading.Event


@dataclass(frozen=True)
class Break:
    """The connection breaks off; ``politely`` it ends as if all were said."""

    politely: bool


@dataclass(frozen=True)
class Drip:
    """From here on every byte goes over the wire by itself."""


Piece = Say | Think | Finish | Refuse | Fail | Raw | Hold | Break | Drip
Change = Callable[[list[Piece]], list[Piece]]


@dataclass(frozen=True)
class StreamedReply(Reply):
    """A whole answer, and how it is to be streamed."""

    changes: Sequence[Change] = ()


def streamed(*changes: Change, of: Fault | None = None) -> Fault:
    """The good answer, or that of a fault, streamed with these changes."""

    def fault(answer: Json) -> Reply:
        body = json.dumps(answer).encode() if of is None else of(answer).body
        return StreamedReply(200, body, changes=changes)

    return fault


def thinking(text: str, *, aloud: bool = False) -> Change:
    """The model thinks first, in a field of its own, or ``aloud`` in the text between ``<think>`` and ``</think>``."""
    if aloud:
        return lambda pieces: [*in_pieces(f"<think>\n{text}\n</think>\n\n"), *pieces]
    return lambda pieces: [*(Think(part) for part in _parts(text)), *pieces]


def cut(after: int) -> Change:
    """The connection breaks off."""
    return _instead(Break(politely=False), after)


def ends_early(after: int) -> Change:
    """The stream ends well, but before its end was said."""
    return _instead(Break(politely=True), after)


def silent(after: int) -> Change:
    """The server says no more, and keeps the connection."""
    return _instead(Hold(threading.Event()), after)


def paused(until: threading.Event, after: int) -> Change:
    """The server rests until that moment, then goes on."""
    return lambda pieces: [*_head(pieces, after), Hold(until), *_tail(pieces, after)]


def fails(message: str, after: int, *, code: int = 500) -> Change:
    """The server tells of an error, and ends."""

    def change(pieces: list[Piece]) -> list[Piece]:
        return [*_head(pieces, after), Fail(message, code), Break(politely=True)]

    return change


def sends(content: bytes, after: int) -> Change:
    """These bytes come in between."""
    return lambda pieces: [*_head(pieces, after), Raw(content), *_tail(pieces, after)]


def dripping(pieces: list[Piece]) -> list[Piece]:
    """Byte by byte."""
    return [Drip(), *pieces]


def refusing(text: str = "I'm sorry, I can't assist with that.") -> Change:
    """The model declines, as OpenAI puts it."""
    return lambda pieces: [Refuse(text), *(one for one in pieces if isinstance(one, Finish))]


def finished(reason: str = "stop", counted: int | None = None) -> Change:
    """It ends for that reason, and what the server says that it read is this."""

    def change(pieces: list[Piece]) -> list[Piece]:
        return [Finish(reason, counted, one.written) if isinstance(one, Finish) else one for one in pieces]

    return change


def unfinished(pieces: list[Piece]) -> list[Piece]:
    """Nothing is said of why it ends."""
    return [one for one in pieces if not isinstance(one, Finish)]


def _instead(piece: Piece, after: int) -> Change:
    return lambda pieces: [*_head(pieces, after), piece]


def _head(pieces: list[Piece], after: int) -> list[Piece]:
    return pieces[: _place(pieces, after)]


def _tail(pieces: list[Piece], after: int) -> list[Piece]:
    return pieces[_place(pieces, after) :]


def _place(pieces: list[Piece], after: int) -> int:
    """Behind so many pieces of text; before the end where there are fewer."""
    texts = [at for at, one in enumerate(pieces) if isinstance(one, Say)]
    if after == 0:
        return 0
    return texts[min(after, len(texts)) - 1] + 1


def in_pieces(text: str) -> list[Piece]:
    """The text, a few characters at a time."""
    return [Say(part) for part in _parts(text)]


def _parts(text: str) -> list[str]:
    return [text[at : at + LENGTH] for at in range(0, len(text), LENGTH)]


def pieces_of(completion: Json) -> list[Piece]:
    """A whole answer as OpenAI puts it, in pieces."""
    choice, usage = completion["choices"][0], completion["usage"]
    message = choice["message"]
    said: list[Piece] = [Refuse(message["refusal"])] if message.get("refusal") else []
    said += in_pieces(message["content"] or "")
    return [*said, Finish(choice["finish_reason"], usage["prompt_tokens"], usage["completion_tokens"])]


Encoder = Callable[[Piece], Iterator[bytes]]


def sent(pieces: Iterable[Piece], encoder: Encoder, end: bytes, line: Line) -> Iterator[bytes]:
    """What goes over the wire."""
    dripping = False
    for piece in pieces:
        match piece:
            case Drip():
                dripping = True
            case Hold(until):
                line.wait(until)
            case Break(politely=True):
                return
            case Break():
                raise BreakOff
            case Raw(content):
                yield content
            case _:
                for part in encoder(piece):
                    yield from ([bytes([one]) for one in part] if dripping else [part])
    yield end


def openai_stream(pieces: Sequence[Piece], payload: Json) -> Callable[[Line], Iterator[bytes]]:
    """As server-sent events, with ``[DONE]`` at the end; counts where they were asked for."""
    counts = payload.get("stream_options", {}).get("include_usage") is True

    def encoder(piece: Piece) -> Iterator[bytes]:
        match piece:
            case Say(text):
                yield _event(_choice({"content": text}))
            case Think(text):
                yield _event(_choice({"reasoning_content": text}))
            case Refuse(text):
                yield _event(_choice({"refusal": text}))
            case Fail(message, code):
                yield _event({"error": {"message": message, "type": "server_error", "code": code}})
            case Finish(reason, counted, written):
                yield _event(_choice({}, reason))
                if counts and counted is not None:
                    usage = {"prompt_tokens": counted, "completion_tokens": written}
                    yield _event(_chunk([], usage=usage | {"total_tokens": counted + written}))

    first: list[Piece] = [Raw(_event(_choice({"role": "assistant", "content": ""})))]
    return lambda line: sent([*first, *pieces], encoder, b"data: [DONE]\n\n", line)


def _choice(delta: Json, reason: str | None = None) -> Json:
    return _chunk([{"index": 0, "delta": delta, "finish_reason": reason}])


def _chunk(choices: list[Json], **more: object) -> Json:
    named = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "judge"}
    return {**named, "choices": choices, **more}


def _event(content: Json) -> bytes:
    return b"data: " + json.dumps(content, ensure_ascii=False).encode() + b"\n\n"


def ollama_message(text: str, thought: str = "") -> Json:
    """A message as Ollama puts it."""
    return {"role": "assistant", "content": text} | ({"thinking": thought} if thought else {})


def ollama_answer(model: str, message: Json, finish: Finish | None = None) -> Json:
    """An answer of Ollama's, or a part of one."""
    answer = {"model": model, "created_at": "2025-01-01T00:00:00Z", "message": message, "done": False}
    if finish is None:
        return answer
    counted = {} if finish.counted is None else {"prompt_eval_count": finish.counted}
    ending = {"done": True, "done_reason": finish.reason, "total_duration": 1, "eval_count": finish.written}
    return answer | ending | counted


def ollama_stream(pieces: Sequence[Piece], payload: Json) -> Callable[[Line], Iterator[bytes]]:
    """As lines of JSON, the last of which says ``done``."""
    model = str(payload["model"])

    def encoder(piece: Piece) -> Iterator[bytes]:
        match piece:
            case Say(text) | Refuse(text):  # which is only text there
                yield _line(ollama_answer(model, ollama_message(text)))
            case Think(text):
                yield _line(ollama_answer(model, ollama_message("", text)))
            case Fail(message, _):
                yield _line({"error": message})
            case Finish():
                yield _line(ollama_answer(model, ollama_message(""), piece))

    return lambda line: sent(pieces, encoder, b"", line)


def _line(content: Json) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"
