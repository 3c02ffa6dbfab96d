"""Why a question in another language than the embedding model's may have found nothing."""

from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.text import language

ENGLISH_MODELS = ("all-minilm-", "sentence-transformers/all-minilm-")  # trained on English alone
NOT_ENGLISH = (
    "Nothing was found, and the question does not seem to be in English, the only language that the embedding model "
    "knows: ask in English, or with words from the texts."
)


def with_language_noted(
    result: RetrievalResult, question: str, model: EmbeddingModel | None
) -> RetrievalResult:
    """The result; where nothing was found in a language that is surely not the model's, ``degraded`` says so, too."""
    if result.chunks or not result.corpus_stats.total_documents or not _knows_english_only(model):
        return result
    if language.guess_language(question) in (None, "en"):
        return result
    degraded = " ".join(filter(None, (result.degraded, NOT_ENGLISH)))
    return result.model_copy(update={"degraded": degraded})


def prepare(model: EmbeddingModel) -> None:
    """Load what the first question that finds nothing would wait for."""
    if _knows_english_only(model):
        language.load()


def _knows_english_only(model: EmbeddingModel | None) -> bool:
    return model is not None and f"{model.model.lower()}-".startswith(ENGLISH_MODELS)
