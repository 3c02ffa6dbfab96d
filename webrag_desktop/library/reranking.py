"""Which reranker the settings ask for; none is contacted or loaded before its first question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webrag_desktop.answering.chat.client import chat_address
from webrag_desktop.answering.chat.models import OpenAiChatModel
from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, Reranker, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.consistency import ConsistentReranker
from webrag_desktop.retrieval.reranking.listwise import LISTWISE
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.ordering import CachedReranker
from webrag_desktop.retrieval.reranking.pairwise import PAIRWISE, by_pairs
from webrag_desktop.servers.chat import ChatModel
from webrag_desktop.servers.retries import RetryPolicy


class UnusableReranker:
    """Stands in where the settings describe none: every question falls back and hears why."""

    model = None

    def __init__(self, error: ConfigurationError) -> None:
        self._error = error

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Raises ConfigurationError, whatever is asked."""
        raise ConfigurationError(self._error.message, self._error.hint)


@dataclass(frozen=True, slots=True)
class AfterReading:
    """Calls ``read`` before it asks the reranker: all is read then, and what was lent for it can be given back.

    A model may take a minute, and there are only a few connections to the database.
    """

    reranker: Reranker
    read: Callable[[], None]

    @property
    def model(self) -> str | None:
        """The reranker's."""
        return self.reranker.model

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """What the reranker says."""
        self.read()
        return self.reranker.rerank(query, candidates, cancel=cancel)


def open_reranker(settings: Settings) -> Reranker:
    """A local cross-encoder where a model file is given, else the chat model that is named."""
    try:
        return CachedReranker(_cross_encoder(settings) or _chat_reranker(settings))
    except ConfigurationError as error:
        return UnusableReranker(error)


def _cross_encoder(settings: Settings) -> Reranker | None:
    if settings.retrieval_rerank_model_file is None:
        return None
    from webrag_desktop.retrieval.reranking.cross_encoder import CrossEncoderReranker  # loads numpy

    return CrossEncoderReranker(settings.retrieval_rerank_model_file, settings.rerank_config())


def judging_by(chat: ChatModel, config: RerankConfig, retry: RetryPolicy | None = None) -> Reranker:
    """A chat model that judges as the config says, each judgement asked in two orders."""
    match config.judging:
        case "rubric":
            return ConsistentReranker(LlmReranker(chat, config, retry))
        case "listwise":
            return ConsistentReranker(LlmReranker(chat, config, retry, LISTWISE))
        case "pairwise":
            return ConsistentReranker(LlmReranker(chat, config, retry, PAIRWISE), by_pairs)


def _chat_reranker(settings: Settings) -> Reranker:
    config = settings.rerank_config()
    if config.model is None:
        raise ConfigurationError(
            "Reranking needs a model, and none is named.",
            "Set RETRIEVAL_RERANK_MODEL to a chat model, or RETRIEVAL_RERANK_MODEL_FILE to a local cross-encoder.",
        )
    # The key for answers goes to the server for answers alone.
    shared = settings.chat_api_key if settings.retrieval_rerank_base_url is None else None
    address = chat_address(settings.retrieval_rerank_base_url or settings.chat_base_url)
    key = settings.retrieval_rerank_api_key or shared
    chat = OpenAiChatModel(address, config.model, key.get_secret_value() if key else None)
    return judging_by(chat, config)
