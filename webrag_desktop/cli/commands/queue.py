"""``webrag work``, ``pause``, ``resume``, ``cancel`` and ``retry``: the queue and what is done with it."""

from collections.abc import Sequence
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.background import run_worker, secrets_of_input
from webrag_desktop.cli.commands.add import item_of_joined
from webrag_desktop.cli.commands.capture import code_of_captures, print_with_captures, watch_captures
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import MOVE_GOES_ON, follow, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.reporting import code_of_report, item_of, print_report
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import level_name
from webrag_desktop.cli.shapes.reports import Outcome, QueueReport, ReportItem
from webrag_desktop.cli.times import time_of_day
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES

_COLUMN = 11


def unknown_queue(kept: int) -> QueueReport:
    """What is shown while the database does not run."""
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
        worker = "a worker is running" if report.worker else "no worker runs"
        if starting and not report.worker:
            worker = "a worker is starting in the background"
        if report.paused:
            worker = "paused: `webrag resume` goes on"
        open_work = report.waiting + report.running
        _say_line(output, "queue", f"{open_work} open, {worker}" if open_work or report.paused else "empty")
    if report.problem is not None and not starting:
        _say_line(output, "", f"Nothing is being done: {report.problem}")
        _say_line(output, "", report.remedy or "")
    if report.postponed and report.next_at is not None:
        again = time_of_day(report.next_at)
        _say_line(output, "postponed", f"{report.postponed} wait for what is away, the next again at {again}")
    if report.kept:
        _say_line(output, "kept", f"{report.kept} to be added when the database answers: `webrag work`")


def _say_line(output: Output, name: str, text: str) -> None:
    output.say(f"{name:<{_COLUMN}}", text)


@click.command()
@json_option
@pass_output
def pause(output: Output) -> None:
    """Pause indexing, for every program and over restarts, until `webrag resume` or `webrag work`.

    What is under way is put back and loses nothing; adding and searching go on.
    """
    with open_library() as library:
        library.queue.pause()
        _print_queue(library, output)


@click.command(short_help="Continue indexing that was paused.")
@json_option
@pass_output
def resume(output: Output) -> None:
    """Continue indexing that was paused, in the background."""
    with open_library() as library:
        library.queue.resume()
        moves = library.move_waits()
        starting = (moves or bool(library.queue.unfinished())) and start_worker(library, output)
        if moves:
            output.note(MOVE_GOES_ON)
        _print_queue(library, output, starting=starting)


def _print_queue(library: Library, output: Output, *, starting: bool = False) -> None:
    report = queue_report(library, library.spool.count())
    if output.as_json:
        output.document(report)
    else:
        say_queue(output, report, starting=starting)


@click.command()
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
        affected = stopped if everything else list(named)
        rows = library.documents.rows(affected)
    if not affected and not output.as_json:
        output.say("Nothing was queued.")
        return ExitCode.OK
    items = [
        item_of(
            named.get(id_) or rows[id_].url,
            _cancelled_outcome(rows[id_], was_stopped=id_ in stopped),
            rows[id_],
        )
        for id_ in affected
        if id_ in rows  # else somebody removed it meanwhile
    ]
    print_report(output, items)
    return ExitCode.OK


def _cancelled_outcome(row: SourceRow, *, was_stopped: bool) -> Outcome:
    if row.state == "cancelled":
        return "cancelled"
    if row.state == "failed":
        return "failed"
    return "unchanged" if was_stopped else "present"


@click.command()
@click.argument("references", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="All that failed, was stopped or waits.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait for each document (default), or leave it to the background."
)
@json_option
@pass_output
def retry(output: Output, references: tuple[str, ...], everything: bool, wait: bool) -> ExitCode:
    """Try again what failed or was stopped, and at once what waits for a site, the embedding model or this computer.

    What was fetched is read from its kept copy, unless reading exactly that is what failed: then the page is fetched
    again. What is ready stays as it is; `webrag refresh` looks whether it changed. If one of the documents is not
    found, none is tried again.
    """
    if bool(references) == everything:
        raise click.UsageError("Give documents, or --all.")
    with open_library() as library:
        return _retry(library, _to_retry(library, references), wait, output)


def _to_retry(library: Library, references: Sequence[str]) -> dict[UUID, SourceRow]:
    if references:
        return {source.id: source for source in map(library.documents.find, references)}
    found, stopped = library.documents.all(), frozenset(library.queue.stopped_changes())
    return {
        one.id: one
        for one in found
        if one.state in ("failed", "cancelled") or one.may_come_sooner or one.id in stopped
    }


