"""What the user may say about retrieval; gathered from the settings and passed in."""

import warnings
from dataclasses import dataclass

from webrag_desktop.errors import ConfigurationError, InputError

DEFAULT_SIMILARITY_FLOOR = 0.3
LARGEST_EF_SEARCH = 1000  # pgvector's own limit


@dataclass(frozen=True)
class RetrievalOptions:
    """Limits and weights of a search; the ``RETRIEVAL_*`` settings hold those that users change.

    ``full_context_threshold`` and ``context_budget`` are in tokens of parent chunks: a library up to the first
    is read whole, and no result exceeds the second. ``top_k_children_limit`` children come from the vector
    arm and ``lexical_children_limit`` from the full text. ``similarity_floor`` is the cosine below which a
    passage found by meaning is noise; at its default a model's own floor goes first. A page ``depth`` links
    away from what the user gave weighs ``max(1 - depth * depth_decay_rate, depth_floor)``.

    ``vector_weight`` is the share of the normalised cosine in a child's rank (.5 measured best, .4 to .6 is
    flat). A scope of at most ``exact_scan_limit`` children is searched exactly, without the HNSW index.
    """

    full_context_threshold: int = 30_000
    context_budget: int = 40_000
    top_k_children_limit: int = 60
    similarity_floor: float = DEFAULT_SIMILARITY_FLOOR
    depth_decay_rate: float = 0.05
    depth_floor: float = 0.80
    hnsw_ef_search: int = 100
    lexical_children_limit: int = 100
    vector_weight: float = 0.5
    exact_scan_limit: int = 10_000
    spans_per_parent: int = 5

    def __post_init__(self) -> None:
        """Refuse values that cannot work, naming the setting."""
        least = {"full_context_threshold": 0, "exact_scan_limit": 0, "hnsw_ef_search": 1}
        for name in ("context_budget", "top_k_children_limit", "lexical_children_limit", "spans_per_parent"):
            least[name] = 1
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise _refused(name, getattr(self, name), f"at least {bound}")
        for name in ("similarity_floor", "depth_decay_rate", "depth_floor", "vector_weight"):
            if not 0 <= getattr(self, name) <= 1:
                raise _refused(name, getattr(self, name), "between 0 and 1")
        if self.hnsw_ef_search > LARGEST_EF_SEARCH:
            raise _refused("hnsw_ef_search", self.hnsw_ef_search, f"at most {LARGEST_EF_SEARCH}")

    @property
    def ef_search(self) -> int:
        """The width of the HNSW search: never narrower than the candidates asked for, at most pgvector's 1000."""
        return min(LARGEST_EF_SEARCH, max(self.hnsw_ef_search, self.top_k_children_limit))

    def floor_for(self, model_floor: float | None) -> float:
        """The similarity floor in force for a model with that floor of its own."""
        if model_floor is not None and self.similarity_floor == DEFAULT_SIMILARITY_FLOOR:
            return model_floor
        return self.similarity_floor


def _refused(name: str, value: float, wanted: str) -> ConfigurationError:
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
    warnings.warn(
        f"RETRIEVAL_FULL_CONTEXT_THRESHOLD is {options.full_context_threshold}, above the context budget of "
        f"{budget} tokens (RETRIEVAL_CONTEXT_BUDGET); {budget} is used for both.",
        stacklevel=2,
    )
    return budget
