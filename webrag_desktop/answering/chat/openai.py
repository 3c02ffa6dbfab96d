"""The protocol of ``/v1/chat/completions``, and what its streamed replies share with Ollama's."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from webrag_desktop.answering.chat.errors import ChatFailures
from webrag_desktop.servers.chat import (
    ChatEnd,
    ChatImage,
    ChatPiece,
    ChatReply,
    ChatRequest,
    ChatText,
    JsonSchema,
)

_OPENINGS: Final = ("<think>", "<thinking>", "<thought>")
_CLOSING: Final = re.compile(r"</(?:think|thinking|thought)>")
_LONGEST_CLOSING: Final = len("</thinking>")


@dataclass(frozen=True, slots=True)
class Delta:
    """What one part of a stream says, ``thought`` that the model thought aloud beside the text.

    ``finish`` is why the model ended, ``done`` that nothing comes any more.
    """

    text: str = ""
    thought: bool = False
    finish: str | None = None
    declined: bool = False
    done: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


@dataclass(slots=True)
class Spoken:
    """Leaves out what a model thinks aloud at the beginning of its text, between marks of its own."""

    thought: bool = False
    _held: str = field(default="", init=False)
    _speaking: bool = field(default=False, init=False)

    def take(self, text: str) -> str:
        """What of the text, and of what was held back before it, is said."""
        if self._speaking:
            return text
        self._held += text
        begun = self._held.lstrip()
        opening = next((one for one in _OPENINGS if begun.startswith(one)), None)
        if opening is not None:
            return self._behind_thought(opening, begun)
        if any(one.startswith(begun) for one in _OPENINGS):  # more of it decides
            return ""
        return self._speak(self._held)

    def _behind_thought(self, opening: str, begun: str) -> str:
        self.thought = True
        closing = _CLOSING.search(begun)
        if closing is None:
            self._held = opening + begun[len(opening) :][-_LONGEST_CLOSING:]
            return ""
        said = begun[closing.end() :].lstrip()
        return self._speak(said) if said else ""

    def _speak(self, text: str) -> str:
        self._speaking, self._held = True, ""
        return text

    def rest(self) -> str:
        """What was held back and turned out to be said, at the end."""
        return "" if self.thought else self._held


def pieces_of(deltas: Iterable[Delta], fails: ChatFailures) -> Iterator[ChatPiece]:
    """The reply without thoughts, one :class:`ChatEnd` last.

    Raises:
        ChatError: the model declined or only thought, or the stream ended before the reply did.
    """
    spoken, said, end = Spoken(), False, Delta()
    for delta in deltas:
        if delta.declined:
            raise fails.declined()
        if text := spoken.take(delta.text):
            said = True
            yield ChatText(text)
        end = _together(end, delta)
        if delta.done:
            break
    if not end.done and end.finish is None:
        raise fails.broken_off()
    if text := spoken.rest():
        yield ChatText(text)
    elif not said and end.finish == "length" and (end.thought or spoken.thought):
        raise fails.thought_only()
    yield ChatEnd(end.finish == "length", end.prompt_tokens, end.reply_tokens)


def _together(before: Delta, now: Delta) -> Delta:
    return replace(
        now,
        thought=before.thought or now.thought,
        finish=now.finish or before.finish,
        prompt_tokens=before.prompt_tokens if now.prompt_tokens is None else now.prompt_tokens,
        reply_tokens=before.reply_tokens if now.reply_tokens is None else now.reply_tokens,
    )


def count_of(value: object) -> int | None:
    """A number of tokens, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


@dataclass(slots=True)
class Lines:
    """A :class:`~webrag_desktop.answering.chat.client.Splitter` at line feeds, and at nothing else that ends a line."""

    _held: bytes = field(default=b"", init=False)

    def feed(self, part: bytes) -> Iterator[bytes]:
        """The lines that end in ``part`` and are not empty."""
        *lines, self._held = (self._held + part).split(b"\n")
        yield from filter(None, map(bytes.strip, lines))

    def rest(self) -> Iterator[bytes]:
        """The last line, if nothing ended it."""
        if last := self._held.strip():
            yield last


@dataclass(slots=True)
class ServerSentEvents:
    """The data of server-sent events; comments and other fields are left out.

    What is no event at all, but a whole answer or a web page, comes at the end, as it is.
    """

    _lines: bytes = field(default=b"", init=False)
    _data: list[bytes] = field(default_factory=list, init=False)
    _stray: list[bytes] = field(default_factory=list, init=False)

    def feed(self, part: bytes) -> Iterator[bytes]:
        """The data of the events that end in ``part``."""
        *lines, self._lines = (self._lines + part).split(b"\n")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))

    def rest(self) -> Iterator[bytes]:
        """What is left at the end."""
        yield from self._line(self._lines.rstrip(b"\r"))
        yield from self._line(b"")
        if stray := b"\n".join(self._stray).strip():
            yield stray

    def _line(self, line: bytes) -> Iterator[bytes]:
        name, colon, value = line.partition(b":")
        if not line:
            if self._data:
                yield b"\n".join(self._data)
                self._data = []
        elif name == b"data" and colon:
            self._data.append(value.removeprefix(b" "))
        elif name not in (b"", b"event", b"id", b"retry"):
            self._stray.append(line)


