"""What goes over the wire of ``/v1/chat/completions``: requests in the form that a server takes, and its answers."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from webrag_desktop.answering.chat.errors import ChatFailures
from webrag_desktop.answering.chat.replies import Delta, count_of
from webrag_desktop.answering.chat.streaming import ChatImage, ChatRequest
from webrag_desktop.retrieval.reranking.chat import ChatReply, JsonSchema

Format = Literal["json_schema", "json_object", "none"]
_WEAKER: dict[Format, Format] = {"json_schema": "json_object", "json_object": "none"}
_LENGTHS = ("maxLength", "minItems", "maxItems")
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked of a server beside the messages; not every one knows all of it.

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
    """The text; half a character, which no request can carry, is replaced."""
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
        ChatError: it tells of an error, or it is none of a chat server's.
    """
    if content.strip() == b"[DONE]":
        return Delta(done=True)
    body = _json(content, fails)
    if isinstance(body, dict) and body.get("error"):
        raise fails.told(body)
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
