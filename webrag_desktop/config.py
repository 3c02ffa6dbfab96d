"""Every setting, its type and its default. Read once by the composition root; nobody else reads the environment."""

import os
from pathlib import Path
from typing import Any, Literal

from dotenv import dotenv_values
from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.ingestion.fetch_options import FetchOptions
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.retrieval.options import RetrievalOptions
from webrag_desktop.stack.base import StackOptions

SETTINGS_FILE = ".env"


def default_home() -> Path:
    """The data folder where ``WEBRAG_HOME`` names none: the platform's own place for it."""
    return user_data_path("webrag-desktop", appauthor=False)


class Settings(BaseModel):
    """Settings by the name of their environment variable; ``blank.env`` explains each one.

    :func:`load_settings` reads them. (pydantic-settings would, too, but a tenth of the window's start would be its.)
    """

    model_config = ConfigDict(extra="ignore")

    # -- Where things live ------------------------------------------------------------------------------------
    webrag_home: Path = Field(default_factory=default_home, validation_alias="WEBRAG_HOME")
    webrag_stack: Literal["auto", "embedded", "compose", "external"] = Field(
        default="auto", validation_alias="WEBRAG_STACK"
    )
    webrag_database_url: SecretStr | None = Field(default=None, validation_alias="WEBRAG_DATABASE_URL")

    # -- Fetching ---------------------------------------------------------------------------------------------
    fetch_timeout: float = Field(default=120.0, gt=0, validation_alias="FETCH_TIMEOUT")
    fetch_max_bytes: int = Field(default=50_000_000, gt=0, validation_alias="FETCH_MAX_BYTES")
    fetch_host_delay_seconds: float = Field(
        default=1.0, ge=0, le=600, allow_inf_nan=False, validation_alias="FETCH_HOST_DELAY_SECONDS"
    )

    # -- Reading ----------------------------------------------------------------------------------------------
    extract_memory_mb: int = Field(default=1024, ge=128, validation_alias="EXTRACT_MEMORY_MB")
    extract_seconds: float = Field(default=60.0, gt=0, validation_alias="EXTRACT_SECONDS")

    # -- Chunking (tokens of the embedding model) -------------------------------------------------------------
    chunk_child_tokens: int = Field(default=256, ge=16, validation_alias="CHUNK_CHILD_TOKENS")
    chunk_parent_tokens: int = Field(default=1000, ge=16, validation_alias="CHUNK_PARENT_TOKENS")

    # -- Embedding --------------------------------------------------------------------------------------------
    embedding_backend: Literal["auto", "embedded", "ollama", "openai"] = Field(
        default="auto", validation_alias="EMBEDDING_BACKEND"
    )
    embedding_base_url: str | None = Field(default=None, validation_alias="EMBEDDING_BASE_URL")
    embedding_model: str | None = Field(default=None, validation_alias="EMBEDDING_MODEL")
    embedding_api_key: SecretStr | None = Field(default=None, validation_alias="EMBEDDING_API_KEY")
    embedding_dimensions: int = Field(default=768, gt=0, validation_alias="EMBEDDING_DIMENSIONS")
    embedding_tokenizer: str | None = Field(default=None, validation_alias="EMBEDDING_TOKENIZER")
    embedding_max_tokens: int | None = Field(default=None, gt=0, validation_alias="EMBEDDING_MAX_TOKENS")
    embedding_document_prefix: str | None = Field(default=None, validation_alias="EMBEDDING_DOCUMENT_PREFIX")
    embedding_query_prefix: str | None = Field(default=None, validation_alias="EMBEDDING_QUERY_PREFIX")
    embedding_batch_size: int = Field(default=256, gt=0, validation_alias="EMBEDDING_BATCH_SIZE")
    embedding_max_workers: int = Field(default=4, gt=0, validation_alias="EMBEDDING_MAX_WORKERS")

    # -- Retrieval --------------------------------------------------------------------------------------------
    retrieval_full_context_threshold: int = Field(
        default=30000, ge=0, validation_alias="RETRIEVAL_FULL_CONTEXT_THRESHOLD"
    )
    retrieval_context_budget: int = Field(default=40000, gt=0, validation_alias="RETRIEVAL_CONTEXT_BUDGET")
    retrieval_top_k_children_limit: int = Field(
        default=60, gt=0, le=1000, validation_alias="RETRIEVAL_TOP_K_CHILDREN_LIMIT"
    )
    retrieval_similarity_floor: float = Field(
        default=0.3, ge=0, le=1, validation_alias="RETRIEVAL_SIMILARITY_FLOOR"
    )
    retrieval_depth_decay_rate: float = Field(
        default=0.05, ge=0, le=1, validation_alias="RETRIEVAL_DEPTH_DECAY_RATE"
    )
    retrieval_depth_floor: float = Field(default=0.80, ge=0, le=1, validation_alias="RETRIEVAL_DEPTH_FLOOR")
    retrieval_hnsw_ef_search: int = Field(
        default=100, gt=0, le=1000, validation_alias="RETRIEVAL_HNSW_EF_SEARCH"
    )
    retrieval_rerank_enabled: bool = Field(default=False, validation_alias="RETRIEVAL_RERANK_ENABLED")
    retrieval_rerank_model: str | None = Field(default=None, validation_alias="RETRIEVAL_RERANK_MODEL")
    retrieval_rerank_api_key: SecretStr | None = Field(
        default=None, validation_alias="RETRIEVAL_RERANK_API_KEY"
    )

    # -- Answers (optional) -----------------------------------------------------------------------------------
    chat_base_url: str = Field(default="http://localhost:11434", validation_alias="CHAT_BASE_URL")
    chat_model: str | None = Field(default=None, validation_alias="CHAT_MODEL")
    chat_api_key: SecretStr | None = Field(default=None, validation_alias="CHAT_API_KEY")

    @field_validator("webrag_home")
    @classmethod
    def _whole_path(cls, home: Path) -> Path:
        """The worker has another current folder; a relative path would lead it to another library."""
        return home.expanduser().absolute()

    def as_environment(self) -> dict[str, str]:
        """What was set, under the names of the environment, so that a worker works with the same settings."""
        given = {name: getattr(self, name) for name in self.model_fields_set | {"webrag_home"}}
        return {
            str(type(self).model_fields[name].validation_alias): str(_revealed(value))
            for name, value in given.items()
            if value is not None
        }

    def stack_options(self) -> StackOptions:
        """What the stack needs to know."""
        return StackOptions(
            home=self.webrag_home, database_url=_revealed(self.webrag_database_url), kind=self.webrag_stack
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
        default = type(self).model_fields["embedding_dimensions"].default
        # The default belongs to the default model; written out without a model's name it still says nothing.
        explicit = "embedding_dimensions" in self.model_fields_set and (
            self.embedding_model is not None or self.embedding_dimensions != default
        )
        return EmbeddingOptions(
            backend=self.embedding_backend,
            base_url=self.embedding_base_url,
            model=self.embedding_model,
            api_key=self.embedding_api_key,
            dimensions=self.embedding_dimensions if explicit else None,
            tokenizer=self.embedding_tokenizer,
            max_tokens=self.embedding_max_tokens,
            document_prefix=self.embedding_document_prefix,
            query_prefix=self.embedding_query_prefix,
            batch_size=self.embedding_batch_size,
            max_workers=self.embedding_max_workers,
        )

    def retrieval_options(self) -> RetrievalOptions:
        """What retrieval needs to know."""
        return RetrievalOptions(
            full_context_threshold=self.retrieval_full_context_threshold,
            context_budget=self.retrieval_context_budget,
            top_k_children_limit=self.retrieval_top_k_children_limit,
            similarity_floor=self.retrieval_similarity_floor,
            depth_decay_rate=self.retrieval_depth_decay_rate,
            depth_floor=self.retrieval_depth_floor,
            hnsw_ef_search=self.retrieval_hnsw_ef_search,
        )


def _revealed(value: Any) -> Any:
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def data_folder() -> Path:
    """The data folder: what ``WEBRAG_HOME`` names, or the platform's own place."""
    return Path(os.environ.get("WEBRAG_HOME") or default_home()).expanduser().absolute()


def _given(file: Path) -> dict[str, str]:
    """What is set, by its upper-case name; what is empty counts as not set."""
    written = dotenv_values(file) if file.is_file() else {}
    return {name.upper(): value for given in (written, os.environ) for name, value in given.items() if value}


def load_settings() -> Settings:
    """Read the environment and the file ``.env`` in the data folder; the environment wins.

    Only that folder's file is read: one that happens to lie in the current folder belongs to somebody else.

    Raises:
        ConfigurationError: a value is not of its type or out of range; the message names the setting.
    """
    home = data_folder()
    try:
        settings = Settings.model_validate(_given(home / SETTINGS_FILE))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ConfigurationError(
            f"The setting {first['loc'][0]} cannot be used: {first['msg']}.",
            f"Correct it in the environment or in {home / SETTINGS_FILE}; blank.env explains every setting.",
        ) from error
    return settings.model_copy(update={"webrag_home": home})
