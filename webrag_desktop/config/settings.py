"""Every setting, its type and its default, and what each stage's options are made of.

(pydantic would check them, too, but a tenth of the window's start would be its.)"""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path

from webrag_desktop.config.values import StackChoice, read_value
from webrag_desktop.embedding.options import Backend, EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.ingestion.fetch_options import FetchOptions
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.orchestration.worker_failure import settings_fingerprint
from webrag_desktop.retrieval.context.options import ContextOptions
from webrag_desktop.retrieval.fusion import Blend, Normalization
from webrag_desktop.retrieval.options import RetrievalOptions
from webrag_desktop.retrieval.reranking.options import RerankConfig
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.place import make_private
from webrag_desktop.storage.searching.query_modes import TsqueryMode
from webrag_desktop.storage.searching.scores import LexicalScore

if TYPE_CHECKING:
    from pydantic import SecretStr


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
    retrieval_neighbor_same_page: int = 1
    retrieval_neighbor_cross_page: int = 2
    retrieval_include_parents: bool = True
    retrieval_final_max_tokens: int = 12000
    retrieval_min_primary_hits_to_keep: int = 3
    retrieval_top_k_dense: int | None = None
    retrieval_rerank_enabled: bool = False
    retrieval_rerank_model: str | None = None
    retrieval_rerank_model_file: Path | None = None
    retrieval_rerank_api_key: str | None = field(default=None, repr=False)
    retrieval_rerank_base_url: str | None = None
    retrieval_rerank_max_candidates_to_rerank: int = 50
    retrieval_rerank_return_top_n: int = 15
    retrieval_rerank_max_text_chars_per_candidate: int = 1200
    retrieval_rerank_strict_json_output: bool = True
    retrieval_rerank_timeout: float = 60.0

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
        values = {
            name.lower(): read_value(name, str(given[name])) for name in setting_names() if name in given
        }
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
        make_private(folder := self.webrag_home / "locks")
        return FileLock(folder / name)

    def retrieval_options(
        self, tsquery_mode: TsqueryMode | None = None, top_k_children: int | None = None
    ) -> RetrievalOptions:
        """What retrieval needs to know; a ``tsquery_mode`` and ``top_k_children`` go before the settings."""
        return RetrievalOptions(
            full_context_threshold=self.retrieval_full_context_threshold,
            context_budget=self.retrieval_context_budget,
            top_k_children_limit=top_k_children or self.retrieval_top_k_children_limit,
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

    def context_options(self) -> ContextOptions:
        """What context packs need to know."""
        return ContextOptions(
            neighbor_same_page=self.retrieval_neighbor_same_page,
            neighbor_cross_page=self.retrieval_neighbor_cross_page,
            include_parents=self.retrieval_include_parents,
            final_max_tokens=self.retrieval_final_max_tokens,
            min_primary_hits_to_keep=self.retrieval_min_primary_hits_to_keep,
            return_top_n=self.retrieval_rerank_return_top_n,
            top_k_dense=self.retrieval_top_k_dense,
        )

    def rerank_config(self) -> RerankConfig:
        """What reranking needs to know beside whom it asks."""
        return RerankConfig(
            model=self.retrieval_rerank_model,
            max_candidates_to_rerank=self.retrieval_rerank_max_candidates_to_rerank,
            return_top_n=self.retrieval_rerank_return_top_n,
            max_text_chars_per_candidate=self.retrieval_rerank_max_text_chars_per_candidate,
            strict_json_output=self.retrieval_rerank_strict_json_output,
            seconds=self.retrieval_rerank_timeout,
        )


def _secret(text: str | None) -> "SecretStr | None":
    if text is None:
        return None
    from pydantic import SecretStr  # takes long to import, and most users have no key

    return SecretStr(text)


def setting_names() -> tuple[str, ...]:
    """Every setting by the name of its environment variable."""
    return tuple(one.name.upper() for one in fields(Settings) if one.name != "given")
