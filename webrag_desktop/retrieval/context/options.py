"""What the user may say about context packs; gathered from the settings and passed in."""

from dataclasses import dataclass, fields

from webrag_desktop.errors import ConfigurationError

MOST_NEIGHBOURS = 50  # of one kind, on either side of a passage


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How much goes around the passages found, and how much fits; the settings prefix the names with ``RETRIEVAL_``.

    On either side of what matched, ``neighbor_same_page`` children of the same page (a page of a PDF, else a section)
    and ``neighbor_cross_page`` children of the pages beside it are taken; with ``include_parents`` also the rest of
    the passage. ``final_max_tokens`` is the budget of the whole pack in the consumer's tokens. The best
    ``min_primary_hits_to_keep`` passages are never dropped; with ``keep_fewer``, which no setting has, only as many of
    them as the budget holds the best sentence of, yet one at least. ``return_top_n`` passages at most make a pack.
    ``top_k_dense`` children at most are looked for by meaning, None leaves it to the search.
    """

    neighbor_same_page: int = 1
    neighbor_cross_page: int = 2
    include_parents: bool = True
    final_max_tokens: int = 12_000
    min_primary_hits_to_keep: int = 3
    return_top_n: int = 15
    top_k_dense: int | None = None
    keep_fewer: bool = False

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        for one in fields(self):
            value = getattr(self, one.name)
            least = 0 if one.name in _MAY_BE_ZERO else 1
            if value is not None and value < least:
                raise _refused(one.name, value, f"at least {least}")
        for name in ("neighbor_same_page", "neighbor_cross_page"):
            if getattr(self, name) > MOST_NEIGHBOURS:
                raise _refused(name, getattr(self, name), f"at most {MOST_NEIGHBOURS}")

    @property
    def reach(self) -> int:
        """How many children beyond a passage are looked at on either side."""
        return self.neighbor_same_page + self.neighbor_cross_page


_MAY_BE_ZERO = frozenset(
    {"neighbor_same_page", "neighbor_cross_page", "include_parents", "min_primary_hits_to_keep", "keep_fewer"}
)


def _refused(name: str, value: object, wanted: str) -> ConfigurationError:
    setting = "RETRIEVAL_RERANK_RETURN_TOP_N" if name == "return_top_n" else f"RETRIEVAL_{name.upper()}"
    return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")
