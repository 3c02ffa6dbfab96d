"""What ``read`` says of who wrote a document: nothing that is only guessed, and nothing that steers."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

from webrag_desktop import Library
from webrag_desktop.mcp.tools.read import _item
from webrag_desktop.models.citations import CitedPlace, CiteId
from webrag_desktop.models.metadata import DocumentMetadata

PLACE = CitedPlace(
    CiteId.of(UUID(int=2)),
    UUID(int=1),
    UUID(int=2),
    1,
    True,
    "Tides",
    "https://a.example/tides",
    0,
    4,
    "Text",
)


def facts_of(metadata: DocumentMetadata) -> Mapping[str, Any]:
    library = SimpleNamespace(documents=SimpleNamespace(get=lambda _id: metadata))
    return _item(cast("Library", library), PLACE).facts


def test_a_guessed_date_is_not_given_as_stated() -> None:
    stated = DocumentMetadata(published_time="2021-05")
    assert facts_of(stated)["published_time"] == "2021-05"
    guessed = DocumentMetadata(published_time="2021-05", published_guessed=True)
    assert "published_time" not in facts_of(guessed)


def test_an_identifier_steers_nothing() -> None:
    assert facts_of(DocumentMetadata(doi="10.1000/a\u202eb"))["doi"] == "10.1000/ab"
