"""Follow sources until they are ready or failed, and keep a worker on the job meanwhile."""

from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

from webrag_desktop.models import FINAL_STATES
from webrag_desktop.orchestration.worker_process import WorkerProcess
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import events, jobs, sources
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.sources import SourceRow

TICK_SECONDS = 1.0
WORKER_STARTS_WITHOUT_PROGRESS = 4  # one more than a document may take the worker down


class Watch:
    """Waits for sources. ``start_worker`` is called whenever there is work and nobody does it."""

    def __init__(
        self, database: Database, start_worker: Callable[[], WorkerProcess], cancel: CancelToken
    ) -> None:
        """Follow through ``database``; stop early when ``cancel`` is set."""
        self._database = database
        self._start_worker = start_worker
        self._cancel = cancel
        self.worker: WorkerProcess | None = None
        self._starts = 0

    def follow(self, source_ids: Iterable[UUID]) -> Iterator[SourceRow]:
        """Yield each source whenever it changed, until all are ready, failed or gone.

        Raises:
            StackError: the worker cannot be kept running.
            Cancelled: the token was set; the work stays queued.
        """
        waiting = dict.fromkeys(source_ids)
        shown: dict[UUID, SourceRow] = {}
        with self._database.dedicated() as conn:
            events.listen(conn)
            news: Iterable[UUID] = list(waiting)
            while waiting:
                self._cancel.raise_if_cancelled()
                for source in self._changed(conn, news, waiting, shown):
                    self._starts = 0
                    yield source
                if waiting:
                    self._keep_working(conn)
                    heard = {event.source_id for event in events.received(conn, TICK_SECONDS)}
                    news = heard & waiting.keys() if heard else list(waiting)

    @staticmethod
    def _changed(
        conn: Connection, news: Iterable[UUID], waiting: dict[UUID, None], shown: dict[UUID, SourceRow]
    ) -> Iterator[SourceRow]:
        asked = list(news)
        rows = sources.get_sources(conn, asked)
        for source_id in asked:
            source = rows.get(source_id)
            if source is None or source.state in FINAL_STATES:
                waiting.pop(source_id, None)
            if source is not None and source != shown.get(source_id):
                shown[source_id] = source
                yield source

    def _keep_working(self, conn: Connection) -> None:
        if jobs.runner_exists(conn) or (self.worker is not None and self.worker.running):
            return
        if self.worker is not None and self._starts >= WORKER_STARTS_WITHOUT_PROGRESS:
            raise self.worker.failure()
        self.worker = self._start_worker()
        self._starts += 1
