"""Choose an embedding model from the settings, refusing contradictions; open its embedder and its tokenizer."""

import time
from dataclasses import replace
from functools import cache

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.bulk_threads import available_cores
from webrag_desktop.embedding.catalog import (
    EMBEDDED_MODELS,
    MULTILINGUAL_NAME,
    OLLAMA_CONTEXT,
    SHIPPED_TOKENIZERS,
    UNKNOWN_WINDOW,
    KnownModel,
    embedded_form,
    embedded_model,
    known_model,
    model_counting_with,
)
from webrag_desktop.embedding.client import (
    PROBE_TIMEOUT,
    Clock,
    EmbeddingClient,
    ollama_has_model,
    open_client,
)
from webrag_desktop.embedding.embedded import EmbeddedEmbedder, encoder_loader, preferred_form
from webrag_desktop.embedding.fused.published import published_file
from webrag_desktop.embedding.options import DEFAULT_OLLAMA_MODEL, DEFAULT_OPENAI_MODEL, EmbeddingOptions
from webrag_desktop.embedding.priority_lock import PriorityLock
from webrag_desktop.embedding.protocols import protocol_of
from webrag_desktop.embedding.remote import Limits, RemoteEmbedder
from webrag_desktop.embedding.server_check import Remember, ServerCheck
from webrag_desktop.embedding.tokenizers.huggingface import PREFIX, site
from webrag_desktop.embedding.tokenizers.shipped import shipped_tokenizer
from webrag_desktop.embedding.tokenizers.tokenizer_file import (
    FileTokenizer,
    TokenizerNotHereError,
    TokenizerUnreadableError,
    is_tokenizer_file,
    same_tokenizer,
    shipped_name,
    stated_place,
    tokenizer_file_name,
)
from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.servers.retries import EMBEDDING, RetryPolicy


def resolve(options: EmbeddingOptions) -> EmbeddingModel:
    """The model the options mean, today: done once, when a library is created.

    ``auto`` is Ollama's ``nomic-embed-text`` if a server answers and has it, else the embedded model; where the user
    named a model of Ollama's, that one, also while no server answers. Raises :class:`ConfigurationError` for
    contradictions (dimensions, tokenizer), for unknown models that are not described well enough, for a tokenizer
    that is not on this computer, and for a model that the server which answers does not have.
    """
    options = _with_shipped_tokenizer(options)
    if options.backend == "embedded":
        return _embedded(options)
    if options.backend == "ollama":
        return _served("ollama", (options.model or DEFAULT_OLLAMA_MODEL).removesuffix(":latest"), options)
    if options.backend == "openai":
        return _served("openai", options.model or DEFAULT_OPENAI_MODEL, options)
    return _automatic(options)


def _with_shipped_tokenizer(options: EmbeddingOptions) -> EmbeddingOptions:
    return (
        options if options.tokenizer is None else replace(options, tokenizer=shipped_name(options.tokenizer))
    )


def require_match(model: EmbeddingModel, options: EmbeddingOptions) -> None:
    """Raise :class:`ConfigurationError` if the user explicitly requests another model than the library's own.

    ``auto`` and everything not said match whatever the library was built with.
    """
    options = _with_shipped_tokenizer(options)
    said = {
        "EMBEDDING_BACKEND": (None if options.backend == "auto" else options.backend, model.backend),
        "EMBEDDING_MODEL": (_comparable(options.model, model), model.model),
        "EMBEDDING_DIMENSIONS": (options.dimensions, model.dimensions),
        "EMBEDDING_MAX_TOKENS": (
            options.max_tokens and min(options.max_tokens, model.max_tokens),
            model.max_tokens,
        ),
        "EMBEDDING_DOCUMENT_PREFIX": (options.document_prefix, model.document_prefix),
        "EMBEDDING_QUERY_PREFIX": (options.query_prefix, model.query_prefix),
    }
    for setting, (wanted, built) in said.items():
        _require_equal(setting, wanted, built)
    # Last: what contradicts the library in another way needs no look into a file, which may be gone.
    _require_equal("EMBEDDING_TOKENIZER", _comparable_tokenizer(options.tokenizer, model), model.tokenizer)


def _require_equal(setting: str, wanted: object, built: object) -> None:
    if wanted is not None and wanted != built:
        raise ConfigurationError(
            f"This library's vectors were made with {built!r}, but {setting} says {wanted!r}. "
            "Both cannot be searched together, so nothing was changed.",
            f"Run `webrag space move` to embed the library again in the background (searches continue meanwhile), or "
            f"remove {setting} to keep it as it is.",
        )


