"""The way in: choose a model, open what embeds with it, open what counts its tokens, look whether it works."""

import time
from functools import cache

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.catalog import (
    BERT_UNCASED,
    CL100K,
    SHIPPED_TOKENIZERS,
    known_model,
)
from webrag_desktop.embedding.client import Clock, EmbeddingClient, open_client
from webrag_desktop.embedding.embedded import EmbeddedEmbedder, encoder_loader
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.priority_lock import PriorityLock
from webrag_desktop.embedding.protocols import protocol_of
from webrag_desktop.embedding.remote import Limits, RemoteEmbedder
from webrag_desktop.embedding.resolution import require_match, resolve
from webrag_desktop.embedding.server_check import Remember, ServerCheck
from webrag_desktop.embedding.status import check_backend
from webrag_desktop.embedding.tokenizers.bpe import Cl100kTokenizer
from webrag_desktop.embedding.tokenizers.tokenizer_file import FileTokenizer, is_tokenizer_file, shipped_name
from webrag_desktop.embedding.tokenizers.wordpiece import WordPieceTokenizer
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.models.stack import BackendStatus
from webrag_desktop.servers.retries import EMBEDDING, RetryPolicy

__all__ = [
    "BackendStatus",
    "check_backend",
    "open_embedder",
    "open_tokenizer",
    "require_match",
    "resolve",
]


def open_embedder(
    model: EmbeddingModel,
    options: EmbeddingOptions,
    *,
    retry: RetryPolicy = EMBEDDING,
    clock: Clock = time.monotonic,
    remember: Remember | None = None,
) -> Embedder:
    """What embeds with ``model``; contacts nobody and loads no model until it is first used.

    Address and key of the options are used if they are meant for the model's backend. ``remember`` knows the vector of
    before, see :class:`ServerCheck`. Raises
    :class:`ConfigurationError` for an unknown backend, an unreadable address, a missing key or tokenizer.
    """
    if model.backend == "embedded":
        return EmbeddedEmbedder(model, load=encoder_loader(model, options.model_folder))
    if model.backend not in ("ollama", "openai"):
        raise ConfigurationError(
            f"This library's vectors come from {model.backend}, which this version does not know.",
            "Update WebRAG Desktop.",
        )
    client = open_client(model.backend, options, retry=retry, clock=clock)
    tokenizer = open_tokenizer(model.tokenizer, options.tokenizer)
    known = known_model(model.model)
    return RemoteEmbedder(
        model,
        client,
        protocol_of(model, client.address),
        tokenizer,
        check=ServerCheck(
            model,
            tokenizer,
            paired=known is not None and known.tokenizer == tokenizer.name,
            max_texts=options.batch_size,
            remember=remember,
        ),
        limits=_limits(model, options),
        priority_lock=_priority_lock(model, options, client),
        dimensions_set=options.dimensions == model.dimensions,
    )


@cache
def open_tokenizer(name: str, place: str | None = None) -> Tokenizer:
    """The tokenizer ``bert-base-uncased``, ``cl100k_base``, or that of a file, a folder or a HuggingFace name.

    It is opened once, from local files. Files that their name no longer leads to are looked for at ``place``, where
    the settings say that they lie now. Raises :class:`ConfigurationError` for an unknown name and for files that cannot
    be used.
    """
    name = shipped_name(name)
    if name == BERT_UNCASED:
        return WordPieceTokenizer()
    if name == CL100K:
        return Cl100kTokenizer()
    if is_tokenizer_file(name):
        return FileTokenizer(name, place)
    raise ConfigurationError(
        f"There is no tokenizer named {name}.",
        f"Use {' or '.join(SHIPPED_TOKENIZERS)}, the path of a tokenizer.json or of a folder that holds one, or the "
        "name of a model on huggingface.co whose tokenizer is on this computer.",
    )


def _limits(model: EmbeddingModel, options: EmbeddingOptions) -> Limits:
    # Several requests at once have given corrupt vectors in some versions of Ollama.
    return Limits(texts=options.batch_size, workers=1 if model.backend == "ollama" else options.max_workers)


def _priority_lock(
    model: EmbeddingModel, options: EmbeddingOptions, client: EmbeddingClient
) -> PriorityLock | None:
    """Of servers in the own network; a public one has room for a question at any time."""
    if options.locks is None or not (model.backend == "ollama" or client.address.is_private):
        return None
    return PriorityLock(options.locks, str(client.address), one_at_a_time=model.backend == "ollama")
