"""Working the queue off inside a test, as the worker does, and what is asked of the library afterwards."""

import atexit
from collections.abc import Callable
from uuid import UUID

from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions, SubresourceOptions
from webrag_desktop.ingestion.reading_process.process import Reading, ReadingProcess
from webrag_desktop.jobs.fetching import PageFetcher
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.jobs.subresources import SubresourceFetching
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.intake import Accepted, Kept, Refused
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

OPTIONS = FetchOptions(retry_seconds=0)
_reading = ReadingProcess()  # one for all tests: it starts when first used
atexit.register(_reading.close)
read_here = _reading.read
read_markup = _reading.markup


def article(title: str, text: str = "The river carries cold water to the sea.", head: str = "") -> str:
    """A page with a few sentences."""
    body = "".join(f"<p>{text} This is sentence number {n} about {title}.</p>" for n in range(6))
    return f"<html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>{body}</main></body></html>"


def drain_queue(
    database: Database,
    indexer: Callable[[], Indexer],
    cancel: CancelToken | None = None,
    network: Network | None = None,
    read: Callable[[Capture, CancelToken], Reading] = read_here,
    keeping: SubresourceOptions | None = None,
    fetcher: PageFetcher | None = None,
) -> int:
    """Be the runner until the queue is empty, and the files of pages are fetched."""
    fetcher = fetcher or PageFetcher(OPTIONS, network or Network())
    keeping = keeping or SubresourceOptions()
    files = SubresourceFetching(database, fetcher, keeping, read_markup, NoIdleTask())
    with database.dedicated() as lock:
        assert jobs.become_runner(lock)
        runner = Runner(database, indexer, OPTIONS, read, files, fetcher=fetcher, subresource_options=keeping)
        closed = runner.drain(lock, cancel or CancelToken())
        jobs.resign(lock)
        return closed


class Meddling:
    """An indexer that lets something else happen before it goes to work."""

    def __init__(self, real: Indexer, meddle: Callable[[], object]) -> None:
        self._real, self._meddle = real, meddle

    def index(self, *arguments: object, **options: object) -> object:
        self._meddle()
        return self._real.index(*arguments, **options)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


def accepted(result: Accepted | Kept | Refused) -> Accepted:
    """The result, which must be an acceptance."""
    assert isinstance(result, Accepted), result
    return result


def row(library: StoredLibrary, source_id: UUID) -> SourceRow:
    """A source that must be there."""
    found = library.documents.get(source_id)
    assert found is not None
    return found


def assert_sound(database: Database) -> None:
    """Every promise about the data holds."""
    with database.connection() as conn:
        assert [finding for finding in run_checks(conn) if not finding.ok] == []
