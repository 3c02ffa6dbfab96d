"""How the queue does, as commands tell it."""

from webrag_desktop import Library
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.shapes.documents import level_name
from webrag_desktop.cli.shapes.reports import QueueReport
from webrag_desktop.cli.times import time_of_day

_COLUMN = 11


def unknown_queue(kept: int) -> QueueReport:
    """What is told while the database does not run."""
    return QueueReport(
        waiting=None,
        running=None,
        postponed=None,
        next_at=None,
        levels=None,
        worker=False,
        paused=False,
        kept=kept,
    )


def queue_report(library: Library, kept: int) -> QueueReport:
    """The queue as it is now."""
    status = library.status()
    queue, worker = status.queue, status.worker
    backlog = library.queue.backlog()
    held_up = not worker and queue.waiting + queue.running > 0
    lasting = library.worker.lasting_failure() if held_up else None
    return QueueReport(
        waiting=queue.waiting,
        running=queue.running,
        postponed=backlog.postponed,
        next_at=backlog.next_at,
        levels={level_name(level): count for level, count in backlog.levels.items()},
        worker=worker,
        paused=status.paused,
        kept=kept,
        problem=lasting.message if lasting else None,
        remedy=lasting.hint if lasting else None,
    )


def say_queue(output: Output, report: QueueReport, *, starting: bool = False) -> None:
    """Print how the queue does; ``starting``: a worker was started just now, and is not at it yet."""
    if report.waiting is not None and report.running is not None:
        worker = "a worker is at it" if report.worker else "no worker runs"
        if starting and not report.worker:
            worker = "a worker is starting in the background"
        if report.paused:
            worker = "paused: `webrag resume` goes on"
        open_work = report.waiting + report.running
        _say(output, "queue", f"{open_work} open, {worker}" if open_work or report.paused else "empty")
    if report.problem is not None and not starting:
        _say(output, "", f"Nothing goes on: {report.problem}")
        _say(output, "", report.remedy or "")
    if report.postponed and report.next_at is not None:
        again = time_of_day(report.next_at)
        _say(output, "postponed", f"{report.postponed} wait for what is away, the next again at {again}")
    if report.kept:
        _say(output, "kept", f"{report.kept} to be added when the database answers: `webrag work`")


def _say(output: Output, name: str, text: str) -> None:
    output.say(f"{name:<{_COLUMN}}", text)