def _comparable(name: str | None, model: EmbeddingModel) -> str | None:
    if name is None:
        return None
    if model.backend == "embedded" and (form := embedded_form(name)) is not None:
        return form.model
    if model.backend == "embedded" and (one := embedded_model(name)) is not None:
        return model.model if model.model in {form.model for form in one.all_forms} else one.name
    return name.removesuffix(":latest") if model.backend == "ollama" else name


def _comparable_tokenizer(said: str | None, model: EmbeddingModel) -> str | None:
    """A file of the same content is the same tokenizer, at any path."""
    if said is None or not is_tokenizer_file(said):
        return said
    try:
        named = tokenizer_file_name(said)
    except TokenizerNotHereError:  # its message says how to get it
        raise
    except TokenizerUnreadableError as error:
        if not is_tokenizer_file(model.tokenizer):
            raise
        raise TokenizerUnreadableError(
            f"{error.message} This library was built with what was {stated_place(model.tokenizer)}.",
            "Set EMBEDDING_TOKENIZER to the path at which that, or a copy of it, is now.",
        ) from error
    return model.tokenizer if same_tokenizer(model.tokenizer, named) else named


def _automatic(options: EmbeddingOptions) -> EmbeddingModel:
    if options.model is not None and embedded_model(options.model) is not None:
        return _embedded(options)
    name = (options.model or DEFAULT_OLLAMA_MODEL).removesuffix(":latest")
    offered = _ollama_offers(name, options)
    if offered or (offered is None and _may_be_ollamas(options.model)):
        return _served("ollama", name, options)
    if options.model is not None:
        raise ConfigurationError(
            f"EMBEDDING_MODEL is {options.model}, but no Ollama server that has it answers.",
            f"Start Ollama and run: ollama pull {name}. For another server set EMBEDDING_BACKEND=openai; for the "
            "embedded model remove EMBEDDING_MODEL.",
        )
    return _embedded(options)


def _ollama_offers(name: str, options: EmbeddingOptions) -> bool | None:
    """Whether an Ollama server answers and holds the model; None where no server answers, which may change."""
    client = open_client("ollama", options, timeout=PROBE_TIMEOUT)
    try:
        return ollama_has_model(client, name)
    except EmbeddingError as error:
        return None if error.transient else False
    finally:
        client.close()


def _may_be_ollamas(name: str | None) -> bool:
    """Whether a requested model may be Ollama's; OpenAI's and LM Studio's are named differently."""
    return name is not None and not name.lower().startswith("text-embedding-")


def _embedded(options: EmbeddingOptions) -> EmbeddingModel:
    # A tokenizer named alone, as for a server that does not answer, asks for the model that counts with it.
    named = model_counting_with(options.tokenizer) if options.model is None else embedded_model(options.model)
    if named is None and options.model is not None:
        names = " and ".join(one.name for one in EMBEDDED_MODELS)
        raise ConfigurationError(
            f"EMBEDDING_MODEL is {options.model}, and no embedded model has that name.",
            f"The program brings {names}: set EMBEDDING_MODEL to one of them, or remove it. For the model of a server "
            "set EMBEDDING_BACKEND to ollama or openai.",
        )
    model = embedded_form(options.model or "") or preferred_form(options.model_folder, named)
    if named is not None and model not in named.forms and options.model_folder is not None:
        published_file(model, options.model_folder)  # no library is begun with what is not here
    _check_dimensions(options, "the embedded model", model.dimensions)
    _check_tokenizer(options, "the embedded model", model.tokenizer, files_allowed=False)
    return model.model_copy(update=_prefixes(options, model.document_prefix, model.query_prefix))


def _served(backend: str, name: str, options: EmbeddingOptions) -> EmbeddingModel:
    known = known_model(name) or _described(name, options)
    if not known.reducible:
        _check_dimensions(options, name, known.dimensions)
    elif (options.dimensions or 0) > known.dimensions:
        raise _wrong_dimensions(options, name, f"at most {known.dimensions}")
    _check_tokenizer(options, name, known.tokenizer, files_allowed=True)
    window = min(known.max_tokens, options.max_tokens or known.max_tokens)
    return EmbeddingModel(
        backend=backend,
        model=name,
        dimensions=options.dimensions or known.dimensions,
        tokenizer=_tokenizer_name(options.tokenizer or known.tokenizer, name, known.repository),
        max_tokens=min(window, OLLAMA_CONTEXT) if backend == "ollama" else window,
        **_prefixes(options, known.document_prefix, known.query_prefix),
    )


