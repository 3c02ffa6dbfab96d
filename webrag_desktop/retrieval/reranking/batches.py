"""How many passages are judged in one request: as many as the server's context holds, with what is said of them."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webrag_desktop.retrieval.reranking.chat import ContextOverflowError
from webrag_desktop.retrieval.reranking.prompt import ShownPassage, messages, schema_of

# Of a server that does not tell: what small models have, and what most servers can be given.
ASSUMED_CONTEXT = 8_192

# Of UTF-8; fewer than any script has with the tokenizers in use, so that what is left over is for the model's template.
_BYTES_PER_TOKEN = 3
_ANSWER_TOKENS = 170  # of one judgement whose evidence is as long as it may be


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The ``tokens`` that a server reads and writes for one request.

    ``scale`` is by how much its own count exceeded ours, as far as it told.
    """

    tokens: int = ASSUMED_CONTEXT
    scale: float = 1.0

    def next_batch(self, query: str, passages: Sequence[ShownPassage], most: int) -> int:
        """How many of the leading passages to send, ``most`` at most; one at least, even where it does not fit.

        What is left is not sent in full batches with a small one behind, but in batches of about the same number.
        """
        fitting = min(self._fitting(query, passages), most)
        return math.ceil(len(passages) / math.ceil(len(passages) / fitting))

    def after(
        self, overflow: ContextOverflowError, query: str, passages: Sequence[ShownPassage]
    ) -> "ContextWindow":
        """What is known after the server did not take these passages."""
        tokens = min(overflow.context or self.tokens, self.tokens)
        if overflow.sent is None:
            return replace(self, tokens=tokens)
        return ContextWindow(tokens, max(self.scale, overflow.sent / _sent(query, passages)))

    def _fitting(self, query: str, passages: Sequence[ShownPassage]) -> int:
        taken, empty = _sent(query, []), _sent("", [])
        for count, passage in enumerate(passages):
            taken += _sent("", [passage]) - empty
            if taken * self.scale + (count + 1) * _ANSWER_TOKENS > self.tokens:
                return max(1, count)
        return max(1, len(passages))


def _sent(query: str, passages: Sequence[ShownPassage]) -> float:
    """About how many tokens a request has; where the schema is read, too, it counts."""
    said = sum(len(one.content.encode()) for one in messages(query, passages))
    return (said + len(json.dumps(schema_of(len(passages)).schema))) / _BYTES_PER_TOKEN
