"""``webrag refresh``: checks whether documents changed at their source, now or on a schedule."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import follow, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output, readable_address, sentences
from webrag_desktop.cli.reporting import code_of_report, item_of, print_report
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import ScheduleReport
from webrag_desktop.cli.shapes.reports import ReportItem
from webrag_desktop.cli.subresources_text import with_images_option
from webrag_desktop.cli.times import day_and_minute, time_of_day
from webrag_desktop.errors import WebragError
from webrag_desktop.models.intake import hint_beside_text
from webrag_desktop.models.queue import NEVER
from webrag_desktop.models.sources import SourceRow

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AMOUNT = re.compile(r"([1-9]\d{0,3})([hdw])")


class Every(NamedTuple):
    """How often: a length of time, never (``off``), or as the library (``default``)."""

    wish: str
    interval: timedelta | None = None


class EveryType(click.ParamType[Every]):
    """``12h``, ``7d``, ``2w``, ``off`` or ``default``."""

    name = "every"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Every:
        """What the user wrote, understood."""
        text = str(value).strip().lower()
        if text in ("off", "default"):
            return Every(text)
        found = _AMOUNT.fullmatch(text)
        if found is None:
            self.fail(
                "Give an hour at least, as hours, days or weeks: 12h, 7d, 2w; or off, or default.", param, ctx
            )
        return Every("interval", int(found[1]) * _UNITS[found[2]])


def change_schedule(library: Library, references: Sequence[str], every: Every) -> None:
    """Set how often these documents, or those of the library, are looked at.

    Raises:
        NotFoundError: one of the references names no document; nothing is changed then.
        click.UsageError: only documents can follow the library.
    """
    if not references:
        if every.wish == "default":
            raise click.UsageError("Only documents can be looked at as often as the library: name them.")
        library.schedule.set(every.interval)
        return
    ids = [library.documents.find(reference).id for reference in references]
    library.schedule.set(NEVER if every.wish == "off" else every.interval, ids)


def print_schedule(library: Library, output: Output) -> None:
    """Say how often documents are looked at."""
    report = ScheduleReport.scheduled(library.schedule.now())
    if output.as_json:
        output.document(report)
        return
    every = report.every_seconds
    if every is None:
        output.say("Documents are not refreshed on a schedule. `webrag refresh --every 7d` sets one.")
    else:
        output.say(
            f"Documents are looked at every {_words(every)}, while the window is open or by `webrag work`."
        )
    for one in report.documents:
        own = f"every {_words(one.every_seconds)}" if one.every_seconds else "never"
        output.say(f"  {own}: ", readable_address(one.given))
    if report.due:
        output.say(f"Due now: {report.due}")
    if report.rests_until:
        output.say(f"Nothing could be reached; tried again at {time_of_day(report.rests_until)}.")
    elif report.next_at and not report.due:
        output.say(f"The next one is due at {day_and_minute(report.next_at)}.")


def _words(seconds: int) -> str:
    """``7 days``, ``12 hours``."""
    days, rest = divmod(seconds, 86_400)
    number, unit = (seconds // 3600, "hour") if rest else (days, "day")
    return unit if number == 1 else f"{number} {unit}s"


@click.command()
@click.argument("references", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="All documents.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait for each document (default), or leave it to the background."
)
@click.option(
    "--every",
    type=EveryType(),
    metavar="TIME|off|default",
    help="Refresh them automatically at this interval (12h, 7d, 2w), never (off), or as often as the rest of the "
    "library (default); without ID: the whole library.",
)
@click.option("--schedule", is_flag=True, help="Show what is refreshed how often.")
@with_images_option
@json_option
@pass_output
def refresh(
    output: Output,
    references: tuple[str, ...],
    everything: bool,
    wait: bool,
    every: Every | None,
    schedule: bool,
    with_images: bool | None,
) -> ExitCode:
    """Check whether documents changed at their source: on their sites, or in their files.

    Sites are asked only for what changed since. Another text becomes a new version, and citations keep the old one;
    what did not change stays as it is, and so does the text of a page or file that is not there any more. What failed
    or was stopped is tried again.

    With --with-images, stylesheets and images of the pages are fetched, too, now and whenever they are refreshed.

    With --every they are not looked at now, but by themselves: while the window is open, or by `webrag work`. What
    fails then leaves a note and the document as it was. Without it, nothing is looked at by itself.
    """
    if schedule or every is not None:
        return _scheduled(output, references, every, everything=everything)
    if bool(references) == everything:
        raise click.UsageError("Give documents, or --all.")
    with open_library() as library:
        return _refresh(library, _wanted(library, references), with_images, wait, output)


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
        print_schedule(library, output)
    return ExitCode.OK


def _wanted(library: Library, references: Sequence[str]) -> dict[UUID, SourceRow]:
    if not references:
        return {source.id: source for source in library.documents.all()}
    return {source.id: source for source in map(library.documents.find, references)}


def _refresh(
    library: Library,
    before: dict[UUID, SourceRow],
    with_images: bool | None,
    wait: bool,
    output: Output,
) -> ExitCode:
    asked = library.documents.refresh(list(before), subresources=with_images)
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
        print_report(output, items)
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
