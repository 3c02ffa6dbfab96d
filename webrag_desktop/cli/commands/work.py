"""``webrag work``: go on with everything that is queued."""

import click

from webrag_desktop import Library
from webrag_desktop.cli.background import run_worker
from webrag_desktop.cli.commands.add import item_of_joined
from webrag_desktop.cli.commands.growing.capture import code_of_captures, tell_with_captures, watch_captures
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import MOVE_GOES_ON, follow, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.reporting import code_of_report, item_of
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.reports import ReportItem
from webrag_desktop.models.sources import SourceRow


@click.command(short_help="Go on with everything that is still queued.")
@click.option("--background", is_flag=True, hidden=True, help="Be the worker process.")
@json_option
@pass_output
def work(output: Output, background: bool) -> ExitCode:
    """Go on with everything that is still queued, and wait until it is ready or failed.

    Needed after --no-wait was followed by a restart, or after Ctrl+C; the next `webrag add` does the same
    in passing. Goes on with captures of sites to their end. Also takes in what was given while the database did
    not answer, tries again what failed for a reason that may have passed, such as a site or an embedding server
    that did not answer, looks at what is due by `webrag refresh --every`, and resumes indexing that was paused in
    the window.
    """
    if background:
        return run_worker()
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
    items = [_item(library, source, had_text=source.id in had_text) for source in before]
    captures = [library.sites.get(one) for one in begun]
    if not items and not captures and not output.as_json:
        output.say("Nothing is queued.")
    else:
        tell_with_captures(output, items, captures)
    return code_of_report(items, paused=not followed, waited=True) or code_of_captures(captures, waited=True)


def _was_ready(library: Library, source: SourceRow) -> bool:
    """Whether it ever was: the words of a new document can be found before it is."""
    return any(event.kind in ("ready", "unchanged") for event in library.documents.history(source.id))


def _item(library: Library, before: SourceRow, *, had_text: bool) -> ReportItem:
    source = library.documents.get(before.id)
    if source is None:
        return item_of_joined(library, before.url)
    if source.state == "ready" and had_text:
        same = before.content_hash == source.content_hash
        return item_of(before.url, "unchanged" if same else "changed", source)
    outcome = {"ready": "added", "failed": "failed", "cancelled": "cancelled"}
    return item_of(before.url, outcome.get(source.state, "queued"), source)  # type: ignore[arg-type]
