"""Waiting for documents while showing their progress."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from webrag_desktop import Library
from webrag_desktop.cli.output import Output, one_line, sentences
from webrag_desktop.cli.progress import choose_display
from webrag_desktop.errors import Cancelled, DataFolderGoneError, WebragError
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES

STOP_SECONDS = 3.0


PAUSED = "Indexing is paused. What was given is kept; `webrag resume` goes on with it."
KEPT = "What was given is accepted and kept in the queue. `webrag work` goes on with it when this is solved:"
STAYS_QUEUED = "What is queued is kept. `webrag work` goes on with it when this is solved:"
MOVE_GOES_ON = "The move to another embedding space goes on in the background: `webrag space`."
POSTPONED = (
    "What is left waits for something that is away, or that this computer lacks. It is kept and tried again "
    "automatically while the window is open; `webrag work` tries at once."
)


def follow(library: Library, source_ids: Sequence[UUID], output: Output, kept: str = STAYS_QUEUED) -> bool:
    """Wait until each is ready, failed, cancelled or gone; False, and said so, when indexing is paused before.

    ``kept`` is what is said where something goes away meanwhile.

    Raises:
        Cancelled: the user pressed Ctrl+C; the worker that was started for this has ended.
        StackError: the worker cannot be kept running.
        ConfigurationError, EmbeddingError: no document could be embedded; all of them stay queued.
        DatabaseUnreachableError: the database went away.
    """
    try:
        with noting_what_is_kept(output, kept):
            if library.queue.paused():
                output.note(PAUSED)
                return False
            library.worker.settle()
            with choose_display(output, len(source_ids)) as display:
                for source in _noting_what_is_away(library.watch(source_ids), output):
                    display.show(source)
            ended = _all_ended(library, source_ids)
            paused = not ended and library.queue.paused()
    except KeyboardInterrupt:
        library.worker.stop(STOP_SECONDS)
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


def _noting_what_is_away(changes: Iterable[SourceRow], output: Output) -> Iterator[SourceRow]:
    """The changes; why all of the work waits is said at once, and once, since nothing else would be for minutes."""
    seen: set[str] = set()
    for source in changes:
        reason = source.state_reason if source.waits_for in ("model", "database") else None
        if reason and reason not in seen:
            seen.add(reason)
            output.note(one_line(sentences(reason, source.state_hint)))
        yield source


def _all_ended(library: Library, source_ids: Sequence[UUID]) -> bool:
    return all(row.state in FINAL_STATES for row in library.documents.rows(source_ids).values())


@contextmanager
def noting_what_is_kept(output: Output, kept: str) -> Iterator[None]:
    """What ends the waiting loses nothing, whatever went away: say so before the error is reported."""
    try:
        yield
    except DataFolderGoneError:  # whoever took the folder away has what was given, if anybody has
        raise
    except WebragError:
        output.note(kept)
        raise


def start_worker(library: Library, output: Output) -> bool:
    """Have the queue worked on in the background, also after this command has ended; True where that begins now."""
    status = library.status()
    if status.paused:
        output.note(PAUSED)
        return False
    if not status.worker:
        library.worker.start()
    return not status.worker
