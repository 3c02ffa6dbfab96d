"""The options of a search and of context packs, which the settings hold."""

import warnings
from dataclasses import dataclass, replace
from typing import Literal, get_args

from webrag_desktop.bounds import bounded, check_bounds
from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.models.questions import (
    CONFIGURATION_NAME,
    LEXICAL_SCORES,
    TSQUERY_MODES,
    LexicalScore,
    TsqueryMode,
)
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.fusion import (
    BLENDS,
    DEFAULT_FUSION,
    NORMALIZATIONS,
    Blend,
    FusionOptions,
    Normalization,
)

DEFAULT_SIMILARITY_FLOOR = 0.3
LARGEST_EF_SEARCH = 1000  # pgvector's own limit
MOST_CANDIDATES = 10_000  # of either arm

# Three names for one order: vectors are compared by their direction, as if all were of length one.
Distance = Literal["cosine", "l2", "ip"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)


@dataclass(frozen=True)
class RetrievalOptions:
    """Limits and weights of a search; the ``RETRIEVAL_*`` settings hold those that users change.

    ``full_context_threshold`` and ``context_budget`` are in tokens of parent chunks: a library up to the first
    is read whole, and no result exceeds the second. ``top_k_children_limit`` children come from the vector
    arm and ``lexical_children_limit`` from the full text. ``similarity_floor`` is the cosine below which a
    passage found by meaning is noise; where it is not given it is the model's own, else .3. A page ``depth`` links
    from the user's own pages has the weight ``max(1 - depth * depth_decay_rate, depth_floor)``.

    Both arms' scores are mixed by ``blend``, ``normalize`` and the weights (see
    :class:`~webrag_desktop.retrieval.fusion.FusionOptions`). Where no ``vector_weight`` is given it is the model's own
    (see :meth:`weighed_for`), else a half; where no ``text_weight`` is given it is what is left of 1.
    ``lexical_score`` is how words are scored, ``tsquery_mode`` how they are read, ``text_search_config`` the server's
    configuration that they are read with instead of each document's own. Words that score less than ``min_rank`` are
    no evidence; ``min_score``, where given, is the floor for every model. Every ``distance`` gives the same order.

    With ``corrections``, words that no text holds are read as the most similar ones that some text holds, where BM25
    scores them and they need not be adjacent. A scope of at most ``exact_scan_limit`` children is searched exactly,
    without the HNSW index. Passages that share more than ``near_duplicates`` of their words with a better one of
    another document are folded into it; None folds nothing.
    """

    full_context_threshold: int = bounded(30_000, least=0)
    context_budget: int = bounded(40_000, above=0)
    top_k_children_limit: int = bounded(60, least=1, most=MOST_CANDIDATES)
    similarity_floor: float | None = bounded(None, least=0, most=1)
    depth_decay_rate: float = bounded(0.05, least=0, most=1)
    depth_floor: float = bounded(0.80, least=0, most=1)
    hnsw_ef_search: int = bounded(100, least=1, most=LARGEST_EF_SEARCH)
    lexical_children_limit: int = bounded(100, least=1, most=MOST_CANDIDATES)
    blend: Blend = DEFAULT_FUSION.blend
    normalize: Normalization = DEFAULT_FUSION.normalize
    vector_weight: float | None = bounded(None, least=0, most=1)
    text_weight: float | None = bounded(None, least=0, most=1)
    rrf_k: int = bounded(DEFAULT_FUSION.k, least=0)
    lexical_score: LexicalScore = "bm25"
    tsquery_mode: TsqueryMode = "web"
    text_search_config: str | None = None
    min_rank: float | None = bounded(None, least=0)
    min_score: float | None = bounded(None, least=-1)
    distance: Distance = "cosine"
    corrections: bool = True
    exact_scan_limit: int = bounded(10_000, least=0)
    spans_per_parent: int = bounded(40, least=1)
    near_duplicates: float | None = bounded(0.95, above=0, most=1)

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        check_bounds(self, _refused)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise _refused(name, getattr(self, name), f"one of {', '.join(choices)}")
        config = self.text_search_config
        if config is not None and not CONFIGURATION_NAME.fullmatch(config):
            raise _refused("text_search_config", repr(config), "the name of one, such as english or simple")

    @property
    def fusion(self) -> FusionOptions:
        """How both arms' scores are mixed."""
        vector_weight = DEFAULT_FUSION.vector_weight if self.vector_weight is None else self.vector_weight
        text_weight = 1 - vector_weight if self.text_weight is None else self.text_weight
        return FusionOptions(self.blend, self.normalize, text_weight, vector_weight, self.rrf_k)

    def weighed_for(self, model_weight: float | None) -> "RetrievalOptions":
        """The options for a model that has that weight of meaning of its own: it counts where no weight is given."""
        if model_weight is None or self.vector_weight is not None or self.text_weight is not None:
            return self
        return replace(self, vector_weight=model_weight)

    @property
    def ef_search(self) -> int:
        """The width of the HNSW search: never narrower than the number of candidates, at most pgvector's 1000."""
        return min(LARGEST_EF_SEARCH, max(self.hnsw_ef_search, self.top_k_children_limit))

    def floor_for(self, model_floor: float | None) -> float:
        """The similarity floor in force for a model with that floor of its own."""
        if self.min_score is not None:
            return self.min_score
        if self.similarity_floor is not None:
            return self.similarity_floor
        return DEFAULT_SIMILARITY_FLOOR if model_floor is None else model_floor


