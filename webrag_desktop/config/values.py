"""What a setting may be: a reader for each that is more than a text, and the message where it cannot be used."""

import math
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from webrag_desktop.embedding.options import Backend
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.retrieval.context.options import MOST_NEIGHBOURS
from webrag_desktop.retrieval.fusion import BLENDS, NORMALIZATIONS
from webrag_desktop.retrieval.reranking.options import LEAST_CHARS, MOST_CANDIDATES, MOST_SECONDS
from webrag_desktop.storage.searching.query_modes import CONFIGURATION_NAME, TSQUERY_MODES
from webrag_desktop.storage.searching.scores import LEXICAL_SCORES

SETTINGS_FILE = ".env"
StackChoice = Literal["auto", "embedded", "compose", "external"]
_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on", "t", "y"), True),
    **dict.fromkeys(("0", "false", "no", "off", "f", "n"), False),
}

Reader = Callable[[str], object]  # raises ValueError, telling what the value must be


def _home(text: str) -> Path:
    """The worker has another current folder; a relative path would lead it to another library."""
    home = _absolute(Path(text))
    if (file := _in_the_way(home)) is not None:
        raise ValueError(f"{file} is a file, not a folder")
    return home


def _file(text: str) -> Path:
    """Other processes have another current folder."""
    return _absolute(Path(text))


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ValueError("nobody knows that user's home folder") from None


def tokenizer_path(text: str, folder: Path | None = None) -> str:
    """The name of one that comes with the program, or a file's absolute path: the worker's current folder is another.

    A ``folder`` is where a relative path counts from, instead of the current one.
    """
    from webrag_desktop.embedding.catalog import SHIPPED_TOKENIZERS  # takes long to import, and few set this

    path = text.removeprefix("file:")
    if text in SHIPPED_TOKENIZERS or (folder is not None and path.startswith("~")):
        return text
    return str(_absolute((folder or Path()) / path))


def _in_the_way(folder: Path) -> Path | None:
    """The file that stands where this folder or one around it would have to be."""
    for place in (folder, *folder.parents):
        try:
            status = place.stat()
        except OSError:  # not there, or not to be seen: whoever makes the folder tells
            continue
        return None if stat.S_ISDIR(status.st_mode) else place
    return None


def _word(text: str) -> bool:
    if text.strip().lower() not in _WORDS:
        raise ValueError("it must be true or false")
    return _WORDS[text.strip().lower()]


def _configuration_name(text: str) -> str:
    if not CONFIGURATION_NAME.fullmatch(text):
        raise ValueError("it must be the name of a text search configuration, such as english or simple")
    return text


def _server(text: str) -> str:
    """What is not of the web is told here; the rest of an address is read when the server is first asked."""
    scheme, separator, _ = text.strip().partition("://")
    if separator and scheme.lower() not in ("http", "https"):
        raise ValueError("it must be the address of a server, such as http://localhost:11434")
    return text


def _one_of(*choices: str) -> Reader:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"it must be one of {', '.join(choices)}")
        return text

    return read


def _number(
    kind: type[int] | type[float],
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: float = -math.inf,
) -> Reader:
    def read(text: str) -> float:
        try:
            value = kind(text)
            finite = math.isfinite(value)
        except (ValueError, OverflowError):
            raise ValueError(f"it must be a {'whole ' if kind is int else ''}number") from None
        if not finite:
            raise ValueError("it must be a number")
        if not (least <= value <= most and value > above):
            raise ValueError(f"it must be {_range(least, most, above)}")
        return value

    return read


def _range(least: float, most: float, above: float) -> str:
    low = f"above {above:g}" if above > -math.inf else f"at least {least:g}"
    return low if most == math.inf else f"{low} and at most {most:g}"


_COUNT = _number(int, above=0)
_SHARE = _number(float, 0, 1)
_READERS: dict[str, Reader] = {
    "webrag_home": _home,
    "webrag_stack": _one_of(*get_args(StackChoice)),
    "fetch_timeout": _number(float, above=0),
    "fetch_max_bytes": _COUNT,
    "fetch_host_delay_seconds": _number(float, 0, 600),
    "extract_memory_mb": _number(int, 128),
    "extract_seconds": _number(float, above=0),
    "chunk_child_tokens": _number(int, 16),
    "chunk_parent_tokens": _number(int, 16),
    "embedding_backend": _one_of(*get_args(Backend)),
    "embedding_dimensions": _COUNT,
    "embedding_tokenizer": tokenizer_path,
    "embedding_max_tokens": _COUNT,
    "embedding_batch_size": _COUNT,
    "embedding_max_workers": _COUNT,
    "retrieval_full_context_threshold": _number(int, 0),
    "retrieval_context_budget": _COUNT,
    "retrieval_top_k_children_limit": _number(int, 1, 1000),
    "retrieval_similarity_floor": _SHARE,
    "retrieval_depth_decay_rate": _SHARE,
    "retrieval_depth_floor": _SHARE,
    "retrieval_hnsw_ef_search": _number(int, 1, 1000),
    "retrieval_lexical_score": _one_of(*LEXICAL_SCORES),
    "retrieval_tsquery_mode": _one_of(*TSQUERY_MODES),
    "retrieval_text_search_config": _configuration_name,
    "retrieval_corrections": _word,
    "retrieval_blend": _one_of(*BLENDS),
    "retrieval_normalize": _one_of(*NORMALIZATIONS),
    "retrieval_vector_weight": _SHARE,
    "retrieval_neighbor_same_page": _number(int, 0, MOST_NEIGHBOURS),
    "retrieval_neighbor_cross_page": _number(int, 0, MOST_NEIGHBOURS),
    "retrieval_include_parents": _word,
    "retrieval_final_max_tokens": _COUNT,
    "retrieval_min_primary_hits_to_keep": _number(int, 0),
    "retrieval_top_k_dense": _number(int, 1, 1000),
    "retrieval_rerank_enabled": _word,
    "retrieval_rerank_model_file": _file,
    "retrieval_rerank_base_url": _server,
    "retrieval_rerank_max_candidates_to_rerank": _number(int, 1, MOST_CANDIDATES),
    "retrieval_rerank_return_top_n": _COUNT,
    "retrieval_rerank_max_text_chars_per_candidate": _number(int, LEAST_CHARS),
    "retrieval_rerank_strict_json_output": _word,
    "retrieval_rerank_timeout": _number(float, above=0, most=MOST_SECONDS),
    "chat_base_url": _server,
}


def read_value(name: str, text: str) -> object:
    """The value of a setting as it was written.

    Raises:
        ConfigurationError: it is not of its type or out of range; the message names the setting.
    """
    try:
        return _READERS.get(name.lower(), str)(text)
    except ValueError as error:
        raise ConfigurationError(
            f"The setting {name} cannot be used: {error}.",
            f"Correct it in the environment or in the file {SETTINGS_FILE} of the data folder; blank.env explains "
            "every setting.",
        ) from error
