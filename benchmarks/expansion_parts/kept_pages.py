"""A library to which a site's pages come at once: from a folder, with vectors that are computed once for all runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID

from benchmarks.expansion_parts.sites import Site, address_of
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from tests.support.new_source import new_source
from webrag_desktop import Library
from webrag_desktop.expansion.contracts import Coverage
from webrag_desktop.indexing.pipeline import Indexer, Origin, Prepared
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.library import sources


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as it is after fetching, reading and cutting."""

    capture: Capture
    document: NormalizedDocument
    prepared: Prepared


@dataclass(slots=True)
class KeptPages:
    """A library in which only the worker is replaced: what is queued is taken in here and at once, from a folder.

    Queue, texts, links, search and all that is chosen are the library's own. ``proxy`` answers for the site's
    robots.txt. With ``never_covered`` no question is answered, so that only the order of links is measured.
    """

    library: Library
    site: Site
    vectors: KeptVectors
    proxy: str
    never_covered: bool = True
    fetch_options: FetchOptions = field(init=False)
    indexer: Indexer = field(init=False)
    _pages: dict[str, _Page] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.fetch_options = replace(self.library.fetch_options, proxy=self.proxy)
        self.library.settle_space()
        self.indexer = replace(self.library.indexer, embedder=self.vectors)

    def __getattr__(self, name: str) -> object:
        return getattr(self.library, name)

    def begin(self) -> None:
        """Empty the library, and take in the start page as the user's own."""
        documents = self.library.documents
        documents.delete_all([row.id for row in documents.all()])
        url = address_of(self.site.start)
        with self.library.database.connection() as conn:
            source_id = new_source(conn, "url", url, url_key(url))
        self._take_in(source_id, url)

    def coverage(
        self,
        question: str,
        result: RetrievalResult | None = None,
        *,
        with_model: bool = True,
        cancel: CancelToken | None = None,
    ) -> Coverage:
        """What the search says of it, short of covered with ``never_covered``."""
        judged = self.library.coverage(question, result, with_model=False, cancel=cancel)
        return judged.model_copy(update={"verdict": "missing"}) if self.never_covered else judged

    def watch(self, source_ids: Sequence[UUID], *, cancel: CancelToken | None = None) -> Iterator[SourceRow]:
        """Take in these pages, one after the other; what the folder does not have fails."""
        for source_id, row in self.library.documents.rows(source_ids).items():
            if self.site.has(row.url):
                self._take_in(source_id, row.url)
            else:
                self._settle(source_id, "failed", "There is no such page.")
            yield from self.library.documents.rows([source_id]).values()

    def _take_in(self, source_id: UUID, url: str) -> None:
        page = self._page(url)
        with self.library.database.connection() as conn:
            stored = captures.save_capture(conn, source_id, page.capture)
        origin = Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
        self.indexer.index(
            source_id, page.document, origin, report=lambda *_step: None, prepared=page.prepared
        )
        self._settle(source_id, "ready")

    def _settle(self, source_id: UUID, state: Literal["ready", "failed"], reason: str | None = None) -> None:
        with self.library.database.connection() as conn:
            sources.set_state(conn, source_id, state, reason=reason)

    def _page(self, url: str) -> _Page:
        if url not in self._pages:
            capture = self.site.capture(url)
            document = extract(capture)
            self._pages[url] = _Page(capture, document, self.indexer.prepare(document, CancelToken()))
        return self._pages[url]
