"""``webrag history``, ``remove`` and ``bin``: what happened to documents, and taking them out and back."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import click

from webrag_desktop.cli.document_words import name_of
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import follow, start_worker
from webrag_desktop.cli.output import (
    SHOWN_ID,
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    readable_address,
)
from webrag_desktop.cli.reporting import code_of_report, item_of, print_report
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import BinDocument, HistoryReport
from webrag_desktop.cli.shapes.reports import Outcome, ReportItem
from webrag_desktop.cli.times import day_and_second
from webrag_desktop.models.queue import Event, EventKind
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES

if TYPE_CHECKING:  # loads what searches
    from webrag_desktop import Library

_WORDS: dict[EventKind, str] = {
    "added": "added",
    "given": "given again",
    "retried": "to be tried again",
    "refreshed": "to be looked at again",
    "reread": "to be read again",
    "joined": "another address led here",
    "repaired": "queued by a repair",
    "captured": "captured",
    "text": "text",
    "ready": "ready",
    "unchanged": "unchanged",
    "failed": "failed",
    "cancelled": "stopped",
    "waiting": "waiting",
}


@click.command()
@click.argument("reference", metavar="ID")
@json_option
@pass_output
def history(output: Output, reference: str) -> None:
    """Show what happened to a document: what was requested, what was fetched, and the outcome."""
    with open_library() as library:
        source = library.documents.find(reference)
        events = library.documents.history(source.id)
    if output.as_json:
        output.document(HistoryReport.of(source, events))
        return
    output.say(Styled(name_of(source), bold=True))
    for event in events:
        output.say(f"{day_and_second(event.at)}  ", one_line(_words(event)))


def _words(event: Event) -> str:
    """An event in words: ``text 2, 5120 characters``, ``failed: The site …``."""
    words = _WORDS[event.kind]
    if event.kind == "captured":
        return f"{words} {event.size} bytes from {readable_address(event.address or '')}"
    if event.kind == "text":
        return f"{words} {event.number}, {event.size} characters"
    if event.until is not None:
        words = f"{words} until {day_and_second(event.until)}"
    return f"{words}: {event.reason}" if event.reason else words


# -- Removing and restoring ------------------------------------------------------------------------------------

_yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
_references = click.argument("references", nargs=-1, required=True, metavar="ID…")


@click.command()
@_references
@click.option("--for-good", is_flag=True, help="Delete them at once; they cannot be restored.")
@_yes_option
@json_option
@pass_output
def remove(output: Output, references: tuple[str, ...], for_good: bool, yes: bool) -> ExitCode:
    """Put documents into the bin, where nothing finds them any more and `webrag bin restore` takes them back.

    They are deleted for good after WEBRAG_BIN_DAYS days (30 by default), or at once with --for-good, for which it asks
    on a terminal. If one of them is not found, none is removed.
    """
    with open_library() as library:
        found = [(one, library.documents.find(one, or_in_bin=for_good)) for one in references]
        affected = [source for _reference, source in found]
        if for_good:
            if not _agreed(output, library, affected, yes=yes):
                return ExitCode.OK
            library.documents.delete_all([source.id for source in affected])
        else:
            _say_citations(output, library, affected)
            library.documents.remove_all([source.id for source in affected])
    outcome: Outcome = "deleted" if for_good else "removed"
    print_report(output, [item_of(reference, outcome, source) for reference, source in found])
    if not for_good and not output.as_json:
        output.note("`webrag bin restore` takes back what is in the bin.")
    return ExitCode.OK


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def bin_(ctx: click.Context) -> None:
    """List what is in the bin, the last removed first, and when it is deleted for good."""
    if ctx.invoked_subcommand is not None:
        return
    output = ctx.ensure_object(Output)
    with open_library() as library:
        found = library.bin.all()
        citations = library.bin.citations_of([source.id for source in found])
        rests = timedelta(days=library.settings.bin_options().days)
    listed = [BinDocument.of_source(one, rests, citations.get(one.id, 0)) for one in found]
    if output.as_json:
        output.documents(listed)
    elif not listed:
        output.say("The bin is empty.")
    for source, one in zip(found, listed, strict=True) if not output.as_json else ():
        _say(output, source, one)


def _say(output: Output, source: SourceRow, one: BinDocument) -> None:
    left = max(0, (one.deleted_after - datetime.now(UTC)).days)
    output.say(str(one.id)[:SHOWN_ID], "  ", Styled(name_of(source), bold=True))
    indent = " " * (SHOWN_ID + 2)
    if source.title:
        output.say(indent, one_line(readable_address(one.source_url)))
    cited = f", cited {_times(one.citations)}" if one.citations else ""
    output.say(indent, f"removed {one.removed_at:%Y-%m-%d}, deleted in {_days(left)}{cited}")


@bin_.command()
@_references
@click.option("--wait/--no-wait", default=True, help="Wait until they can be searched (default), or do not.")
@json_option
@pass_output
def restore(output: Output, references: tuple[str, ...], wait: bool) -> ExitCode:
    """Take documents out of the bin, with their tags, collections and citations.

    Their kept copies are read again, without the network. If one of them is not in the bin, none is restored.
    """
    with open_library() as library:
        found = _in_bin(library, references)
        restored = library.bin.restore([source.id for _reference, source in found])
        before = library.documents.rows(restored)
        open_work = [id_ for id_, source in before.items() if source.state not in FINAL_STATES]
        followed = True
        if open_work and wait:
            followed = follow(library, open_work, output)
        elif open_work:
            start_worker(library, output)
        after = library.documents.rows(restored)
        items = [_restored_item(reference, source, after) for reference, source in found]
    print_report(output, items)
    return code_of_report(items, paused=not followed, waited=wait)


def _restored_item(reference: str, source: SourceRow, after: dict[UUID, SourceRow]) -> ReportItem:
    now = after.get(source.id)
    outcomes: dict[str, Outcome] = {"ready": "restored", "failed": "failed", "cancelled": "cancelled"}
    if now is None:
        return item_of(reference, "removed", None)
    return item_of(reference, outcomes.get(now.state, "queued"), now)


@bin_.command()
@_references
@_yes_option
@json_option
@pass_output
def delete(output: Output, references: tuple[str, ...], yes: bool) -> ExitCode:
    """Delete documents for good that are in the bin. On a terminal it asks first."""
    with open_library() as library:
        return _delete(output, library, _in_bin(library, references), yes=yes)


@bin_.command()
@_yes_option
@json_option
@pass_output
def empty(output: Output, yes: bool) -> ExitCode:
    """Delete for good all that is in the bin. On a terminal it asks first."""
    with open_library() as library:
        return _delete(output, library, [(one.url, one) for one in library.bin.all()], yes=yes)


def _delete(
    output: Output, library: "Library", found: Sequence[tuple[str, SourceRow]], *, yes: bool
) -> ExitCode:
    affected = [source for _reference, source in found]
    if not affected and not output.as_json:
        output.say("The bin is empty.")
        return ExitCode.OK
    if affected and not _agreed(output, library, affected, yes=yes):
        return ExitCode.OK
    library.bin.delete([source.id for source in affected])
    print_report(output, [item_of(reference, "deleted", source) for reference, source in found])
    return ExitCode.OK


def _in_bin(library: "Library", references: Sequence[str]) -> list[tuple[str, SourceRow]]:
    found = [(one, library.documents.find(one, or_in_bin=True)) for one in references]
    for reference, source in found:
        if source.removed_at is None:
            raise click.UsageError(f"{reference} is not in the bin. `webrag bin` lists what is in it.")
    return found


def _agreed(output: Output, library: "Library", affected: Sequence[SourceRow], *, yes: bool) -> bool:
    """Whether the user, where there is one to ask, wants these deleted for good; says so where not."""
    if yes or output.as_json or not sys.stdin.isatty():
        return True
    for source in affected:
        output.say("  ", name_of(source))
    had = library.bin.belongings([source.id for source in affected])
    if had.citations:
        output.say(
            f"They are cited {_times(had.citations)}. The citations keep their words and addresses, and are lost "
            "until"
        )
        output.say("the pages are added again.")
    also = (
        (had.tags, "tag", "tags"),
        (had.filed, "place in a collection", "places in collections"),
        (had.places, "reading position", "reading positions"),
    )
    if named := ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in also if count):
        output.say(f"Deleted with them: {named}.")
    agreed = click.confirm("Delete this for good?")
    if not agreed:
        output.say("Nothing was deleted.")
    return agreed


def _say_citations(output: Output, library: "Library", affected: Sequence[SourceRow]) -> None:
    cited = sum(library.bin.citations_of([source.id for source in affected]).values())
    if cited:
        output.note(f"Cited {_times(cited)}: the citations stay, and say that their document is in the bin.")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"