# What callers may choose, but no setting does.
_NO_SETTINGS = frozenset(
    """
    lexical_children_limit text_weight rrf_k min_rank min_score distance exact_scan_limit spans_per_parent
    near_duplicates
    """.split()
)

_CHOICES: dict[str, tuple[str, ...]] = {
    "blend": BLENDS,
    "normalize": NORMALIZATIONS,
    "lexical_score": LEXICAL_SCORES,
    "tsquery_mode": TSQUERY_MODES,
    "distance": DISTANCES,
}


def _refused(name: str, value: object, wanted: str) -> ConfigurationError:
    if name in _NO_SETTINGS:
        return ConfigurationError(
            f"The option {name} of a search is {value}, but it must be {wanted}.",
            "Leave it out, or change it.",
        )
    setting = f"RETRIEVAL_{name.upper()}"
    return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")


def effective_budget(options: RetrievalOptions, context_budget_override: int | None) -> int:
    """The context budget in force, in tokens; an override of 0 counts as none.

    Raises:
        InputError: the override is below zero.
    """
    if context_budget_override is not None and context_budget_override < 0:
        raise InputError(
            f"A context budget of {context_budget_override} tokens holds no text.",
            "Give a budget above zero.",
        )
    return context_budget_override or options.context_budget


def effective_threshold(options: RetrievalOptions, context_budget_override: int | None = None) -> int:
    """Up to how many tokens a library is read whole: the threshold, lowered with a warning to the budget."""
    budget = effective_budget(options, context_budget_override)
    if options.full_context_threshold <= budget:
        return options.full_context_threshold
    limit = f"the context budget of {budget} tokens " + (
        "that this search was given" if context_budget_override else "(RETRIEVAL_CONTEXT_BUDGET)"
    )
    warnings.warn(
        f"RETRIEVAL_FULL_CONTEXT_THRESHOLD is {options.full_context_threshold}, above {limit}; "
        f"{budget} is used for both.",
        stacklevel=2,
    )
    return budget


MOST_NEIGHBOURS = 50  # of one kind, on either side of a passage


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How much text around the passages is taken, and how much fits; settings prefix the names with ``RETRIEVAL_``.

    On either side of what matched, ``neighbor_same_page`` children of the same page (a page of a PDF, else a section)
    and ``neighbor_cross_page`` children of the pages beside it are taken; with ``include_parents`` also the rest of
    the passage. ``final_max_tokens`` is the budget of the whole pack in the consumer's tokens. The best
    ``min_primary_hits_to_keep`` passages are never dropped; with ``keep_fewer``, which no setting has, only as many of
    them as the budget holds the best sentence of, yet one at least. ``return_top_n`` passages at most make a pack.
    ``top_k_dense`` children at most are searched by meaning, None leaves it to the search.
    """

    neighbor_same_page: int = bounded(1, least=0, most=MOST_NEIGHBOURS)
    neighbor_cross_page: int = bounded(2, least=0, most=MOST_NEIGHBOURS)
    include_parents: bool = True
    final_max_tokens: int = bounded(12_000, above=0)
    min_primary_hits_to_keep: int = bounded(3, least=0)
    return_top_n: int = bounded(RerankConfig.return_top_n, above=0)
    top_k_dense: int | None = bounded(None, least=1, most=LARGEST_EF_SEARCH)
    keep_fewer: bool = False

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        check_bounds(self, _context_refused)

    @property
    def reach(self) -> int:
        """How many children beyond a passage are considered on either side."""
        return self.neighbor_same_page + self.neighbor_cross_page


def _context_refused(name: str, value: object, wanted: str) -> ConfigurationError:
    setting = "RETRIEVAL_RERANK_RETURN_TOP_N" if name == "return_top_n" else f"RETRIEVAL_{name.upper()}"
    return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")
