"""A stand-in for an Ollama that chats, by its own interface as well as by OpenAI's.

with OllamaChatServer("llama3.1", answers=lambda payload: "…") as server:
    server.misbehave(streamed(cut(after=2)))
"""

import json
from collections.abc import Sequence
from typing import Any

from tests.support.chat_server import PATH, ChatServer, completion, is_completion
from tests.support.chat_streams import Finish, Json, Piece, ollama_answer, ollama_message, ollama_stream
from tests.support.embedding_server import Received, Reply, json_reply
from tests.support.llama_server import context_overflow

OLLAMA_PATH = "/api/chat"


class OllamaChatServer(ChatServer):
    """Ollama as it was heard to answer, with its own interface and OpenAI's; ``pulled`` are the models that it has.

    The model was trained to read ``trained`` tokens and ``can`` do these things; it is ``loaded`` to read so many, None
    while it is not. Of more than ``num_ctx`` tokens (words) it reads the last, without a word, unless ``truncate`` is
    false and it is new enough to know that (``strict``). It counts what it read, or what it did not know before where
    ``caches``.
    """

    def __init__(
        self,
        model: str = "llama3.1",
        *,
        trained: int = 131_072,
        can: Sequence[str] = ("completion",),
        loaded: int | None = None,
        strict: bool = True,
        caches: bool = False,
        version: str = "0.12.6",
        **more: Any,
    ) -> None:
        super().__init__(model, **more)
        self.pulled = [model]
        self.trained = trained
        self.can = tuple(can)
        self.loaded = loaded
        self.strict = strict
        self.caches = caches
        self.version = version
        self._known: set[str] = set()

    paths = (PATH, OLLAMA_PATH)

    def _as_asked_for(self, reply: Reply, request: Received) -> Reply:
        if request.path != OLLAMA_PATH:
            return super()._as_asked_for(reply, request)
        if request.payload.get("stream", True) or not is_completion(reply):
            wanting = Received(
                request.method, request.path, request.headers, request.payload | {"stream": True}
            )
            return super()._as_asked_for(reply, wanting)
        body = json.loads(reply.body)
        choice, usage = body["choices"][0], body["usage"]
        finish = Finish(choice["finish_reason"], usage["prompt_tokens"], usage["completion_tokens"])
        return json_reply(ollama_answer(self.model, ollama_message(choice["message"]["content"]), finish))

    def _stream(self, pieces: Sequence[Piece], request: Received) -> Reply:
        if request.path != OLLAMA_PATH:
            return super()._stream(pieces, request)
        payload = request.payload
        return Reply(headers={"Content-Type": "application/x-ndjson"}, stream=ollama_stream(pieces, payload))

    def _good_reply(self, request: Received) -> Reply:
        payload = request.payload
        if request.path != OLLAMA_PATH:
            return super()._good_reply(request)
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            return json_reply({"error": "unauthorized"}, status=401)
        if _untagged(payload["model"]) not in map(_untagged, self.pulled):
            return json_reply({"error": f"model '{payload['model']}' not found"}, status=404)
        if any(message.get("images") for message in payload["messages"]) and "vision" not in self.can:
            return json_reply({"error": "this model is missing data required for image input"}, status=500)
        if isinstance(payload.get("format"), dict) and "json_schema" in self.refuses:
            words = "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"
            return json_reply({"error": words}, status=400)
        return self._answered(payload)

    def _answered(self, payload: Json) -> Reply:
        context = min(payload.get("options", {}).get("num_ctx", self.loaded or 4096), self.trained)
        self.loaded = context
        text = " ".join(message["content"] for message in payload["messages"])
        tokens = len(text.split())
        if tokens > context and self.strict and payload.get("truncate") is False:
            return _nested(context_overflow(tokens, context))
        counted = min(tokens, context)
        if self.caches and text in self._known:
            counted = 1
        self._known.add(text)
        content = self._answer(payload)
        most = payload.get("options", {}).get("num_predict", len(content.split()))
        room = max(0, min(most, context - min(tokens, context)))
        words = content.split()
        if len(words) > room:
            return completion(" ".join(words[:room]), counted, finish_reason="length")
        return completion(content, counted)

    def _listing(self, request: Received) -> Reply:
        if request.path in self.lists_as:
            return json_reply(self.lists_as[request.path])
        rows = [name if ":" in name else f"{name}:latest" for name in self.pulled]
        match request.method, request.path:
            case "GET", "/v1/models":
                data = [{"id": name, "object": "model", "created": 1, "owned_by": "library"} for name in rows]
                return json_reply({"object": "list", "data": data or None})
            case "GET", "/api/version":
                return json_reply({"version": self.version})
            case "GET", "/api/tags":
                return json_reply({"models": [self._row(name) for name in rows]})
            case "GET", "/api/ps":
                running = [self._row(rows[0]) | {"context_length": self.loaded}] if self.loaded else []
                return json_reply({"models": running})
            case "POST", "/api/show":
                return self._show(request.payload)
        return Reply(404, b"404 page not found", {"Content-Type": "text/plain"})

    @staticmethod
    def _row(name: str) -> Json:
        details = {"family": "llama", "parameter_size": "8.0B", "quantization_level": "Q4_K_M"}
        return {"name": name, "model": name, "size": 4_920_753_328, "details": details}

    def _show(self, payload: Json) -> Reply:
        if _untagged(str(payload.get("model"))) not in map(_untagged, self.pulled):
            return json_reply({"error": f"model '{payload.get('model')}' not found"}, status=404)
        info = {"general.architecture": "llama", "llama.context_length": self.trained}
        details = self._row(self.model)["details"]
        return json_reply({"details": details, "model_info": info, "capabilities": list(self.can)})


def _untagged(name: str) -> str:
    return name.removesuffix(":latest")


def _nested(reply: Reply) -> Reply:
    """As Ollama hands on what its runner says: one error in the words of another."""
    return json_reply({"error": reply.body.decode()}, status=reply.status)
