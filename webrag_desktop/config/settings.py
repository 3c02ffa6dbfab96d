"""Every setting, and what each stage's options are made of."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar

from pydantic import ConfigDict, SecretStr, ValidationError
from pydantic_core import ErrorDetails

from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.config.declaration import Section, Setting, annotations_of, settings_of
from webrag_desktop.config.search_sections import ContextPacks, Reranking, Retrieval
from webrag_desktop.config.sections import (
    Answers,
    Chunking,
    Embedding,
    Expanding,
    Fetching,
    OtherPrograms,
    Places,
    Reading,
)
from webrag_desktop.config.values import SETTINGS_FILE, settings_fingerprint
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.retrieval.contracts.options import ContextOptions, RetrievalOptions
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.layout import make_private
from webrag_desktop.stack.locks import FileLock

Options = TypeVar("Options")


class Settings(
    OtherPrograms,
    Expanding,
    Answers,
    Reranking,
    ContextPacks,
    Retrieval,
    Embedding,
    Chunking,
    Reading,
    Fetching,
    Places,
):
    """Settings by the name of their environment variable, in lower case; :func:`declared_settings` describes each.

    :func:`load_settings` and :meth:`of` make them.
    """

    model_config = ConfigDict(defer_build=False)

    @property
    def given(self) -> frozenset[str]:
        """The names, in lower case, of those that do not just have their default."""
        return frozenset(self.model_fields_set)

    @classmethod
    def of(cls, **given: object) -> "Settings":
        """Settings by upper-case names; what is not named has its default, and names of other things are passed over.

        Raises:
            ConfigurationError: a value is not of its type or out of range; the message names the setting.
        """
        try:
            return cls(**{name.lower(): str(given[name]) for name in setting_names() if name in given})
        except ValidationError as error:
            # The cause is left out: a traceback would show what was given.
            raise _refused(error.errors(include_url=False, include_input=False)) from None

    def as_environment(self) -> dict[str, str]:
        """What was set, with secrets, under the names of the environment: others work with the same settings."""
        return {name.upper(): _written(getattr(self, name)) for name in sorted(self.given | {"webrag_home"})}

    def secrets(self) -> dict[str, str]:
        """What of it is secret, and therefore belongs into no process's environment, which reports of crashes quote."""
        names = {one.name for one in declared_settings() if one.secret}
        return {name: value for name, value in self.as_environment().items() if name in names}

    def stack_options(self) -> StackOptions:
        """What the stack needs to know."""
        url = self.webrag_database_url
        return self._made(
            StackOptions, home=self.webrag_home, database_url=url.get_secret_value() if url else None
        )

    def fetch_options(self) -> FetchOptions:
        """What fetching and file reading need to know."""
        return self._made(FetchOptions)

    def reading_options(self) -> ReadingOptions:
        """What the process that reads documents needs to know."""
        return self._made(ReadingOptions)

    def chunk_targets(self) -> ChunkTargets:
        """How large chunks are to be; a default is no wish, and gives way to what the model takes."""
        sizes = ("child_tokens", "parent_tokens")
        return self._made(
            ChunkTargets, written_out=frozenset(name for name in sizes if f"chunk_{name}" in self.given)
        )

    def embedding_options(self) -> EmbeddingOptions:
        """What the embedder needs to know; dimensions only where the user set them."""
        # The default belongs to the default model; written out without a model's name it still says nothing.
        default = type(self).model_fields["embedding_dimensions"].default
        explicit = "embedding_dimensions" in self.given and (
            self.embedding_model is not None or self.embedding_dimensions != default
        )
        return self._made(
            EmbeddingOptions,
            dimensions=self.embedding_dimensions if explicit else None,
            locks=self._file_lock,
            model_folder=self.webrag_home / "cache" / "models",
        )

    def bin_options(self) -> BinOptions:
        """How long removed documents rest in the bin."""
        return self._made(BinOptions)

    def indexing_fingerprint(self) -> str:
        """Differs where documents would be indexed by other settings than before; holds no secret."""
        # A size that is written out is refused where the model does not take it; the same as a default gives way.
        sizes = sorted(self.given & {"chunk_child_tokens", "chunk_parent_tokens"})
        others = (f"{self.chunk_child_tokens}/{self.chunk_parent_tokens}", self.webrag_stack, *sizes)
        try:
            return settings_fingerprint(self.embedding_options(), *others)
        except ConfigurationError as error:  # what is wrong distinguishes them
            return error.message

    def _file_lock(self, name: str) -> FileLock:
        """A lock that all processes of this library share."""
        make_private(folder := self.webrag_home / "locks")
        return FileLock(folder / name)

    def retrieval_options(
        self, tsquery_mode: TsqueryMode | None = None, top_k_children: int | None = None
    ) -> RetrievalOptions:
        """What retrieval needs to know; a ``tsquery_mode`` and ``top_k_children`` go before the settings.

        Floor and weight of meaning only where the user set them: a model has its own.
        """
        asked = {"tsquery_mode": tsquery_mode, "top_k_children_limit": top_k_children}
        given = self.given
        return self._made(
            RetrievalOptions,
            similarity_floor=self.retrieval_similarity_floor
            if "retrieval_similarity_floor" in given
            else None,
            vector_weight=self.retrieval_vector_weight if "retrieval_vector_weight" in given else None,
            **{name: value for name, value in asked.items() if value},
        )

    def context_options(self) -> ContextOptions:
        """What context packs need to know."""
        return self._made(ContextOptions)

    def rerank_config(self) -> RerankConfig:
        """The options of reranking beside its server."""
        return self._made(RerankConfig)

    def answer_options(self) -> AnswerOptions:
        """The options of answering beside its server."""
        return self._made(AnswerOptions)

    def expansion_limits(self) -> ExpansionLimits:
        """How far links may be followed for a question."""
        return self._made(ExpansionLimits)

    def _made(self, options: Callable[..., Options], **more: object) -> Options:
        """A stage's options from the settings that were declared to be fields of it, and from what else is said."""
        taken: dict[str, object] = {}
        for name, field in type(self).model_fields.items():
            for stage in annotations_of(field).stages:
                if stage.options is options:
                    taken[stage.name] = stage.value(getattr(self, name))
        return options(**(taken | more))


