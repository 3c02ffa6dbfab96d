"""Which embedding space a library is in: chosen once, when it is created; another one only by a move."""

from collections.abc import Callable, Sequence

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer, require_match, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers.tokenizer_file import TokenizerUnreadableError, same_tokenizer
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunking_id, knows_rules
from webrag_desktop.indexing.options import LEAST_TOKENS, ChunkTargets
from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace, StoredSpace
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_moves
from webrag_desktop.storage.spaces.space_tables import (
    LARGEST_INDEXED_HALFVEC,
    LARGEST_INDEXED_VECTOR,
    activate_space,
    active_space,
    ensure_space,
    hold_space_lock,
)

HEADER_TOKENS = 32
Prove = Callable[[EmbeddingModel], None]


def chunking_options(targets: ChunkTargets, model: EmbeddingModel, tokenizer: Tokenizer) -> ChunkingOptions:
    """Chunk sizes with what the model's window leaves for a text beside its header, prefix and specials.

    Raises:
        ConfigurationError: it leaves too little for any text, or for the requested size.
    """
    taken = HEADER_TOKENS + tokenizer.special_tokens + tokenizer.count(model.document_prefix)
    window = model.max_tokens - taken
    if window < LEAST_TOKENS:
        raise ConfigurationError(
            f"{model.model} reads {model.max_tokens} tokens at once, and headings, prefix and markers take {taken} of "
            "them, which leaves too little for texts.",
            "Choose a model that reads more, or set EMBEDDING_MAX_TOKENS to what it reads.",
        )
    child, parent = targets.fitted(window)
    if child > window:
        raise ConfigurationError(
            f"CHUNK_CHILD_TOKENS is {child}, but {model.model} takes {window} tokens of text at most.",
            f"Set CHUNK_CHILD_TOKENS to {window} or less.",
        )
    return ChunkingOptions(child_tokens=child, parent_tokens=parent, window_tokens=window)


def chunking_of(space: EmbeddingSpace) -> ChunkingOptions:
    """The chunk sizes and rules of a space, whatever the present settings are.

    Raises:
        ConfigurationError: an earlier version of the program cut its texts, by rules that this one does not have.
    """
    rules, _, rest = space.chunking_id.partition("/")
    sizes, _, tokenizer = rest.partition("/")
    numbers = [int(size) for size in sizes.split("-") if size.isdecimal()]
    if len(numbers) == 3 and knows_rules(rules):
        child, parent, window = numbers
        options = ChunkingOptions(child_tokens=child, parent_tokens=parent, window_tokens=window, rules=rules)
        if chunking_id(options, tokenizer) == space.chunking_id:
            return options
    raise ConfigurationError(
        f"The texts of this library were cut by rules of another version of the program ({space.chunking_id}). They "
        "can be searched as they are, but nothing can be added to them.",
        "Run `webrag space move`: it cuts and embeds them again in the background, while searches go on.",
    )


def unproven(_model: EmbeddingModel) -> None:
    """Accept a model without checking it."""


def settle_space(
    database: Database, options: EmbeddingOptions, targets: ChunkTargets, prove: Prove = unproven
) -> StoredSpace:
    """The library's space; a new library gets the one of the settings.

    While the library moves to the space that the settings ask for, the one it is still in is returned. ``prove`` is
    called with the model before a new library takes it, and raises where the model is not as the settings say.

    Raises:
        ConfigurationError: the settings ask for another model or other chunk sizes than the library has.
    """
    stored = settle_model(database, options, targets, prove)
    if not (_moves_there(database, options, targets) or _fits(stored.space, options, targets)):
        chunking_of(stored.space)
        raise ConfigurationError(
            f"This library was cut by other chunk settings ({stored.space.chunking_id}) than the present ones "
            f"({wanted_space(stored.space, options, targets).chunking_id}). Nothing is lost.",
            "Run `webrag space move` to cut and embed it again in the background, or set CHUNK_CHILD_TOKENS and "
            "CHUNK_PARENT_TOKENS back.",
        )
    return stored