def _retry(library: Library, before: dict[UUID, SourceRow], wait: bool, output: Output) -> ExitCode:
    library.queue.retry(list(before))
    queued = library.documents.rows(list(before))
    open_work = [id_ for id_, source in queued.items() if source.state not in FINAL_STATES]
    followed = True
    if open_work and wait:
        followed = follow(library, open_work, output)
    elif open_work:
        start_worker(library, output)
    after = library.documents.rows(list(before))
    items = [
        _retried_item(library, source, after.get(id_), tried=id_ in open_work)
        for id_, source in before.items()
    ]
    if not items and not output.as_json:
        output.say("Nothing failed, was stopped or waits.")
    else:
        print_report(output, items)
    return code_of_report(items, paused=not followed, waited=wait)


def _retried_item(library: Library, before: SourceRow, after: SourceRow | None, *, tried: bool) -> ReportItem:
    if after is None:
        return item_of_joined(library, before.url)
    if after.state in ("failed", "cancelled"):
        return item_of(before.url, after.state, after)
    if after.state != "ready":
        return item_of(before.url, "queued", after)
    return item_of(before.url, _outcome_when_ready(before, after) if tried else "present", after)


def _outcome_when_ready(before: SourceRow, after: SourceRow) -> Outcome:
    if before.content_hash is None:
        return "added"
    return "unchanged" if before.content_hash == after.content_hash else "changed"


@click.command()
@click.option("--background", is_flag=True, hidden=True, help="Be the worker process.")
@click.option("--secrets-given", is_flag=True, hidden=True, help="Read secret settings from standard input.")
@json_option
@pass_output
def work(output: Output, background: bool, secrets_given: bool) -> ExitCode:
    """Continue with everything that is still queued, and wait until it is ready or failed.

    Needed after --no-wait was followed by a restart, or after Ctrl+C; the next `webrag add` does the same
    in passing. Goes on with captures of sites to their end. Also takes in what was given while the database did
    not answer, tries again what failed for a reason that may have passed, such as a site or an embedding server
    that did not answer, looks at what is due by `webrag refresh --every`, and resumes indexing that was paused in
    the window.
    """
    if background:
        return run_worker(secrets_of_input() if secrets_given else {})
    with open_library() as library:
        return _work(library, output)


def _work(library: Library, output: Output) -> ExitCode:
    if library.queue.resume():
        output.note("Indexing was paused; it goes on.")
    library.queue.retry_failed()
    library.schedule.queue_due()
    unfinished = set(library.queue.unfinished())
    before = [source for source in library.documents.all() if source.id in unfinished]
    had_text = {source.id for source in before if source.searchable and _was_ready(library, source)}
    begun = [one.id for one in library.sites.all(is_open=True)]
    followed = not before or follow(library, [source.id for source in before], output)
    if followed:
        followed = watch_captures(output, library, begun)
    if not before and library.move_waits():
        output.note(MOVE_GOES_ON)
        start_worker(library, output)
    if library.page_looks.waits():
        output.note("Images and styles of pages are being fetched in the background.")
        start_worker(library, output)
    items = [_worked_item(library, source, had_text=source.id in had_text) for source in before]
    captures = [library.sites.get(one) for one in begun]
    if not items and not captures and not output.as_json:
        output.say("Nothing is queued.")
    else:
        print_with_captures(output, items, captures)
    return code_of_report(items, paused=not followed, waited=True) or code_of_captures(captures, waited=True)


def _was_ready(library: Library, source: SourceRow) -> bool:
    """Whether it ever was: the words of a new document can be found before it is."""
    return any(event.kind in ("ready", "unchanged") for event in library.documents.history(source.id))


def _worked_item(library: Library, before: SourceRow, *, had_text: bool) -> ReportItem:
    source = library.documents.get(before.id)
    if source is None:
        return item_of_joined(library, before.url)
    if source.state == "ready" and had_text:
        same = before.content_hash == source.content_hash
        return item_of(before.url, "unchanged" if same else "changed", source)
    outcome = {"ready": "added", "failed": "failed", "cancelled": "cancelled"}
    return item_of(before.url, outcome.get(source.state, "queued"), source)  # type: ignore[arg-type]