Format = Literal["json_schema", "json_object", "none"]
_WEAKER: dict[Format, Format] = {"json_schema": "json_object", "json_object": "none"}
_LENGTHS = ("maxLength", "minItems", "maxItems")
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True)
class Form:
    """The parameters of a request beside the messages; not every server supports all of them.

    ``lengths`` are those of texts and lists in a schema, ``counts`` how many tokens a stream had, ``limit`` the name of
    the most tokens that a model may write.
    """

    format: Format = "json_schema"
    lengths: bool = True
    temperature: bool = True
    counts: bool = True
    limit: str = "max_tokens"

    def without_what_was_refused(
        self, words: str, *, formatted: bool, streamed: bool = False
    ) -> "Form | None":
        """What is left to ask for after a refusal; None where nothing can be left out."""
        named = self._without_what_is_named(words.lower())
        if named is not None:
            return named
        if formatted and self.format in _WEAKER:
            return replace(self, format=_WEAKER[self.format])
        if streamed and self.counts:
            return replace(self, counts=False)
        return replace(self, temperature=False) if self.temperature else None

    def _without_what_is_named(self, words: str) -> "Form | None":
        if self.temperature and "temperature" in words:
            return replace(self, temperature=False)
        if self.lengths and any(name.lower() in words for name in _LENGTHS):
            return replace(self, lengths=False)
        if self.counts and ("stream_options" in words or "include_usage" in words):
            return replace(self, counts=False)
        if self.limit == _LIMITS[0] and _LIMITS[0] in words:
            return replace(self, limit=_LIMITS[1])
        return None


def payload_of(model: str, request: ChatRequest, form: Form, *, streamed: bool) -> dict[str, object]:
    """The request as OpenAI documents it, with what the ``form`` has."""
    payload: dict[str, object] = {
        "model": model,
        "messages": _messages(request),
        "stream": streamed,
    }
    if streamed and form.counts:
        payload["stream_options"] = {"include_usage": True}
    if form.temperature and request.temperature is not None:
        payload["temperature"] = request.temperature
    if request.most_tokens is not None:
        payload[form.limit] = request.most_tokens
    return payload | _response_format(request.schema, form)


def _messages(request: ChatRequest) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = [
        {"role": one.role, "content": sendable(one.content)} for one in request.messages
    ]
    if request.images:
        text = {"type": "text", "text": messages[-1]["content"]}
        messages[-1]["content"] = [text, *map(_image, request.images)]
    return messages


def _image(image: ChatImage) -> dict[str, object]:
    url = f"data:{image.media_type};base64,{b64encode(image.content).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def _response_format(schema: JsonSchema | None, form: Form) -> dict[str, object]:
    if schema is None or form.format == "none":
        return {}
    if form.format == "json_object":
        return {"response_format": {"type": "json_object"}}
    described = {"name": schema.name, "strict": True, "schema": shape_of(schema, lengths=form.lengths)}
    return {"response_format": {"type": "json_schema", "json_schema": described}}


def shape_of(schema: JsonSchema, *, lengths: bool) -> object:
    """The schema, without limits to the ``lengths`` of texts and lists where the server does not know them."""
    return schema.schema if lengths else _without_lengths(schema.schema)


def _without_lengths(schema: object) -> object:
    if isinstance(schema, Mapping):
        return {name: _without_lengths(value) for name, value in schema.items() if name not in _LENGTHS}
    return schema


def sendable(text: str) -> str:
    """The text; half a character, which no request can hold, is replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_whole(content: bytes, fails: ChatFailures) -> ChatReply:
    """A whole answer.

    Raises:
        ChatError: it is none, or the model declined.
    """
    delta = _whole(_json(content, fails), content, fails)
    if delta.declined:
        raise fails.declined()
    return ChatReply(delta.text, delta.finish == "length", delta.prompt_tokens)


def read_event(content: bytes, fails: ChatFailures) -> Delta:
    """What one event of a stream says; a server that does not stream says all at once.

    Raises:
        ChatError: it reports an error, or it is none of a chat server's.
    """
    if content.strip() == b"[DONE]":
        return Delta(done=True)
    body = _json(content, fails)
    if isinstance(body, dict) and body.get("error"):
        raise fails.reported(body)
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(choices, list):
        raise fails.unreadable(content)
    if choices and isinstance(choices[0], dict) and "message" in choices[0]:
        return replace(_whole(body, content, fails), done=True)
    prompt, reply = _counts(body)
    counted = Delta(prompt_tokens=prompt, reply_tokens=reply)
    return _choice(choices[0], content, fails, counted) if choices else counted


def _json(content: bytes, fails: ChatFailures) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise fails.unreadable(content) from error


def _whole(body: Any, content: bytes, fails: ChatFailures) -> Delta:
    try:
        choice = body["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        # Models that think aloud may have said nothing else, which is an answer all the same.
        text = "" if "content" in message and message["content"] is None else message.get("content")
        declined = bool(message.get("refusal")) or finish == "content_filter"
        prompt, reply = _counts(body)
    except (LookupError, TypeError, AttributeError) as error:
        raise fails.unreadable(content) from error
    if not isinstance(text, str) and not declined:
        raise fails.unreadable(content)
    return Delta(text=text or "", finish=finish, declined=declined, prompt_tokens=prompt, reply_tokens=reply)


def _choice(choice: object, content: bytes, fails: ChatFailures, counted: Delta) -> Delta:
    delta = choice.get("delta", {}) if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(delta, dict | None):
        raise fails.unreadable(content)
    said, finish = delta or {}, choice.get("finish_reason")
    text = said.get("content")
    if not isinstance(text, str | None):
        raise fails.unreadable(content)
    return replace(
        counted,
        text=text or "",
        thought=bool(said.get("reasoning_content") or said.get("reasoning")),
        finish=finish if isinstance(finish, str) else None,
        declined=bool(said.get("refusal")) or finish == "content_filter",
    )


def _counts(body: dict[str, Any]) -> tuple[int | None, int | None]:
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return None, None
    return count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens"))
