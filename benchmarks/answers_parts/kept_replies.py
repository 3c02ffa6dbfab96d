"""A chat model whose replies are kept in a file, so that the same is never asked twice."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import (
    ChatEnd,
    ChatMessage,
    ChatModel,
    ChatPiece,
    ChatReply,
    ChatRequest,
    ChatText,
    JsonSchema,
    StreamingChatModel,
)


class KeptReplies:
    """Stands before a model. What was asked before in the very same words is answered from the file, at once."""

    def __init__(self, model: StreamingChatModel, file: Path) -> None:
        self._model = model
        self._file = file
        self._known: dict[str, Any] = {}
        self.replies: list[str] = []  # to this question
        if file.is_file():
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            self._known = {row["asked"]: row for row in rows}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def stream(
        self, request: ChatRequest, *, seconds: float, cancel: CancelToken | None = None
    ) -> Iterator[ChatPiece]:
        """The reply as it came when it was asked for first."""
        asked = _hash_of(request)
        if asked not in self._known:
            text, end = "", ChatEnd()
            for piece in self._model.stream(request, seconds=seconds, cancel=cancel):
                if isinstance(piece, ChatText):
                    text += piece.text
                else:
                    end = piece
            self._known[asked] = {"asked": asked, "text": text, "end": asdict(end)}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self._known[asked]) + "\n")
        kept = self._known[asked]
        self.replies.append(kept["text"])
        yield ChatText(kept["text"])
        yield ChatEnd(**kept["end"])


class KeptJudgements:
    """Stands before a :class:`~webrag_desktop.servers.chat.ChatModel` in the same way, and counts what replies took.

    ``seconds`` are those of all replies given so far, as long as they took when the model was asked; ``tokens`` is
    how many the server read for them.
    """

    def __init__(self, model: ChatModel, file: Path, context: int) -> None:
        self._model = model
        self._file = file
        self._context = context
        self._known: dict[str, Any] = {}
        self.seconds = 0.0
        self.tokens = 0
        if file.is_file():
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            self._known = {row["asked"]: row for row in rows}

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        """As the server was started, so that a run that is kept whole needs none."""
        return self._context

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        """The reply as it came when it was asked for first."""
        asked = _hash_of(ChatRequest(messages, schema))
        if asked not in self._known:
            began = time.perf_counter()
            reply = self._model.reply(messages, schema=schema, seconds=seconds, cancel=cancel)
            took = time.perf_counter() - began
            self._known[asked] = {"asked": asked, "seconds": took, "reply": asdict(reply)}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self._known[asked]) + "\n")
        kept = self._known[asked]
        self.seconds += kept["seconds"]
        self.tokens += kept["reply"]["prompt_tokens"] or 0
        return ChatReply(**kept["reply"])


def _hash_of(request: ChatRequest) -> str:
    asked = {
        "messages": [(one.role, one.content) for one in request.messages],
        "schema": request.schema.schema if request.schema else None,
        "most_tokens": request.most_tokens,
        "temperature": request.temperature,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
