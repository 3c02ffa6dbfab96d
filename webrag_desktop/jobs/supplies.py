"""What a job is done with."""

from collections.abc import Callable
from typing import Protocol

from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.options import FetchOptions, SubresourceOptions
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.models.documents import Capture
from webrag_desktop.progress import CancelToken, IdleTask
from webrag_desktop.storage.database import Database


class JobSupplies(Protocol):
    """What a job is done with; the runner has it."""

    @property
    def database(self) -> Database:
        """The library's."""

    @property
    def fetch_options(self) -> FetchOptions:
        """How pages are fetched and files read."""

    @property
    def subresource_options(self) -> SubresourceOptions:
        """Whether the files that show pages as they looked are kept."""

    @property
    def idle_task(self) -> IdleTask:
        """What is done beside the jobs."""

    @property
    def indexer(self) -> Callable[[], Indexer]:
        """Gives what writes documents into the space in use."""

    @property
    def read(self) -> Callable[[Capture, CancelToken], Reading]:
        """Reads captures."""
