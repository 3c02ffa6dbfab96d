"""Follow sources until they are at an end, and keep a worker on the job meanwhile."""

from collections.abc import Iterable, Iterator
from uuid import UUID

from webrag_desktop.jobs.supervising import Advance, WorkerSupervisor
from webrag_desktop.models.news import SourceChanged
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES, CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import queue_control

TICK_SECONDS = 1.0


class Watch:
    """Waits for sources, with a worker started whenever there is work and nobody does it."""

    def __init__(self, database: Database, supervisor: WorkerSupervisor, cancel: CancelToken) -> None:
        """Follow through ``database``; stop early when ``cancel`` is set."""
        self._database = database
        self._supervisor = supervisor
        self._cancel = cancel

    def follow(self, source_ids: Iterable[UUID]) -> Iterator[SourceRow]:
        """Yield each source whenever it changed, until all are ready, failed, cancelled or gone.

        Ends early when nothing would happen any more, since the queue is paused, or for long, since all that is left
        was put off: its site, or the embedding model, is away.

        Raises:
            ConfigurationError: the worker ended in it; no document can be embedded with these settings.
            StackError: the worker cannot be kept running.
            Cancelled: the token was set; the work stays queued.
        """
        self._supervisor.try_again()  # how another waiting ended says nothing of this one
        waiting = dict.fromkeys(source_ids)
        shown: dict[UUID, SourceRow] = {}
        advance = Advance()
        with (
            events.listening(self._database) as (listener, conn),
            self._cancel.calling(listener.wake),
        ):
            news: Iterable[UUID] = list(waiting)
            while waiting:
                self._cancel.raise_if_cancelled()
                for source in self._changed(conn, news, waiting, shown):
                    if advance.made(source.id, source.state, source.progress_done):
                        self._supervisor.progressed()
                    yield source
                if not waiting or queue_control.is_paused(conn):
                    return
                if not queue_control.may_begin_soon(conn, list(waiting)):
                    yield from self._changed(conn, list(waiting), waiting, shown)
                    return
                self._supervisor.keep_working(conn)
                heard = {
                    event.source_id
                    for event in listener.hear(TICK_SECONDS)
                    if isinstance(event, SourceChanged)
                }
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
