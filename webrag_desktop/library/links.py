"""Links as data: those of a document, those that lead to it, and the graph of all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from webrag_desktop.errors import InputError
from webrag_desktop.models.links import LinkGraph, PageLink
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.texts import documents, links
from webrag_desktop.storage.texts.links import StoredLink
from webrag_desktop.text.links import site_of
from webrag_desktop.text.markdown_links import PlacedLink, linked_sentences

MOST_BACK_LINKS = 500
MOST_NODES = 2000


@dataclass(frozen=True, slots=True)
class Links:
    """What the pages of the library say of each other; nothing here asks the network."""

    database: Database

    def of(self, document_id: UUID) -> list[PageLink]:
        """The links of the text that a document shows: those of the text in its order, then those of the navigation.

        An address that the text links to is not listed again as navigation. Empty while there is no text.
        """
        with self.database.connection() as conn:
            return list(_page_links(conn, links.links_of(conn, document_id)))

    def to(self, document_id: UUID) -> list[PageLink]:
        """The links of other documents that lead to any address of this one, at most 500; those in a text first."""
        with self.database.connection() as conn:
            found = links.links_to(conn, document_id, MOST_BACK_LINKS)
            by_link = {id(link): page_link for link, page_link in _with_pages(conn, found)}
        return [by_link[id(link)] for link in found]

    def left_out(self, document_id: UUID) -> int:
        """How many links of a document's page were too many to keep."""
        with self.database.connection() as conn:
            return links.left_out(conn, document_id)

    def at(self, url: str) -> UUID | None:
        """The document of the library that answers to an address, whatever its fragment; with or without a text."""
        from webrag_desktop.ingestion.addresses import url_key

        with self.database.connection() as conn:
            return sources.found_by_hash(conn, sources.key_hash(url_key(url)))

    def graph(self, limit: int = 300, *, navigation: bool = False) -> LinkGraph:
        """How the library's documents link to one another: of those with links, the ``limit`` with the most.

        Without ``navigation`` only links inside texts count: what every page of a site repeats says little.

        Raises:
            InputError: the limit is not between 1 and 2,000.
        """
        if not 1 <= limit <= MOST_NODES:
            raise InputError(
                f"A graph of {limit} documents is not drawn.", f"Give a number from 1 to {MOST_NODES}."
            )
        with self.database.connection() as conn:
            edges = links.edges(conn, navigation=navigation)
            counted = Counter(end for edge in edges for end in edge)
            chosen = sorted(counted, key=lambda end: (-counted[end], end))[:limit]
            nodes = links.graph_nodes(conn, chosen)
        known = {node.document_id for node in nodes}
        return LinkGraph(tuple(nodes), tuple(edge for edge in edges if known.issuperset(edge)))


def _with_pages(conn: Connection, found: Iterable[StoredLink]) -> Iterable[tuple[StoredLink, PageLink]]:
    by_page = sorted(found, key=lambda one: (one.source_id, one.link.char_start or 0))
    for _page, of_page in groupby(by_page, key=lambda one: one.source_id):
        together = list(of_page)
        yield from zip(together, _page_links(conn, together), strict=True)


def _page_links(conn: Connection, stored: Sequence[StoredLink]) -> Iterable[PageLink]:
    """The links of one page, as the library gives them."""
    if not stored:
        return []
    shown = documents.load_shown_markdown(conn, stored[0].source_id)
    source_url, markdown = shown or ("", "")  # removed meanwhile
    site = _site(source_url)
    placed = [
        (index, PlacedLink(one.link.char_start, one.link.url, one.link.text))
        for index, one in enumerate(stored)
        if one.link.char_start is not None
    ]
    sentences = linked_sentences(markdown, [link for _index, link in placed])
    around = dict(zip((index for index, _link in placed), sentences, strict=True))
    return [
        PageLink(
            source_id=one.source_id,
            url=one.link.url,
            url_key=one.url_key,
            text=one.link.text,
            heading=one.link.heading,
            rel=one.link.rel,
            place=one.link.place,
            char_start=one.link.char_start,
            sentence=around.get(index, ""),
            document_id=one.document_id,
            is_same_site=site is not None and _site(one.link.url) == site,
        )
        for index, one in enumerate(stored)
    ]


def _site(url: str) -> str | None:
    try:
        return site_of(url)
    except ValueError:  # no address; readers of before kept what pages wrote
        return None
