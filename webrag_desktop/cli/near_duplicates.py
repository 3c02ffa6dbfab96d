"""How a terminal is told what else says the same as a passage."""

from collections.abc import Sequence

from webrag_desktop.cli.output import one_line, readable_address
from webrag_desktop.retrieval.contracts.results import Folded


def said_elsewhere(folded: Sequence[Folded]) -> str | None:
    """One line on the near-duplicates that a passage stands for; None where there are none."""
    addresses = dict.fromkeys(one.source_url for one in folded if one.source_url)
    places = [one_line(readable_address(address)) for address in addresses]
    if not places:
        return f"Nearly the same: {len(folded)} more" if folded else None
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"Nearly the same: {places[0]}{more}"
