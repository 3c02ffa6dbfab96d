"""The options of context packs, which the settings hold."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_bounds
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.retrieval.contracts.judgements import RerankConfig
from webrag_desktop.retrieval.contracts.options import LARGEST_EF_SEARCH

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
        check_bounds(self, _refused)

    @property
    def reach(self) -> int:
        """How many children beyond a passage are considered on either side."""
        return self.neighbor_same_page + self.neighbor_cross_page


def _refused(name: str, value: object, wanted: str) -> ConfigurationError:
    setting = "RETRIEVAL_RERANK_RETURN_TOP_N" if name == "return_top_n" else f"RETRIEVAL_{name.upper()}"
    return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")
