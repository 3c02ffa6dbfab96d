"""The shape of the ``--json`` document about a document's links."""

from collections.abc import Sequence
from typing import Self
from uuid import UUID

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import LinkPlace
from webrag_desktop.models.links import PageLink


class LinkItem(FrozenModel):
    """A link on the page ``source_id``; ``document_id`` is the library's document there, else null."""

    source_id: UUID
    url: str
    url_key: str
    text: str
    heading: str | None
    rel: tuple[str, ...]
    place: LinkPlace
    char_start: int | None
    sentence: str
    document_id: UUID | None
    is_same_site: bool

    @classmethod
    def of(cls, link: PageLink) -> Self:
        """The item of a link."""
        return cls.model_validate({name: getattr(link, name) for name in cls.model_fields})


class LinksReport(FrozenModel):
    """The document of ``show --links``: where a document leads, and what leads to it."""

    id: UUID
    links: tuple[LinkItem, ...]
    left_out: int
    back_links: tuple[LinkItem, ...]

    @classmethod
    def told(
        cls, document_id: UUID, links: Sequence[PageLink], left_out: int, back_links: Sequence[PageLink]
    ) -> Self:
        """The report about a document."""
        return cls(
            id=document_id,
            links=tuple(map(LinkItem.of, links)),
            left_out=left_out,
            back_links=tuple(map(LinkItem.of, back_links)),
        )
