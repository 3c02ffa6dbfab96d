"""Waiting for documents while showing how they come along."""

from collections.abc import Sequence
from uuid import UUID

from webrag_desktop.bootstrap import Services
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.progress import choose_display
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.sources import SourceRow

STOP_SECONDS = 3.0


def follow(services: Services, source_ids: Sequence[UUID], output: Output) -> dict[UUID, SourceRow]:
    """Wait until each is ready, failed or gone; returns each as it was seen last.

    Raises:
        Cancelled: the user pressed Ctrl+C; the worker that was started for this has ended.
        StackError: the worker cannot be kept running.
    """
    watch = services.watch(CancelToken())
    seen: dict[UUID, SourceRow] = {}
    try:
        with choose_display(output, len(source_ids)) as display:
            for source in watch.follow(source_ids):
                seen[source.id] = source
                display.show(source)
    except KeyboardInterrupt:
        if watch.worker is not None:
            watch.worker.stop(STOP_SECONDS)
        raise Cancelled(
            "Stopped. Nothing is lost: what is ready stays ready, and the rest stays queued.",
            "`webrag work`, or the next `webrag add`, goes on with it.",
        ) from None
    return seen
