"""Waiting for documents while showing how they come along."""

from collections.abc import Sequence
from uuid import UUID

from webrag_desktop.bootstrap import Services
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.progress import choose_display
from webrag_desktop.errors import Cancelled, WebragError
from webrag_desktop.progress import FINAL_STATES, CancelToken

STOP_SECONDS = 3.0


PAUSED = "Indexing is paused. What was given is kept; `webrag resume` goes on with it."
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
    """
    watch = services.watch(CancelToken())
    if services.library.paused():
        output.note(PAUSED)
        return False
    try:
        _settle_space(services, output)
        with choose_display(output, len(source_ids)) as display:
            for source in watch.follow(source_ids):
                display.show(source)
    except KeyboardInterrupt:
        services.stop_worker(STOP_SECONDS)
        raise Cancelled(
            "Stopped. Nothing is lost: what is ready stays ready, and the rest stays queued.",
            "`webrag work`, or the next `webrag add`, goes on with it.",
        ) from None
    if _all_ended(services, source_ids):
        return True
    if not services.library.paused():
        output.note(POSTPONED)
        return True
    output.note(PAUSED)
    return False


def _all_ended(services: Services, source_ids: Sequence[UUID]) -> bool:
    return all(row.state in FINAL_STATES for row in services.library.rows(source_ids).values())


def _settle_space(services: Services, output: Output) -> None:
    """Meet what would fail every document before the first one does."""
    try:
        _ = services.space
    except WebragError:
        output.note("What was given is in the queue. `webrag work` goes on with it when this is solved:")
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