# The bases of Settings are the one list of sections, the last first, as pydantic gathers their fields.
SECTIONS: tuple[type[Section], ...] = tuple(
    base for base in reversed(Settings.__bases__) if issubclass(base, Section)
)


def _written(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


@cache
def declared_settings() -> tuple[Setting, ...]:
    """Every setting, section by section."""
    return tuple(one for section in SECTIONS for one in settings_of(section))


def setting_names() -> tuple[str, ...]:
    """Every setting by the name of its environment variable."""
    return tuple(one.name for one in declared_settings())


def setting_of(options: type, name: str) -> Setting:
    """The setting that is the field of that ``name`` of a stage's options."""
    return next(
        one
        for one in declared_settings()
        if any(stage.options is options and stage.name == name for stage in one.stages)
    )


def problems_of(given: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with values, by upper-case names: after "the setting cannot be used", what it must be."""
    try:
        Settings(**{name.lower(): value for name, value in given.items() if value})
    except ValidationError as error:
        return _wrong(error.errors(include_url=False, include_input=False))
    return {}


def _wrong(errors: list[ErrorDetails]) -> dict[str, str]:
    by_name = {one.name: one for one in declared_settings()}
    named = [(by_name[str(error["loc"][0]).upper()], error) for error in errors]
    return {one.name: _wanted(one, error) for one, error in named}


def _refused(errors: list[ErrorDetails]) -> ConfigurationError:
    problems = [f"The setting {name} cannot be used: {wanted}." for name, wanted in _wrong(errors).items()]
    return ConfigurationError(
        " ".join(problems),
        f"Correct it in the environment or in the file {SETTINGS_FILE} of the data folder; blank.env explains "
        "every setting.",
    )


_OUT_OF_RANGE = frozenset({"greater_than", "greater_than_equal", "less_than_equal"})


def _wanted(setting: Setting, error: ErrorDetails) -> str:
    """What a value must be."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] not in _OUT_OF_RANGE:
        return f"it must be {setting.wanted}"
    endless = error["type"] == "less_than_equal" and math.isinf(setting.bounds.most)
    return "it must be a smaller number" if endless else f"it must be {setting.bounds}"
