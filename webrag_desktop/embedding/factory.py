"""The way in: choose a model, open what embeds with it, open what counts its tokens, look whether it works."""

from functools import cache

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.bpe import Cl100kTokenizer
from webrag_desktop.embedding.catalog import (
    BERT_UNCASED,
    CL100K,
    EMBEDDED_MODEL,
    SHIPPED_TOKENIZERS,
    known_model,
)
from webrag_desktop.embedding.embedded import EmbeddedEmbedder
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.remote import Batching, RemoteEmbedder
from webrag_desktop.embedding.resolution import require_match, resolve
from webrag_desktop.embedding.servers import open_client
from webrag_desktop.embedding.status import BackendStatus, check_backend
from webrag_desktop.embedding.tokenizer_file import FileTokenizer, is_tokenizer_file
from webrag_desktop.embedding.transport import RetryPolicy
from webrag_desktop.embedding.wordpiece import WordPieceTokenizer
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models import EmbeddingModel

__all__ = [
    "BackendStatus",
    "check_backend",
    "open_embedder",
    "open_tokenizer",
    "require_match",
    "resolve",
]

# Ollama computes on this machine: small requests keep a question from waiting behind a large one, and several
# at once have given corrupt vectors in some of its versions.
_OLLAMA_BATCH_TOKENS = 16_384
_OLLAMA_WORKERS = 1


def open_embedder(
    model: EmbeddingModel, options: EmbeddingOptions, *, retry: RetryPolicy | None = None
) -> Embedder:
    """What embeds with ``model``; contacts nobody and loads no model until it is first used.

    Address and key of the options are used if they are meant for the model's backend. Raises
    :class:`ConfigurationError` for an unknown backend, an unreadable address, a missing key or tokenizer.
    """
    if model.backend == "embedded":
        return _open_embedded(model)
    if model.backend not in ("ollama", "openai"):
        raise ConfigurationError(
            f"This library's vectors come from {model.backend}, which this version does not know.",
            "Update WebRAG Desktop.",
        )
    known = known_model(model.model)
    return RemoteEmbedder(
        model,
        open_client(model.backend, options, retry=retry),
        open_tokenizer(model.tokenizer),
        batching=_batching(model, options),
        send_dimensions=known is not None and known.reducible,
    )


def _open_embedded(model: EmbeddingModel) -> EmbeddedEmbedder:
    if model.model != EMBEDDED_MODEL.model:
        raise ConfigurationError(
            f"This library's vectors were made with {model.model}, and this version brings "
            f"{EMBEDDED_MODEL.model}. The two cannot be compared.",
            "Use the version of WebRAG Desktop that made the library, or embed its texts anew.",
        )
    return EmbeddedEmbedder(model)


@cache
def open_tokenizer(name: str) -> Tokenizer:
    """The tokenizer ``bert-base-uncased``, ``cl100k_base`` or that of a ``tokenizer.json``; opened once.

    Raises :class:`ConfigurationError` for an unknown name and for a file that cannot be used.
    """
    if name == BERT_UNCASED:
        return WordPieceTokenizer()
    if name == CL100K:
        return Cl100kTokenizer()
    if is_tokenizer_file(name):
        return FileTokenizer(name)
    raise ConfigurationError(
        f"There is no tokenizer named {name}.",
        f"Use {' or '.join(SHIPPED_TOKENIZERS)}, or the path of a tokenizer.json.",
    )


def _batching(model: EmbeddingModel, options: EmbeddingOptions) -> Batching:
    if model.backend == "ollama":
        return Batching(options.batch_size, _OLLAMA_BATCH_TOKENS, _OLLAMA_WORKERS)
    return Batching(texts=options.batch_size, workers=options.max_workers)
