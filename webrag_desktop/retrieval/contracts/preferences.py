"""The preferences of a :class:`~webrag_desktop.retrieval.hybrid.retriever.Retriever`, field by field."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from webrag_desktop.errors import InputError, WebragError
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import HEADINGS
from webrag_desktop.models.questions import CONFIGURATION_NAME, LexicalScore, TsqueryMode
from webrag_desktop.retrieval.contracts.options import MOST_CANDIDATES, Distance, RetrievalOptions
from webrag_desktop.retrieval.fusion import Blend, FusionOptions, Normalization

Strategy = Literal["late", "precomputed", "mixed"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Count = Annotated[int, Field(ge=1, le=MOST_CANDIDATES)]
Tokens = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, le=1)]
Cosine = Annotated[float, Field(ge=-1, le=1)]


class Preferences(FrozenModel):
    """Preferences of one kind; ``kind`` is their field in :class:`RetrievalPrefs`.

    Raises:
        InputError: an unknown name, or a value that cannot be; the message names it and the values that are possible.
    """

    kind: ClassVar[str] = ""

    def __init__(self, **given: Any) -> None:
        """Refuse as one of our own errors."""
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise _refused(type(self), error) from None

    @classmethod
    def model_validate(cls, obj: Any, **how: Any) -> Self:
        """The same from a dictionary."""
        try:
            return super().model_validate(obj, **how)
        except ValidationError as error:
            raise _refused(cls, error) from None

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **how: Any) -> Self:
        """The same from JSON."""
        try:
            return super().model_validate_json(json_data, **how)
        except ValidationError as error:
            raise _refused(cls, error) from None


def _configuration(name: str) -> str:
    if not CONFIGURATION_NAME.fullmatch(name):
        raise InputError(
            f"The preference fts.config is {name!r}, which names no text search configuration.",
            "Leave it out for each document's own language, or use a name such as english or simple.",
        )
    return name


class FtsPrefs(Preferences):
    """How the words are read (``mode``, ``config``: the server's configuration, None for each text's own) and scored.

    Words that score less than ``min_rank`` are no evidence.
    """

    kind: ClassVar[str] = "fts"

    mode: TsqueryMode = "web"
    config: Annotated[str, AfterValidator(_configuration)] | None = None
    rank_func: LexicalScore = "ts_rank_cd"
    min_rank: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class VectorPrefs(Preferences):
    """Whether meaning is searched at all, and the cosine from which on it counts (None: the model's own floor).

    Vectors are compared by their direction, so every ``distance`` gives the same order and the same cosines.
    """

    kind: ClassVar[str] = "vector"

    embed_query: bool = True
    distance: Distance = "cosine"
    min_score: Cosine | None = None


class ScoringPrefs(Preferences):
    """How both arms' scores become one; weights and normalisation are those of ``linear``, ``rrf`` needs none."""

    kind: ClassVar[str] = "scoring"

    blend: Blend = "rrf"
    w_text: Weight = 0.35
    w_vec: Weight = 0.65
    normalize: Normalization = "sigmoid"


class ChunkingPrefs(Preferences):
    """Where evidence is cut: when the document was indexed (``precomputed``), now (``late``), or both (``mixed``).

    The rest is for cutting now: ``chunker_id`` names the rules, ``include_headers`` puts title and headings before a
    chunk's text when it is embedded (its own text stays as it is), and None leaves sizes to the chunker.

    The texts of the documents found are cut as far as ``max_chars`` characters of them go, the best documents first;
    one that does not fit is skipped. ``max_seconds`` ends the cutting earlier: then equal questions may have
    unequal answers, since each gets further than the one before. None sets no limit.
    """

    kind: ClassVar[str] = "chunking"

    strategy: Strategy = "precomputed"
    chunker_id: Annotated[str, Field(min_length=1)] = HEADINGS
    include_headers: bool = True
    max_chunk_tokens: Tokens | None = None
    overlap_tokens: Annotated[int, Field(ge=0)] | None = None
    max_chars: Annotated[int, Field(ge=1)] | None = 2_000_000
    max_seconds: Seconds | None = None


class CachePrefs(Preferences):
    """Whether chunks that were cut late may be taken from, and left in, the cache, and for how long they stay there."""

    kind: ClassVar[str] = "cache"

    use_chunk_cache: bool = True
    write_chunk_cache: bool = True
    ttl_seconds: Annotated[int, Field(ge=1)] | None = None


class SnippetPrefs(Preferences):
    """How long a candidate's snippet may be, and whether its evidence comes before the page's own description."""

    kind: ClassVar[str] = "snippet"

    max_chars: Annotated[int, Field(ge=1)] = 360
    prefer_chunk_snippet: bool = True


class RetrievalPrefs(Preferences):
    """One question with all preferences of its search; each kind may be given as a dictionary, too.

    ``filters`` holds fields of :class:`~webrag_desktop.retrieval.contracts.filters.SearchFilters` by name. At most
    ``top_k_items`` documents are named and ``top_k_chunks`` chunks of them given as evidence, of one document at most
    ``per_item_chunk_cap``. Statistics are there with ``debug`` alone.
    """

    query_text: str
    filters: dict[str, Any] = Field(default_factory=dict)

    top_k_items: Count = 20
    top_k_chunks: Count = 12
    per_item_chunk_cap: Count = 3

    fts: FtsPrefs = Field(default_factory=FtsPrefs)
    vector: VectorPrefs = Field(default_factory=VectorPrefs)
    scoring: ScoringPrefs = Field(default_factory=ScoringPrefs)
    chunking: ChunkingPrefs = Field(default_factory=ChunkingPrefs)
    cache: CachePrefs = Field(default_factory=CachePrefs)
    snippet: SnippetPrefs = Field(default_factory=SnippetPrefs)

    debug: bool = False


def options_for(prefs: RetrievalPrefs, base: RetrievalOptions) -> RetrievalOptions:
    """The options of the preferences, and for the rest those of ``base``, which holds the user's settings.

    Reciprocal ranks count alike, as the formula has no weights.
    """
    fts, vector, scoring = prefs.fts, prefs.vector, prefs.scoring
    by_rank = scoring.blend == "rrf"
    return replace(
        base,
        blend=scoring.blend,
        normalize=scoring.normalize,
        vector_weight=0.5 if by_rank else scoring.w_vec,
        text_weight=0.5 if by_rank else scoring.w_text,
        lexical_score=fts.rank_func,
        tsquery_mode=fts.mode,
        text_search_config=fts.config or base.text_search_config,
        min_rank=fts.min_rank,
        min_score=vector.min_score,
        distance=vector.distance,
    )


def pooled_fusion(prefs: RetrievalPrefs) -> FusionOptions:
    """How chunks that were cut late are scored: by meaning and by their words, on one scale."""
    return FusionOptions("linear", "minmax", prefs.scoring.w_text, prefs.scoring.w_vec)


def prefs_from(options: RetrievalOptions, question: str) -> RetrievalPrefs:
    """The preferences for a search of the question by these options."""
    weights = options.fusion
    return RetrievalPrefs(
        query_text=question,
        fts=FtsPrefs(
            mode=options.tsquery_mode,
            config=options.text_search_config,
            rank_func=options.lexical_score,
            min_rank=options.min_rank,
        ),
        vector=VectorPrefs(distance=options.distance, min_score=options.min_score),
        scoring=ScoringPrefs(
            blend=options.blend,
            normalize=options.normalize,
            w_text=weights.text_weight,
            w_vec=weights.vector_weight,
        ),
    )


def _refused(cls: type[Preferences], error: ValidationError) -> WebragError:
    """The first refusal in our own words; one of a part's own comes as it is."""
    first = error.errors(include_url=False)[0]
    own = first.get("ctx", {}).get("error")
    if isinstance(own, WebragError):
        return own
    names = [cls.kind, *map(str, first["loc"])]
    name = ".".join(filter(None, names)) or "query"
    if first["type"] == "extra_forbidden":
        known = ", ".join(cls.model_fields)
        return InputError(f"There is no preference {name}.", f"These are known: {known}.")
    if first["type"] == "missing":
        return InputError(f"The preference {name} is missing.", "Give it; it has no default.")
    return InputError(f"The preference {name} is {_shown(first)}, but {_wanted(first)}.", f"Change {name}.")


def _shown(refusal: ErrorDetails) -> str:
    text = repr(refusal["input"])
    return text if len(text) <= 80 else f"{text[:79]}…"


def _wanted(refusal: ErrorDetails) -> str:
    """The possible values, from pydantic's message: "Input should be 'web' or 'plain'"."""
    said = refusal["msg"]
    rest = said.removeprefix("Input should ")
    return f"it must {rest}" if rest != said else said
