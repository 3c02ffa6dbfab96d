"""``webrag pause``, ``resume`` and ``cancel``: the user's hand on the queue, and what is told of it."""

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import MOVE_GOES_ON, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.reporting import item_of, tell
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes import Outcome, QueueReport, level_name
from webrag_desktop.cli.times import time_of_day
from webrag_desktop.models.sources import SourceRow

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
    _corpus, queue, worker = library.figures()
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
        paused=library.queue.paused(),
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


@click.command(short_help="Pause indexing, for every program and over restarts.")
@json_option
@pass_output
def pause(output: Output) -> None:
    """Pause indexing, for every program and over restarts, until `webrag resume` or `webrag work`.

    What is under way is put back and loses nothing; adding and searching go on.
    """
    with open_library() as library:
        library.queue.pause()
        _tell_queue(library, output)


@click.command(short_help="Go on with indexing that was paused.")
@json_option
@pass_output
def resume(output: Output) -> None:
    """Go on with indexing that was paused, in the background."""
    with open_library() as library:
        library.queue.resume()
        moves = library.move_waits()
        starting = (moves or bool(library.queue.unfinished())) and start_worker(library, output)
        if moves:
            output.note(MOVE_GOES_ON)
        _tell_queue(library, output, starting=starting)


def _tell_queue(library: Library, output: Output, *, starting: bool = False) -> None:
    report = queue_report(library, library.spool.count())
    if output.as_json:
        output.document(report)
    else:
        say_queue(output, report, starting=starting)


@click.command(short_help="Stop the work on documents; what was given is kept.")
@click.argument("references", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="All that is open.")
@json_option
@pass_output
def cancel(output: Output, references: tuple[str, ...], everything: bool) -> ExitCode:
    """Stop the work on documents. What was given is kept, and `webrag retry`, or giving it again, reads it.

    A document that had a text is ready again, with the text it had. If one of them is not found, none is stopped.
    """
    if bool(references) == everything:
        raise click.UsageError("Give documents, or --all.")
    with open_library() as library:
        named = {library.documents.find(reference).id: reference for reference in references}
        stopped = library.queue.cancel(None if everything else list(named))
        concerned = stopped if everything else list(named)
        rows = library.documents.rows(concerned)
    if not concerned and not output.as_json:
        output.say("Nothing was queued.")
        return ExitCode.OK
    items = [
        item_of(named.get(id_) or rows[id_].url, _outcome(rows[id_], was_stopped=id_ in stopped), rows[id_])
        for id_ in concerned
        if id_ in rows  # else somebody removed it meanwhile
    ]
    tell(output, items)
    return ExitCode.OK


def _outcome(row: SourceRow, *, was_stopped: bool) -> Outcome:
    if row.state == "cancelled":
        return "cancelled"
    if row.state == "failed":
        return "failed"
    return "unchanged" if was_stopped else "present"
