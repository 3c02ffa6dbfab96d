"""Which embedding space a library lives in: chosen once, when it is made, and never mixed afterwards."""

from dataclasses import dataclass

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer, require_match, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunking_id
from webrag_desktop.models import EmbeddingModel, EmbeddingSpace
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import (
    LARGEST_INDEXED_HALFVEC,
    LARGEST_INDEXED_VECTOR,
    StoredSpace,
    activate_space,
    active_space,
    ensure_space,
    hold_space_lock,
)

HEADER_TOKENS = 32


@dataclass(frozen=True, slots=True)
class ChunkTargets:
    """Sizes of chunks in tokens of the embedding model."""

    child_tokens: int = 256
    parent_tokens: int = 1000


def chunking_options(targets: ChunkTargets, model: EmbeddingModel, tokenizer: Tokenizer) -> ChunkingOptions:
    """Chunk sizes with what the model's window leaves for a text beside its header, prefix and specials."""
    taken = HEADER_TOKENS + tokenizer.special_tokens + tokenizer.count(model.document_prefix)
    window = model.max_tokens - taken
    if targets.child_tokens > window:
        raise ConfigurationError(
            f"CHUNK_CHILD_TOKENS is {targets.child_tokens}, but {model.model} takes {window} tokens of text at most.",
            f"Set CHUNK_CHILD_TOKENS to {window} or less.",
        )
    return ChunkingOptions(
        child_tokens=targets.child_tokens, parent_tokens=targets.parent_tokens, window_tokens=window
    )


def settle_space(database: Database, options: EmbeddingOptions, targets: ChunkTargets) -> StoredSpace:
    """The library's space; a new library gets the one that the settings ask for.

    Raises:
        ConfigurationError: the settings ask for another model or other chunk sizes than the library has.
    """
    with database.connection() as conn:
        stored = active_space(conn)
    if stored is None:
        wanted = _space(resolve(options), targets)
        with database.connection() as conn:
            return _first_space(conn, wanted)
    _refuse_mismatch(stored.space, options, targets)
    return stored


def _first_space(conn: Connection, wanted: EmbeddingSpace) -> StoredSpace:
    hold_space_lock(conn)
    stored = active_space(conn)  # another process may have been quicker
    if stored is None:
        stored = ensure_space(conn, wanted)
        activate_space(conn, stored)
    return stored


def _space(model: EmbeddingModel, targets: ChunkTargets) -> EmbeddingSpace:
    tokenizer = open_tokenizer(model.tokenizer)
    options = chunking_options(targets, model, tokenizer)
    if model.dimensions > LARGEST_INDEXED_HALFVEC:
        raise ConfigurationError(
            f"The vectors of {model.model} have {model.dimensions} dimensions; the index takes "
            f"{LARGEST_INDEXED_HALFVEC} at most.",
            "Choose a model with shorter vectors, or set EMBEDDING_DIMENSIONS where the model can shorten them.",
        )
    return EmbeddingSpace(
        model=model,
        chunking_id=chunking_id(options, tokenizer.name),
        header_tokens=HEADER_TOKENS,
        storage="vector" if model.dimensions <= LARGEST_INDEXED_VECTOR else "halfvec",
    )


def _refuse_mismatch(space: EmbeddingSpace, options: EmbeddingOptions, targets: ChunkTargets) -> None:
    require_match(space.model, options)
    wanted = _space(space.model, targets)
    if wanted.chunking_id != space.chunking_id:
        raise ConfigurationError(
            f"This library was cut by other chunk settings ({space.chunking_id}) than the present ones "
            f"({wanted.chunking_id}). Nothing was changed.",
            "Set CHUNK_CHILD_TOKENS and CHUNK_PARENT_TOKENS back, or use another WEBRAG_HOME for the new sizes.",
        )
