"""The report at the end of a command that took something in or out."""

from collections.abc import Sequence

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, Styled, one_line, readable_address, sentences
from webrag_desktop.cli.shapes.reports import Outcome, Report, ReportItem
from webrag_desktop.cli.times import reason_with_wait
from webrag_desktop.errors import WebragError
from webrag_desktop.models.links import SiteCapture
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.text.printable import printable

_HEADINGS: dict[Outcome, str] = {
    "added": "Added",
    "changed": "Changed, read again",
    "unchanged": "As they were",
    "present": "Already there",
    "restored": "Restored from the bin",
    "queued": "Queued",
    "kept": "Kept, and taken in later",
    "removed": "In the bin",
    "deleted": "Deleted for good",
    "cancelled": "Stopped",
    "failed": "Failed",
}


def item_of(given: str, outcome: Outcome, source: SourceRow | None) -> ReportItem:
    """A report's item about a document, or about one that is gone."""
    given = one_line(given)
    if source is None:
        return ReportItem(given=given, outcome=outcome)
    return ReportItem(
        given=given,
        outcome=outcome,
        id=source.id,
        source_url=source.source_url or source.url,
        title=source.title,
        state=source.state,
        reason=sentences(reason_with_wait(source)) or None,
        hint=source.state_hint,
    )


def item_of_error(given: str, outcome: Outcome, error: WebragError) -> ReportItem:
    """A report's item about something that did not get into the library."""
    # A path may hold bytes that are no text, which JSON could not hold.
    return ReportItem(
        given=one_line(given), outcome=outcome, reason=sentences(error.message), hint=printable(error.hint)
    )


def print_report(output: Output, items: Sequence[ReportItem], captures: Sequence[SiteCapture] = ()) -> None:
    """Print the report, as text or as JSON; in text, what a line reported already is only counted.

    ``captures`` are in the JSON alone: :func:`.say_capture` says each.
    """
    report = Report.of(list(items), captures)
    if output.as_json:
        output.document(report)
        return
    for outcome, heading in _HEADINGS.items():
        if affected := [item for item in report.items if item.outcome == outcome]:
            output.say(Styled(f"{heading}: {len(affected)}", bold=True))
            for item in affected:
                if not _is_reported(output, item):
                    _print_item(output, item)


def _is_reported(output: Output, item: ReportItem) -> bool:
    """Whether the line that reported how the document ended said all that there is to say."""
    said: tuple[Outcome, ...] = ("added", "present", "unchanged", "failed", "cancelled")
    return item.id in output.reported and item.outcome in said and not _joined(item)


def _joined(item: ReportItem) -> bool:
    """Whether what was given turned out to be a page that is there under another address."""
    return item.outcome == "present" and readable_address(item.source_url or item.given) != item.given


def _print_item(output: Output, item: ReportItem) -> None:
    address = readable_address(item.source_url or item.given)
    output.say(f"  {one_line(item.title)} — {address}" if item.title else f"  {address}")
    if _joined(item):
        output.say(f"    (given as {item.given})")
    if item.outcome in ("failed", "kept", "cancelled", "queued", "unchanged") and item.reason:
        output.say(f"    {item.reason}")
        if item.hint:
            output.say("    ", Styled(item.hint, dim=True))


def code_of_report(items: Sequence[ReportItem], *, paused: bool = False, waited: bool = False) -> ExitCode:
    """The exit code that a report deserves; ``paused``: something was waited for that does not come.

    ``waited``: what is still queued was waited for, and did not come in time.
    """
    missed: tuple[Outcome, ...] = ("failed", "cancelled", "queued") if waited else ("failed", "cancelled")
    failed = [item for item in items if item.outcome in missed]
    if paused or any(item.outcome == "kept" for item in items):
        return ExitCode.UNAVAILABLE
    if not failed:
        return ExitCode.OK
    nothing_usable = len(failed) == len(items) and all(item.id is None for item in items)
    return ExitCode.USAGE if nothing_usable else ExitCode.FAILED
