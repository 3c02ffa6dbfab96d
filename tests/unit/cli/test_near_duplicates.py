"""What else says the same as a passage, in one line."""

import pytest

from webrag_desktop.cli.passage_text import said_elsewhere
from webrag_desktop.retrieval.contracts.results import Folded


@pytest.mark.parametrize(
    ("places", "reported"),
    [
        ([], None),
        (["https://b.org/copy"], "Nearly the same: https://b.org/copy"),
        (["file:///notes/my%20copy.md"], "Nearly the same: /notes/my copy.md"),
        (
            ["https://b.org", "https://b.org", "https://c.org", None],
            "Nearly the same: https://b.org and 1 more",
        ),
        ([None, None], "Nearly the same: 2 more"),
    ],
)
def test_near_duplicates_are_reported_in_one_line(places: list[str | None], reported: str | None) -> None:
    folded = [Folded(chunk_id="c", document_id="d", source_url=one, similarity=1.0) for one in places]
    assert said_elsewhere(folded) == reported
