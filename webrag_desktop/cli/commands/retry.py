"""``webrag retry``: take up again what failed, was stopped, or waits for something that may be back."""

from collections.abc import Sequence
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.commands.add import item_of_joined
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import follow, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.reporting import code_of_report, item_of, tell
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.reports import Outcome, ReportItem
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES


@click.command(short_help="Try again what failed or was stopped.")
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
    anew. What is ready stays as it is; `webrag refresh` looks whether it changed. If one of the documents is not found,
    none is tried again.
    """
    if bool(references) == everything:
        raise click.UsageError("Give documents, or --all.")
    with open_library() as library:
        return _retry(library, _wanted(library, references), wait, output)


def _wanted(library: Library, references: Sequence[str]) -> dict[UUID, SourceRow]:
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
    items = [_item(library, source, after.get(id_), tried=id_ in open_work) for id_, source in before.items()]
    if not items and not output.as_json:
        output.say("Nothing failed, was stopped or waits.")
    else:
        tell(output, items)
    return code_of_report(items, paused=not followed, waited=wait)


def _item(library: Library, before: SourceRow, after: SourceRow | None, *, tried: bool) -> ReportItem:
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
