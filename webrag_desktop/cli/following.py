"""Waiting for documents while showing how they come along."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from webrag_desktop.cli.output import Output, one_line, sentences
from webrag_desktop.cli.progress import choose_display
from webrag_desktop.errors import Cancelled, ConfigurationError, DataFolderGoneError, WebragError
from webrag_desktop.jobs.worker_failure import FailureNote
from webrag_desktop.library import Services
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.models.worker import WorkerFailure
from webrag_desktop.progress import FINAL_STATES, CancelToken

STOP_SECONDS = 3.0


PAUSED = "Indexing is paused. What was given is kept; `webrag resume` goes on with it."
KEPT = "What was given is accepted and kept in the queue. `webrag work` goes on with it when this is solved:"
STAYS_QUEUED = "What is queued is kept. `webrag work` goes on with it when this is solved:"
MOVE_GOES_ON = "The move to another embedding space goes on in the background: `webrag space`."
POSTPONED = (
    "What is left waits for something that is away, or that this computer lacks. It is kept and tried again by itself "
    "while the window is open; `webrag work` tries at once."
)


def follow(services: Services, source_ids: Sequence[UUID], output: Output, kept: str = STAYS_QUEUED) -> bool:
    """Wait until each is ready, failed, cancelled or gone; False, and said so, when indexing is paused before.

    ``kept`` is what is said where something goes away meanwhile.

    Raises:
        Cancelled: the user pressed Ctrl+C; the worker that was started for this has ended.
        StackError: the worker cannot be kept running.
        ConfigurationError, EmbeddingError: no document could be embedded; all of them stay queued.
        DatabaseUnreachableError: the database went away.
    """
    watch = services.watch(CancelToken())
    try:
        with saying_what_is_kept(output, kept):
            if services.library.paused():
                output.note(PAUSED)
                return False
            _settle(services)
            with choose_display(output, len(source_ids)) as display:
                for source in _telling_what_is_away(watch.follow(source_ids), output):
                    display.show(source)
            ended = _all_ended(services, source_ids)
            paused = not ended and services.library.paused()
    except KeyboardInterrupt:
        services.stop_worker(STOP_SECONDS)
        raise Cancelled(
            "Stopped. Nothing is lost: what is ready stays ready, and the rest stays queued.",
            "`webrag work`, or the next `webrag add`, goes on with it.",
        ) from None
    if ended:
        return True
    if not paused:
        output.note(POSTPONED)
        return True
    output.note(PAUSED)
    return False


def _telling_what_is_away(changes: Iterable[SourceRow], output: Output) -> Iterator[SourceRow]:
    """The changes; why all of the work waits is said at once, and once, since nothing else would be for minutes."""
    told: set[str] = set()
    for source in changes:
        reason = source.state_reason if source.waits_for in ("model", "database") else None
        if reason and reason not in told:
            told.add(reason)
            output.note(one_line(sentences(reason, source.state_hint)))
        yield source


def _settle(services: Services) -> None:
    """Meet what would fail every document before the first one, and note it for whoever asks for the status."""
    try:
        _ = services.space
    except ConfigurationError as error:
        fingerprint = services.settings.indexing_fingerprint()
        FailureNote.of_home(services.settings.webrag_home).hand_over(WorkerFailure.of(error, fingerprint))
        raise


def _all_ended(services: Services, source_ids: Sequence[UUID]) -> bool:
    return all(row.state in FINAL_STATES for row in services.library.rows(source_ids).values())


@contextmanager
def saying_what_is_kept(output: Output, kept: str) -> Iterator[None]:
    """What ends the waiting loses nothing, whatever went away: say so before the error is told."""
    try:
        yield
    except DataFolderGoneError:  # whoever took the folder away has what was given, if anybody has
        raise
    except WebragError:
        output.note(kept)
        raise


def start_worker(services: Services, output: Output) -> bool:
    """Have the queue worked on in the background, also after this command has ended; True where that begins now."""
    if services.library.paused():
        output.note(PAUSED)
        return False
    _corpus, _queue, worker_runs = services.library.figures()
    if not worker_runs:
        services.start_worker()
    return not worker_runs
