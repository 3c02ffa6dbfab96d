"""A stand-in for Ollama in a process of its own: prints its address, then answers at the pace of a model."""

import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.support.chat_streams import Piece
from tests.support.embedding_server import Line, Received, Reply
from tests.support.ollama_chat import OllamaChatServer

PIECE_SECONDS = 0.03
CLAIMS = 6


class PacedServer(OllamaChatServer):
    """Sends a piece of its answer every few hundredths of a second."""

    def _stream(self, pieces: Sequence[Piece], request: Received) -> Reply:
        reply = super()._stream(pieces, request)
        said = reply.stream
        assert said is not None

        def paced(line: Line) -> Iterator[bytes]:
            for part in said(line):
                time.sleep(PIECE_SECONDS)
                yield part

        return replace(reply, stream=paced)


def answered(payload: dict[str, Any]) -> str:
    """Claims made of the sentences that the model was given; asked to check them, it stays by them."""
    content = payload["messages"][1]["content"]
    if "You check which sentences" in payload["messages"][0]["content"]:
        asked = json.loads(content)
        ids = [one["id"] for one in asked["sentences"]]
        again = [{"text": one["number"], "ids": ids[at : at + 1]} for at, one in enumerate(asked["claims"])]
        return json.dumps({"claims": again})
    given = re.findall(r"\[(s\d+)\] ([^\[\n]+)", content)
    return json.dumps({"claims": [{"text": text.strip(), "ids": [name]} for name, text in given[:CLAIMS]]})


if __name__ == "__main__":
    with PacedServer("bench", answers=answered) as server:
        print(server.url, flush=True)
        sys.stdin.read()  # until whoever started it ends
