"""What is judged of a question: whether the library holds what answers it."""

from typing import Literal

from webrag_desktop.models.base import FrozenModel

Verdict = Literal["covered", "unclear", "missing"]
# "search": from what the search tells alone; "model": a chat model was asked, since that left it unclear.
JudgedBy = Literal["search", "model"]


class Coverage(FrozenModel):
    """Whether the evidence found covers a question.

    ``score``, in [0, 1], is how likely it does by what the search tells. ``share_of_words``, in [0, 1], is how much of
    what the question's words are worth (rare ones most) the evidence holds; ``missing_words`` are those that it lacks,
    as they were written. ``documents_matched`` counts the documents that gave evidence. ``explanation`` says it in
    whole sentences.
    """

    verdict: Verdict
    score: float
    share_of_words: float
    missing_words: tuple[str, ...] = ()
    documents_matched: int = 0
    explanation: str
    by: JudgedBy = "search"
