"""Waiting for documents while showing how they come along."""

from collections.abc import Sequence
from uuid import UUID

from webrag_desktop.bootstrap import Services
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.progress import choose_display
from webrag_desktop.errors import Cancelled, WebragError
from webrag_desktop.progress import CancelToken

STOP_SECONDS = 3.0


def follow(services: Services, source_ids: Sequence[UUID], output: Output) -> None:
    """Wait until each is ready, failed or gone.

    Raises:
        Cancelled: the user pressed Ctrl+C; the worker that was started for this has ended.
        StackError: the worker cannot be kept running.
        ConfigurationError, EmbeddingError: no document could be embedded; all of them stay queued.
    """
    watch = services.watch(CancelToken())
    try:
        _settle_space(services, output)
        with choose_display(output, len(source_ids)) as display:
            for source in watch.follow(source_ids):
                display.show(source)
    except KeyboardInterrupt:
        if watch.worker is not None:
            watch.worker.stop(STOP_SECONDS)
        raise Cancelled(
            "Stopped. Nothing is lost: what is ready stays ready, and the rest stays queued.",
            "`webrag work`, or the next `webrag add`, goes on with it.",
        ) from None


def _settle_space(services: Services, output: Output) -> None:
    """Meet what would fail every document before the first one does."""
    try:
        _ = services.space
    except WebragError:
        output.note("What was given is in the queue. `webrag work` goes on with it when this is solved:")
        raise


def start_worker(services: Services) -> None:
    """Have the queue worked on in the background, also after this command has ended."""
    _corpus, _queue, worker_runs = services.library.figures()
    if not worker_runs:
        services.start_worker()
