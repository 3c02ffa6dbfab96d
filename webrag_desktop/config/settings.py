"""Every setting, and what each stage's options are made of."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.config.declaration import Section, Setting, settings_of
from webrag_desktop.config.reading import read_value
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
from webrag_desktop.embedding.options import DEFAULT_DIMENSIONS, EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.ingestion.fetching.options import FetchOptions, SubresourceOptions
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.retrieval.contracts.options import ContextOptions, RetrievalOptions
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.layout import make_private
from webrag_desktop.stack.locks import FileLock

Options = TypeVar("Options")


class UnusableSettingsError(ValueError):
    """Values that are not of their type or out of range: what each must be, by upper-case name."""

    def __init__(self, problems: dict[str, str]) -> None:
        """Nothing of the values is told: one may be a secret."""
        super().__init__(", ".join(problems))
        self.problems = problems


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

    given: frozenset[str]  # the names, in lower case, of those that do not just have their default

    def __init__(self, **given: str) -> None:
        """Read what is given, by lower-case names; what is not named has its default.

        Raises:
            UnusableSettingsError: a value is not of its type or out of range.
        """
        values: dict[str, Any] = {}
        problems = {}
        for one in declared_settings():
            name = one.name.lower()
            try:
                values[name] = read_value(one, given[name]) if name in given else one.default_value()
            except ValueError as error:
                problems[one.name] = str(error)
        if problems:
            raise UnusableSettingsError(problems)
        vars(self).update(values, given=frozenset(given) & frozenset(values))

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse it: settings are frozen."""
        message = f"The setting {name} cannot be changed."
        raise AttributeError(message)

    def __eq__(self, other: object) -> bool:
        """Whether all values are the same."""
        return self._values() == other._values() if isinstance(other, Settings) else NotImplemented

    def __hash__(self) -> int:
        """By the values."""
        return hash(tuple(self._values().values()))

    def __repr__(self) -> str:
        """All values but secrets."""
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self._values().items())})"

    def _values(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "given"}

    @classmethod
    def of(cls, **given: object) -> "Settings":
        """Settings by upper-case names; what is not named has its default, and names of other things are passed over.

        Raises:
            ConfigurationError: a value is not of its type or out of range; the message names the setting.
        """
        try:
            return cls(**{name.lower(): str(given[name]) for name in setting_names() if name in given})
        except UnusableSettingsError as error:
            raise _refused(error.problems) from None

    def as_environment(self) -> dict[str, str]:
        """What was set, with secrets, under the names of the environment: others work with the same settings."""
        secrets = {one.name.lower() for one in declared_settings() if one.secret}
        values = {name: getattr(self, name) for name in sorted(self.given | {"webrag_home"})}
        return {
            name.upper(): value.get_secret_value() if name in secrets else str(value)
            for name, value in values.items()
        }

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

    def subresource_options(self) -> SubresourceOptions:
        """Whether the files that show pages as they looked are kept, and within which limits."""
        return self._made(SubresourceOptions)

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
        explicit = "embedding_dimensions" in self.given and (
            self.embedding_model is not None or self.embedding_dimensions != DEFAULT_DIMENSIONS
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
        for one in declared_settings():
            for stage in one.stages:
                if stage.options is options:
                    taken[stage.name] = stage.value(getattr(self, one.name.lower()))
        return options(**(taken | more))


# The bases of Settings are the one list of sections, the last first, as pydantic gathers their fields.
SECTIONS: tuple[type[Section], ...] = tuple(
    base for base in reversed(Settings.__bases__) if issubclass(base, Section)
)


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
    except UnusableSettingsError as error:
        return error.problems
    return {}


def _refused(problems: Mapping[str, str]) -> ConfigurationError:
    said = [f"The setting {name} cannot be used: {wanted}." for name, wanted in problems.items()]
    return ConfigurationError(
        " ".join(said),
        f"Correct it in the environment or in the file {SETTINGS_FILE} of the data folder; blank.env explains "
        "every setting.",
    )