def _described(name: str, options: EmbeddingOptions) -> KnownModel:
    """A model the program has never heard of, as the user describes it."""
    if options.dimensions is None or options.tokenizer is None:
        raise ConfigurationError(
            f"The embedding model {name} is not one this program knows.",
            "Set EMBEDDING_DIMENSIONS to its vector length and EMBEDDING_TOKENIZER to its name on huggingface.co or "
            "the path of its tokenizer.json, and EMBEDDING_DOCUMENT_PREFIX and EMBEDDING_QUERY_PREFIX if its card "
            "names any.",
        )
    return KnownModel((name,), options.dimensions, options.max_tokens or UNKNOWN_WINDOW, None)


def _tokenizer_name(name: str | None, model: str, repository: str | None) -> str:
    if name is None:
        return _unnamed_tokenizer(model, repository)
    if name in SHIPPED_TOKENIZERS:
        return name
    if is_tokenizer_file(name):
        return tokenizer_file_name(name)
    raise ConfigurationError(
        f"EMBEDDING_TOKENIZER is {name}, which is neither a file nor a tokenizer this program brings.",
        f"Use {' or '.join(SHIPPED_TOKENIZERS)}, the path of a tokenizer.json, whatever the file is called, or of a "
        "folder that holds one, or the name of a model on huggingface.co, such as BAAI/bge-m3.",
    )


def _unnamed_tokenizer(model: str, repository: str | None) -> str:
    """The tokenizer that is known to belong to the model, if HuggingFace's cache has it; it is not downloaded."""
    missing = f"The tokenizer of {model} does not come with this program"
    file_hint = f"to the path of the tokenizer.json that belongs to {model}."
    if repository is None:
        raise ConfigurationError(f"{missing}.", f"Set EMBEDDING_TOKENIZER {file_hint}")
    try:
        return tokenizer_file_name(f"{PREFIX}{repository}")
    except TokenizerNotHereError as error:
        raise ConfigurationError(
            f"{missing}, and HuggingFace's cache on this computer does not hold it.",
            f"Set EMBEDDING_TOKENIZER to {repository} to have it downloaded from {site()}, or {file_hint}",
        ) from error


def _check_dimensions(options: EmbeddingOptions, model: str, native: int) -> None:
    if options.dimensions not in (None, native):
        raise _wrong_dimensions(options, model, str(native))


def _wrong_dimensions(options: EmbeddingOptions, model: str, possible: str) -> ConfigurationError:
    return ConfigurationError(
        f"EMBEDDING_DIMENSIONS is {options.dimensions}, but the vectors of {model} have {possible}.",
        "Remove EMBEDDING_DIMENSIONS to use the model's own, or choose another model.",
    )


def _check_tokenizer(options: EmbeddingOptions, model: str, own: str | None, *, files_allowed: bool) -> None:
    said = options.tokenizer
    if said is None or own is None or said == own or (files_allowed and is_tokenizer_file(said)):
        return
    raise ConfigurationError(
        f"EMBEDDING_TOKENIZER is {said}, but {model} counts with {own}.", "Remove EMBEDDING_TOKENIZER."
    )


def _prefixes(options: EmbeddingOptions, document: str, query: str) -> dict[str, str]:
    return {
        "document_prefix": document if options.document_prefix is None else options.document_prefix,
        "query_prefix": query if options.query_prefix is None else options.query_prefix,
    }


def open_embedder(
    model: EmbeddingModel,
    options: EmbeddingOptions,
    *,
    retry: RetryPolicy = EMBEDDING,
    clock: Clock = time.monotonic,
    remember: Remember | None = None,
) -> Embedder:
    """What embeds with ``model``; sends no request and loads no model until it is first used.

    Address and key of the options are used if they are meant for the model's backend. ``remember`` knows the vector of
    before, see :class:`ServerCheck`. Raises
    :class:`ConfigurationError` for an unknown backend, an unreadable address, a missing key or tokenizer.
    """
    if model.backend == "embedded":
        cores = options.cores or available_cores()
        return EmbeddedEmbedder(model, load=encoder_loader(model, options.model_folder), cores=cores)
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
    """The shipped tokenizer of that name, or that of a file, a folder or a HuggingFace name.

    It is opened once, from local files. Files that are no longer at the path of their name are searched for at
    ``place``, where the settings say that they are now. Raises
    :class:`ConfigurationError` for an unknown name and for files that cannot be used.
    """
    name = shipped_name(name)
    if name in SHIPPED_TOKENIZERS or name == MULTILINGUAL_NAME:
        return shipped_tokenizer(name)
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
