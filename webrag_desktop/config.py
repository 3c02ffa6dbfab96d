"""Every setting, its type and its default. Read once by the composition root; nobody else reads the environment.

(pydantic would check them, too, but a tenth of the window's start would be its.)"""

import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from platformdirs import user_data_path

from webrag_desktop.embedding.options import Backend, EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.ingestion.fetch_options import FetchOptions
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.orchestration.worker_failure import settings_fingerprint
from webrag_desktop.retrieval.fusion import BLENDS, NORMALIZATIONS, Blend, Normalization
from webrag_desktop.retrieval.options import RetrievalOptions
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.storage.searching.query_modes import CONFIGURATION_NAME, TSQUERY_MODES, TsqueryMode
from webrag_desktop.storage.searching.scores import LEXICAL_SCORES, LexicalScore

if TYPE_CHECKING:
    from pydantic import SecretStr

SETTINGS_FILE = ".env"
StackChoice = Literal["auto", "embedded", "compose", "external"]
_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on", "t", "y"), True),
    **dict.fromkeys(("0", "false", "no", "off", "f", "n"), False),
}


def default_home() -> Path:
    """The data folder where ``WEBRAG_HOME`` names none: the platform's own place for it."""
    return user_data_path("webrag-desktop", appauthor=False)


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings by the name of their environment variable, in lower case; ``blank.env`` explains each one.

    :func:`load_settings` and :meth:`of` make them. ``given`` names those that do not just have their default.
    """

    given: frozenset[str] = frozenset()

    # -- Where things live ------------------------------------------------------------------------------------
    webrag_home: Path = field(default_factory=default_home)
    webrag_stack: StackChoice = "auto"
    webrag_database_url: str | None = field(default=None, repr=False)

    # -- Fetching ---------------------------------------------------------------------------------------------
    fetch_timeout: float = 120.0
    fetch_max_bytes: int = 50_000_000
    fetch_host_delay_seconds: float = 1.0

    # -- Reading ----------------------------------------------------------------------------------------------
    extract_memory_mb: int = 1024
    extract_seconds: float = 60.0

    # -- Chunking (tokens of the embedding model) -------------------------------------------------------------
    chunk_child_tokens: int = 256
    chunk_parent_tokens: int = 1000

    # -- Embedding --------------------------------------------------------------------------------------------
    embedding_backend: Backend = "auto"
    embedding_base_url: str | None = None
    embedding_model: str | None = None
    embedding_api_key: str | None = field(default=None, repr=False)
    embedding_dimensions: int = 768
    embedding_tokenizer: str | None = None
    embedding_max_tokens: int | None = None
    embedding_document_prefix: str | None = None
    embedding_query_prefix: str | None = None
    embedding_batch_size: int = 256
    embedding_max_workers: int = 4

    # -- Retrieval --------------------------------------------------------------------------------------------
    retrieval_full_context_threshold: int = 30000
    retrieval_context_budget: int = 40000
    retrieval_top_k_children_limit: int = 60
    retrieval_similarity_floor: float = 0.3
    retrieval_depth_decay_rate: float = 0.05
    retrieval_depth_floor: float = 0.80
    retrieval_hnsw_ef_search: int = 100
    retrieval_lexical_score: LexicalScore = "bm25"
    retrieval_tsquery_mode: TsqueryMode = "web"
    retrieval_text_search_config: str | None = None
    retrieval_corrections: bool = True
    retrieval_blend: Blend = "linear"
    retrieval_normalize: Normalization = "minmax"
    retrieval_vector_weight: float = 0.5
    retrieval_rerank_enabled: bool = False
    retrieval_rerank_model: str | None = None
    retrieval_rerank_api_key: str | None = field(default=None, repr=False)

    # -- Answers (optional) -----------------------------------------------------------------------------------
    chat_base_url: str = "http://localhost:11434"
    chat_model: str | None = None
    chat_api_key: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, **given: object) -> "Settings":
        """Settings by upper-case names; what is not named has its default, and names of other things are passed over.

        Raises:
            ConfigurationError: a value is not of its type or out of range; the message names the setting.
        """
        values = {name.lower(): _read(name, str(given[name])) for name in setting_names() if name in given}
        return cls(given=frozenset(values), **values)  # type: ignore[arg-type]

    def as_environment(self) -> dict[str, str]:
        """What was set, under the names of the environment, so that a worker works with the same settings."""
        return {name.upper(): str(getattr(self, name)) for name in sorted(self.given | {"webrag_home"})}

    def stack_options(self) -> StackOptions:
        """What the stack needs to know."""
        return StackOptions(
            home=self.webrag_home, database_url=self.webrag_database_url, kind=self.webrag_stack
        )

    def fetch_options(self) -> FetchOptions:
        """What fetching and file reading need to know."""
        return FetchOptions(
            total_seconds=self.fetch_timeout,
            max_bytes=self.fetch_max_bytes,
            host_delay_seconds=self.fetch_host_delay_seconds,
        )

    def reading_options(self) -> ReadingOptions:
        """What the process that reads documents needs to know."""
        return ReadingOptions(memory_bytes=self.extract_memory_mb * MEGABYTE, seconds=self.extract_seconds)

    def embedding_options(self) -> EmbeddingOptions:
        """What the embedder needs to know; dimensions only where the user set them."""
        # The default belongs to the default model; written out without a model's name it still says nothing.
        explicit = "embedding_dimensions" in self.given and (
            self.embedding_model is not None or self.embedding_dimensions != type(self).embedding_dimensions
        )
        return EmbeddingOptions(
            backend=self.embedding_backend,
            base_url=self.embedding_base_url,
            model=self.embedding_model,
            api_key=_secret(self.embedding_api_key),
            dimensions=self.embedding_dimensions if explicit else None,
            tokenizer=self.embedding_tokenizer,
            max_tokens=self.embedding_max_tokens,
            document_prefix=self.embedding_document_prefix,
            query_prefix=self.embedding_query_prefix,
            batch_size=self.embedding_batch_size,
            max_workers=self.embedding_max_workers,
            locks=self._file_lock,
            model_folder=self.webrag_home / "cache" / "models",
        )

    def indexing_fingerprint(self) -> str:
        """Tells whether documents would be indexed by other settings than before; no secret goes into it."""
        others = (f"{self.chunk_child_tokens}/{self.chunk_parent_tokens}", self.webrag_stack)
        try:
            return settings_fingerprint(self.embedding_options(), *others)
        except ConfigurationError as error:  # what is wrong tells them from others
            return error.message

    def _file_lock(self, name: str) -> FileLock:
        """A lock that all processes of this library share."""
        (folder := self.webrag_home / "locks").mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(folder / name)

    def retrieval_options(self, tsquery_mode: TsqueryMode | None = None) -> RetrievalOptions:
        """What retrieval needs to know; a ``tsquery_mode`` goes before the setting."""
        return RetrievalOptions(
            full_context_threshold=self.retrieval_full_context_threshold,
            context_budget=self.retrieval_context_budget,
            top_k_children_limit=self.retrieval_top_k_children_limit,
            similarity_floor=self.retrieval_similarity_floor,
            depth_decay_rate=self.retrieval_depth_decay_rate,
            depth_floor=self.retrieval_depth_floor,
            hnsw_ef_search=self.retrieval_hnsw_ef_search,
            lexical_score=self.retrieval_lexical_score,
            tsquery_mode=tsquery_mode or self.retrieval_tsquery_mode,
            text_search_config=self.retrieval_text_search_config,
            corrections=self.retrieval_corrections,
            blend=self.retrieval_blend,
            normalize=self.retrieval_normalize,
            vector_weight=self.retrieval_vector_weight,
        )


def _secret(text: str | None) -> "SecretStr | None":
    if text is None:
        return None
    from pydantic import SecretStr  # takes long to import, and most users have no key

    return SecretStr(text)


# -- Reading ------------------------------------------------------------------------------------------------------

Reader = Callable[[str], object]  # raises ValueError, telling what the value must be


def _home(text: str) -> Path:
    """The worker has another current folder; a relative path would lead it to another library."""
    home = _absolute(Path(text))
    if (file := _in_the_way(home)) is not None:
        raise ValueError(f"{file} is a file, not a folder")
    return home


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ValueError("nobody knows that user's home folder") from None


def _tokenizer(text: str, folder: Path | None = None) -> str:
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
    "embedding_tokenizer": _tokenizer,
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
    "retrieval_rerank_enabled": _word,
}


def setting_names() -> tuple[str, ...]:
    """Every setting by the name of its environment variable."""
    return tuple(one.name.upper() for one in fields(Settings) if one.name != "given")


def _read(name: str, text: str) -> object:
    try:
        return _READERS.get(name.lower(), str)(text)
    except ValueError as error:
        raise ConfigurationError(
            f"The setting {name} cannot be used: {error}.",
            f"Correct it in the environment or in the file {SETTINGS_FILE} of the data folder; blank.env explains "
            "every setting.",
        ) from error


def data_folder() -> Path:
    """The data folder: what ``WEBRAG_HOME`` names, or the platform's own place.

    Raises:
        ConfigurationError: it names a user without a home folder.
    """
    named = _read("WEBRAG_HOME", os.environ.get("WEBRAG_HOME") or str(default_home()))
    assert isinstance(named, Path)
    return named


def _given(file: Path) -> dict[str, str]:
    """What is set, by its upper-case name; what is empty counts as not set.

    A tokenizer that the file names by a relative path lies beside the file.
    """
    written = {name.upper(): value for name, value in _written(file).items() if value}
    if tokenizer := written.get("EMBEDDING_TOKENIZER"):
        written["EMBEDDING_TOKENIZER"] = _tokenizer(tokenizer, file.parent)
    return written | {name.upper(): value for name, value in os.environ.items() if value}


def _written(file: Path) -> Mapping[str, str | None]:
    if not file.is_file():
        return {}
    from dotenv import dotenv_values  # most users have no such file

    return dotenv_values(file)


_NEVER_SHARED = re.compile(r"WEBRAG_|.*_KEY$")


def shareable_settings(home: Path) -> dict[str, str]:
    """What the data folder's settings file sets, without keys, addresses that may hold one, and where things live."""
    written = ((name.upper(), value or "") for name, value in _written(home / SETTINGS_FILE).items())
    return {
        name: value
        for name, value in written
        if name in setting_names() and value and not _NEVER_SHARED.match(name) and not set("@?") & set(value)
    }


def load_settings() -> Settings:
    """Read the environment and the file ``.env`` in the data folder; the environment wins.

    Only that folder's file is read: one that happens to lie in the current folder belongs to somebody else.

    Raises:
        ConfigurationError: a value is not of its type or out of range; the message names the setting.
    """
    home = data_folder()
    return replace(Settings.of(**_given(home / SETTINGS_FILE)), webrag_home=home)
