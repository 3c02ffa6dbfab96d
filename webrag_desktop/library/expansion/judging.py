"""How far a library covers a question: by its search, and where that leaves it unclear, by the chat model."""

from contextlib import closing

from webrag_desktop.answering.chat.streaming import ChatRequest, ChatText, StreamingChatModel
from webrag_desktop.errors import ChatError
from webrag_desktop.expansion.asking import REPLY_TOKENS, SCHEMA, Reply, coverage_messages, read_reply
from webrag_desktop.expansion.coverage import judge_coverage, judged_by_model
from webrag_desktop.expansion.verdict import Coverage
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.results import RetrievalResult


def judged_coverage(
    question: str,
    result: RetrievalResult,
    model: StreamingChatModel | None,
    *,
    seconds: float,
    cancel: CancelToken | None = None,
) -> Coverage:
    """The coverage; a ``model`` is asked only for what the search leaves unclear.

    Where it gives no judgement within so many ``seconds`` of silence, the verdict of the search stands, and the
    explanation says why.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    coverage = judge_coverage(question, result)
    if model is None or coverage.verdict != "unclear":
        return coverage
    try:
        reply = _asked(question, result, model, seconds, cancel)
    except ChatError as error:
        told = f"{coverage.explanation} The chat model was no help: {error.message}"
        return coverage.model_copy(update={"explanation": told})
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