def settle_model(
    database: Database, options: EmbeddingOptions, targets: ChunkTargets, prove: Prove = unproven
) -> StoredSpace:
    """The library's space as far as searching it goes: its model must be that of the settings.

    Raises:
        ConfigurationError: they ask for another model.
    """
    with database.connection() as conn:
        stored = active_space(conn)
    if stored is None:
        wanted = chosen_space(options, targets)
        prove(wanted.model)
        with database.connection() as conn:
            return _first_space(conn, wanted)
    if not _moves_there(database, options, targets):
        require_match(stored.space.model, options)
    return stored


def chosen_space(options: EmbeddingOptions, targets: ChunkTargets) -> EmbeddingSpace:
    """The space that these settings would give a new library.

    Raises:
        ConfigurationError: they contradict themselves.
        EmbeddingError: their server does not provide what they leave open.
    """
    return _space(resolve(options), targets, options)


def wanted_space(
    present: EmbeddingSpace,
    options: EmbeddingOptions,
    targets: ChunkTargets,
    *,
    resolved: bool = False,
    tokenizers: Sequence[str] = (),
) -> EmbeddingSpace:
    """The space of the settings. What they leave open stays as the library has it, unless everything is ``resolved``.

    A tokenizer file of the same content as one of ``tokenizers`` keeps the name that it has there.

    Raises:
        ConfigurationError: they contradict themselves.
    """
    if not resolved and _same_model(present.model, options):
        return _space(present.model, targets, options)
    model = resolve(options)
    known = (name for name in (present.model.tokenizer, *tokenizers) if same_tokenizer(name, model.tokenizer))
    return _space(model.model_copy(update={"tokenizer": next(known, model.tokenizer)}), targets, options)


def _same_model(model: EmbeddingModel, options: EmbeddingOptions) -> bool:
    try:
        require_match(model, options)
    except TokenizerUnreadableError:
        raise  # nothing else differs, and its hint says what to do
    except ConfigurationError:
        return False
    return True


def _fits(space: EmbeddingSpace, options: EmbeddingOptions, targets: ChunkTargets) -> bool:
    """Whether a space is cut as the settings ask, be it by the rules of before, which are changed by a move alone."""
    wanted = wanted_space(space, options, targets).chunking_id.partition("/")
    found = space.chunking_id.partition("/")
    return found[2] == wanted[2] and knows_rules(found[0])


def _moves_there(database: Database, options: EmbeddingOptions, targets: ChunkTargets) -> bool:
    """Whether the library is on its way to a space that the settings allow."""
    with database.connection() as conn:
        move = space_moves.open_move(conn)
    return move is not None and (
        _same_model(move.space.model, options) and _fits(move.space, options, targets)
    )


def _first_space(conn: Connection, wanted: EmbeddingSpace) -> StoredSpace:
    hold_space_lock(conn)
    stored = active_space(conn)  # another process may have been quicker
    if stored is None:
        stored = ensure_space(conn, wanted)
        activate_space(conn, stored)
    return stored


def _space(model: EmbeddingModel, targets: ChunkTargets, options: EmbeddingOptions) -> EmbeddingSpace:
    tokenizer = open_tokenizer(model.tokenizer, options.tokenizer)
    chunking = chunking_options(targets, model, tokenizer)
    if model.dimensions > LARGEST_INDEXED_HALFVEC:
        raise ConfigurationError(
            f"The vectors of {model.model} have {model.dimensions} dimensions; the index takes "
            f"{LARGEST_INDEXED_HALFVEC} at most.",
            "Choose a model with shorter vectors, or set EMBEDDING_DIMENSIONS where the model can shorten them.",
        )
    return EmbeddingSpace(
        model=model,
        chunking_id=chunking_id(chunking, tokenizer.name),
        header_tokens=HEADER_TOKENS,
        storage="vector" if model.dimensions <= LARGEST_INDEXED_VECTOR else "halfvec",
    )
