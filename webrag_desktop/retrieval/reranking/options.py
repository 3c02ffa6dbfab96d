"""What the user may say about reranking; gathered from the settings and passed in."""

from dataclasses import dataclass

from webrag_desktop.errors import ConfigurationError

MOST_CANDIDATES = 200  # more passages than any chat model reads with care
LEAST_CHARS = 100  # of a passage; fewer say nothing
MOST_SECONDS = 86_400.0  # a day; clocks and sockets take no more than some hundred years


@dataclass(frozen=True)
class RerankConfig:
    """Limits of reranking; the ``RETRIEVAL_RERANK_*`` settings hold them.

    ``model`` names the chat model that judges; there is no default, since a question and passages of the library are
    sent to it. The best ``max_candidates_to_rerank`` are judged, each by at most ``max_text_chars_per_candidate``
    characters around what was found in it, and the best ``return_top_n`` are returned. With ``strict_json_output`` the
    server is asked for JSON of a schema, and a reply counts only where it is that and nothing else; without it, the
    JSON is looked for in what else the model says. ``seconds`` bound everything, waits included.
    """

    model: str | None = None
    max_candidates_to_rerank: int = 50
    return_top_n: int = 15
    max_text_chars_per_candidate: int = 1200
    strict_json_output: bool = True
    seconds: float = 60.0

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        if not 1 <= self.max_candidates_to_rerank <= MOST_CANDIDATES:
            raise _refused("MAX_CANDIDATES_TO_RERANK", f"between 1 and {MOST_CANDIDATES}")
        if self.return_top_n < 1:
            raise _refused("RETURN_TOP_N", "at least 1")
        if self.max_text_chars_per_candidate < LEAST_CHARS:
            raise _refused("MAX_TEXT_CHARS_PER_CANDIDATE", f"at least {LEAST_CHARS}")
        if not 0 < self.seconds <= MOST_SECONDS:
            raise _refused("TIMEOUT", f"above 0 and at most {MOST_SECONDS:.0f}")


def _refused(name: str, wanted: str) -> ConfigurationError:
    setting = f"RETRIEVAL_RERANK_{name}"
    return ConfigurationError(f"{setting} cannot be used: it must be {wanted}.", f"Change {setting}.")
