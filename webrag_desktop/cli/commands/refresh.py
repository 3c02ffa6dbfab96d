"""``webrag refresh``: look whether documents changed where they came from."""

from collections.abc import Sequence
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import follow, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output, sentences
from webrag_desktop.cli.reporting import code_of_report, item_of, tell
from webrag_desktop.cli.scheduling import Every, EveryType, change_schedule, tell_schedule
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.reports import ReportItem
from webrag_desktop.errors import WebragError
from webrag_desktop.models.intake import hint_beside_text
from webrag_desktop.models.sources import SourceRow


@click.command(short_help="Look whether documents changed where they came from.")
@click.argument("references", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="All documents.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait for each document (default), or leave it to the background."
)
@click.option(
    "--every",
    type=EveryType(),
    metavar="TIME|off|default",
    help="Look at them by themselves so often (12h, 7d, 2w), never, or as at the library's others; "
    "without ID: at all of the library.",
)
@click.option("--schedule", is_flag=True, help="Show what is looked at how often.")
@json_option
@pass_output
def refresh(
    output: Output,
    references: tuple[str, ...],
    everything: bool,
    wait: bool,
    every: Every | None,
    schedule: bool,
) -> ExitCode:
    """Look whether documents changed where they came from: on their sites, or in their files.

    Sites are asked only for what changed since. Another text becomes a new version, and citations keep the old one;
    what did not change stays as it is, and so does the text of a page or file that is not there any more. What failed
    or was stopped is tried again.

    With --every they are not looked at now, but by themselves: while the window is open, or by `webrag work`. What
    fails then leaves a note and the document as it was. Without it, nothing is looked at by itself.
    """
    if schedule or every is not None:
        return _scheduled(output, references, every, everything=everything)
    if bool(references) == everything:
        raise click.UsageError("Give documents, or --all.")
    with open_library() as library:
        return _refresh(library, _wanted(library, references), wait, output)


def _scheduled(
    output: Output, references: tuple[str, ...], every: Every | None, *, everything: bool
) -> ExitCode:
    if everything or (references and every is None):
        raise click.UsageError(
            "--every goes with documents, or with none for the library; --schedule with none."
        )
    with open_library() as library:
        if every is not None:
            change_schedule(library, references, every)
        tell_schedule(library, output)
    return ExitCode.OK


def _wanted(library: Library, references: Sequence[str]) -> dict[UUID, SourceRow]:
    if not references:
        return {source.id: source for source in library.documents.all()}
    return {source.id: source for source in map(library.documents.find, references)}


def _refresh(library: Library, before: dict[UUID, SourceRow], wait: bool, output: Output) -> ExitCode:
    asked = library.documents.refresh(list(before))
    followed = True
    if asked.queued and wait:
        followed = follow(library, asked.queued, output)
    elif asked.queued:
        start_worker(library, output)
    after = library.documents.rows(list(before))
    unreadable = dict(asked.unreadable)
    items = [
        _item(source, after.get(source_id), unreadable.get(source_id)) for source_id, source in before.items()
    ]
    if not items and not output.as_json:
        output.say("There is nothing to refresh.")
    else:
        tell(output, items)
    return code_of_report(items, paused=not followed, waited=wait)


def _item(before: SourceRow, after: SourceRow | None, error: WebragError | None) -> ReportItem:
    if after is None:
        return item_of(before.url, "removed", None)
    if error is not None:
        item = item_of(before.url, "failed", after)
        return item.model_copy(update={"reason": sentences(error.message), "hint": hint_beside_text(error)})
    if after.state in ("failed", "cancelled"):
        return item_of(before.url, after.state, after)
    if after.state != "ready":
        return item_of(before.url, "queued", after)
    if before.content_hash is None:
        return item_of(before.url, "added", after)
    return item_of(before.url, "unchanged" if before.content_hash == after.content_hash else "changed", after)
