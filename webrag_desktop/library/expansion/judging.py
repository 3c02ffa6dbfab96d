"""Judging a question: whether the library covers it, and how near links are in meaning."""

import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from webrag_desktop.errors import ChatError, EmbeddingError
from webrag_desktop.expansion.asking import REPLY_TOKENS, SCHEMA, Reply, coverage_messages, read_reply
from webrag_desktop.expansion.contracts import Coverage, LinkCandidate
from webrag_desktop.expansion.coverage import judge_coverage, judged_by_model
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.servers.chat import ChatRequest, ChatText, StreamingChatModel

if TYPE_CHECKING:
    from webrag_desktop.embedding.base import Embedder


def judged_coverage(
    question: str,
    result: RetrievalResult,
    model: StreamingChatModel | None,
    *,
    seconds: float,
    nearness: Callable[[float], float] = float,
    cancel: CancelToken | None = None,
) -> Coverage:
    """The coverage; a ``model`` is asked only for what the search leaves unclear.

    ``nearness`` is that of the embedding model (:meth:`.EmbeddingModel.nearness`).
    Where it gives no judgement within so many ``seconds`` of silence, the verdict of the search is kept, and the
    explanation says why.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    coverage = judge_coverage(question, result, nearness)
    if model is None or coverage.verdict != "unclear":
        return coverage
    try:
        reply = _asked(question, result, model, seconds, cancel)
    except ChatError as error:
        explanation = f"{coverage.explanation} The chat model was no help: {error.message}"
        return coverage.model_copy(update={"explanation": explanation})
    return judged_by_model(coverage, reply.answers, reply.lacks)


def _asked(
    question: str,
    result: RetrievalResult,
    model: StreamingChatModel,
    seconds: float,
    cancel: CancelToken | None,
) -> Reply:
    request = ChatRequest(coverage_messages(question, result), SCHEMA, most_tokens=REPLY_TOKENS)
    with closing(model.stream(request, seconds=seconds, cancel=cancel)) as pieces:  # type: ignore[type-var]
        text = "".join(piece.text for piece in pieces if isinstance(piece, ChatText))
    return read_reply(text, f"The chat model {model.name}")


MOST_COMPARED = 200  # names embedded for one round; the rest waits for the next
LONGEST_NAME = 300  # characters

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Nearness:
    """Compares links with one question; each name is embedded once."""

    _known: dict[str, float] = field(default_factory=dict)

    def learn(
        self,
        links: Sequence[LinkCandidate],
        question: Sequence[float],
        embedder: "Embedder",
        cancel: CancelToken | None = None,
    ) -> None:
        """Compare the names of the first of these that are new with a question's vector.

        What the model cannot embed stays unknown. Raises :class:`~webrag_desktop.errors.Cancelled`.
        """
        import numpy as np

        new = list(dict.fromkeys(name for link in links if (name := _name(link)) and name not in self._known))
        new = new[:MOST_COMPARED]
        if not new:
            return
        try:
            vectors = np.asarray(embedder.embed_texts(new, cancel=cancel), dtype=np.float64)
        except EmbeddingError as error:  # its pages will not be embedded either, which is reported there
            logger.info("links are scored by their words alone: %s", error.message)
            return
        asked = np.asarray(question, dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(asked)
        cosines = np.clip(vectors @ asked / np.where(lengths > 0, lengths, 1.0), 0.0, 1.0)
        self._known |= dict(zip(new, map(embedder.model.nearness, cosines.tolist()), strict=True))

    def noted(self, links: Sequence[LinkCandidate]) -> list[LinkCandidate]:
        """The links with how near each is; all as they were where none was ever compared."""
        if not self._known:
            return list(links)
        return [replace(link, nearness=self._known.get(_name(link), 0.0)) for link in links]


def _name(link: LinkCandidate) -> str:
    return link.name[:LONGEST_NAME].strip()
