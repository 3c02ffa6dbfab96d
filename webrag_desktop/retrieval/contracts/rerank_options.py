"""The options of reranking, which the settings hold."""

from dataclasses import dataclass
from typing import Literal

from webrag_desktop.bounds import bounded, check_settings

Judging = Literal["rubric", "listwise", "pairwise"]
MOST_CANDIDATES = 200  # more passages than any chat model reads with care
LEAST_CHARS = 100  # of a passage; fewer cannot be judged
MOST_SECONDS = 86_400.0  # a day; clocks and sockets take no more than some hundred years


@dataclass(frozen=True)
class RerankConfig:
    """Limits of reranking; the ``RETRIEVAL_RERANK_*`` settings hold them.

    ``model`` names the chat model that judges; there is no default, since a question and passages of the library are
    sent to it. The best ``max_candidates_to_rerank`` are judged, each by at most ``max_text_chars_per_candidate``
    characters around what was found in it, and the best ``return_top_n`` are returned. With ``strict_json_output`` the
    server is asked for JSON of a schema, and a reply counts only where it is that and nothing else; without it, the
    JSON is searched in the rest of the reply. ``seconds`` limit everything, waits included. ``judging`` is how a chat
    model is asked: for a score of every passage by the rubric, for the best of the list, or for the better of two.
    """

    model: str | None = None
    max_candidates_to_rerank: int = bounded(50, least=1, most=MOST_CANDIDATES)
    return_top_n: int = bounded(15, above=0)
    max_text_chars_per_candidate: int = bounded(1200, least=LEAST_CHARS)
    strict_json_output: bool = True
    seconds: float = bounded(60.0, above=0, most=MOST_SECONDS)
    judging: Judging = "rubric"

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        check_settings(self, "RETRIEVAL_RERANK", {"seconds": "RETRIEVAL_RERANK_TIMEOUT"})
