"""The shapes of ``tag`` and ``collection`` with ``--json``; ``docs/cli.md`` explains each field."""

from typing import Self
from uuid import UUID

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.labels import LabelCount, Labels
from webrag_desktop.models.sources import SourceRow


class Label(FrozenModel):
    """A tag or collection, and how many documents have it."""

    name: str
    documents: int

    @classmethod
    def of(cls, count: LabelCount) -> Self:
        """The shape of a counted label."""
        return cls(name=count.name, documents=count.documents)


class LabelledDocument(FrozenModel):
    """A document with its tags and collections."""

    id: UUID
    source_url: str
    title: str | None
    tags: tuple[str, ...]
    collections: tuple[str, ...]

    @classmethod
    def of(cls, source: SourceRow, labels: Labels) -> Self:
        """The shape of a source with its labels."""
        return cls(
            id=source.id,
            source_url=source.source_url or source.url,
            title=source.title,
            tags=labels.tags,
            collections=labels.collections,
        )
