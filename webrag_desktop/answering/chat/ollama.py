"""The protocol of Ollama's own ``/api/chat``, and what it reports of its models.

Its ``/v1`` reads as much as the server was started for, drops the rest without a word, and has no option for that.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webrag_desktop.answering.chat.errors import ChatFailures
from webrag_desktop.answering.chat.openai import Delta, Form, count_of, sendable, shape_of
from webrag_desktop.servers.chat import ChatRequest, reads_too_few

# As much as Ollama gives by itself where there is memory for it; more takes gigabytes, which only the user may spend.
DEFAULT_CONTEXT = 32_768
_LEAST_CONTEXT = 4_096  # it gives no model less by itself
_BYTES_PER_TOKEN = 3  # of UTF-8; fewer than texts have, so that what is left over is for the model's template
_IMAGE_TOKENS = 1_600  # of one picture, by the models that take most
_COUNTS_ALL_SINCE, _REFUSES_SINCE = (0, 2), (0, 13)


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """What Ollama reports of a model: how many tokens it can read, how many it was ``loaded`` to read, what it can do.

    None and an empty set where it does not report that.
    """

    trained: int | None = None
    loaded: int | None = None
    can: frozenset[str] = frozenset()

    def most_context(self, wanted: int | None) -> int:
        """The largest context that may be requested, in tokens; ``wanted`` is what the user set."""
        most = wanted or max(DEFAULT_CONTEXT, self.loaded or 0)
        return min(most, self.trained or most)

    def context_for(self, request: ChatRequest, wanted: int | None) -> int:
        """The ``num_ctx`` of a request: what it is loaded with where that will do, since another one loads it again.

        Else the next power of two, so that few questions do.
        """
        most, needed = self.most_context(wanted), _LEAST_CONTEXT
        tokens = _tokens(request)
        if self.loaded is not None and tokens <= self.loaded <= most:
            return self.loaded
        while needed < tokens:
            needed *= 2
        return min(needed, most)


def _tokens(request: ChatRequest) -> int:
    """About how many tokens a request takes, reply included; rather more."""
    sent = sum(len(one.content.encode("utf-8", "surrogatepass")) + 30 for one in request.messages)
    schema = len(json.dumps(request.schema.schema)) if request.schema else 0
    images = len(request.images) * _IMAGE_TOKENS
    return (sent + schema) // _BYTES_PER_TOKEN + images + (request.most_tokens or 0)


def payload_of(
    name: str, request: ChatRequest, form: Form, model: OllamaModel, context: int
) -> dict[str, object]:
    """The request as Ollama documents it. What is too long is to be refused, not cut, where it knows that."""
    messages: list[dict[str, object]] = [
        {"role": one.role, "content": sendable(one.content)} for one in request.messages
    ]
    if request.images:
        messages[-1]["images"] = [b64encode(image.content).decode() for image in request.images]
    options: dict[str, object] = {"num_ctx": context}
    if form.temperature and request.temperature is not None:
        options["temperature"] = request.temperature
    if request.most_tokens is not None:
        options["num_predict"] = request.most_tokens
    payload: dict[str, object] = {
        "model": name,
        "messages": messages,
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": options,
    }
    if "thinking" in model.can:
        payload["think"] = False
    if request.schema is not None and form.format != "none":
        wanted = form.format == "json_schema"
        payload["format"] = shape_of(request.schema, lengths=form.lengths) if wanted else "json"
    return payload


def read_event(content: bytes, fails: ChatFailures) -> Delta:
    """What one line of a stream says.

    Raises:
        ChatError: it reports an error, or it is none of Ollama's.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise fails.unreadable(content) from error
    if isinstance(body, dict) and body.get("error"):
        raise fails.reported(body)
    message = body.get("message") if isinstance(body, dict) else None
    text = message.get("content", "") if isinstance(message, dict) else None
    if not isinstance(body, dict) or not isinstance(message, dict) or not isinstance(text, str):
        raise fails.unreadable(content)
    return _delta(body, message, text)


def _delta(body: Mapping[str, Any], message: Mapping[str, Any], text: str) -> Delta:
    done = body.get("done") is True
    reason = body.get("done_reason")
    return Delta(
        text=text,
        thought=bool(message.get("thinking")),
        finish=(reason if isinstance(reason, str) and reason else "stop") if done else None,
        done=done,
        prompt_tokens=count_of(body.get("prompt_eval_count")) or None,
        reply_tokens=count_of(body.get("eval_count")),
    )


def fills_context(counted: int | None, context: int) -> bool:
    """Whether what was read fills the whole context: more was sent, or there was no room to answer."""
    return counted is not None and counted >= context - 1


def may_be_cut(counted: int | None, request: ChatRequest) -> bool:
    """Whether fewer tokens were counted than were sent; the version decides (:func:`counts_all`) what that means."""
    return reads_too_few(counted, request.messages)


def counts_all(version: str) -> bool:
    """Whether a low count says that a part of the prompt was not read.

    Before 0.2 what was read for an earlier question was not counted; since 0.13 what does not fit is refused where that
    is requested, so that a low count can only come from what was known before.
    """
    numbers = tuple(int(part) for part in version.split("-", maxsplit=1)[0].split(".")[:2] if part.isdigit())
    return len(numbers) < 2 or _COUNTS_ALL_SINCE <= numbers < _REFUSES_SINCE


def model_of(shown: object, loaded: int | None) -> OllamaModel:
    """What ``/api/show`` reported."""
    answer = shown if isinstance(shown, dict) else {}
    info, can = answer.get("model_info"), answer.get("capabilities")
    sizes = [
        size
        for name, value in (info.items() if isinstance(info, dict) else ())
        if name.endswith(".context_length") and (size := count_of(value))
    ]
    return OllamaModel(
        trained=max(sizes, default=None),
        loaded=loaded,
        can=frozenset(one for one in can if isinstance(one, str)) if isinstance(can, list) else frozenset(),
    )
