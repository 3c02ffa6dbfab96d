"""Waiting for documents while showing how they come along."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from webrag_desktop.bootstrap import Services
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.progress import choose_display
from webrag_desktop.errors import Cancelled, WebragError
from webrag_desktop.progress import FINAL_STATES, CancelToken

STOP_SECONDS = 3.0


PAUSED = "Indexing is paused. What was given is kept; `webrag resume` goes on with it."
KEPT = "What was given is accepted and kept in the queue. `webrag work` goes on with it when this is solved:"
MOVE_GOES_ON = "The move to another embedding space goes on in the background: `webrag space`."
POSTPONED = (
    "What is left waits for something that is away. It is kept and tried again by itself while the window is open; "
    "`webrag work` tries at once."
)


def follow(services: Services, source_ids: Sequence[UUID], output: Output) -> bool:
    """Wait until each is ready, failed, cancelled or gone; False, and said so, when indexing is paused before.

    Raises:
        Cancelled: the user pressed Ctrl+C; the worker that was started for this has ended.
        StackError: the worker cannot be kept running.
        ConfigurationError, EmbeddingError: no document could be embedded; all of them stay queued.
        DatabaseUnreachableError: the database went away.
    """
    watch = services.watch(CancelToken())
    try:
        with saying_what_is_kept(output):
            if services.library.paused():
                output.note(PAUSED)
                return False
            _ = services.space  # what would fail every document is met before the first one
            with choose_display(output, len(source_ids)) as display:
                for source in watch.follow(source_ids):
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


def _all_ended(services: Services, source_ids: Sequence[UUID]) -> bool:
    return all(row.state in FINAL_STATES for row in services.library.rows(source_ids).values())


@contextmanager
def saying_what_is_kept(output: Output) -> Iterator[None]:
    """What ends the waiting loses nothing, whatever went away: say so before the error is told."""
    try:
        yield
    except WebragError:
        output.note(KEPT)
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
