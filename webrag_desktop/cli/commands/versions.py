"""``webrag versions`` and ``diff``: the texts that a document had, and what changed from one to another."""

import click

from webrag_desktop.cli.difference_text import DifferenceText
from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import DifferenceReport
from webrag_desktop.cli.times import day_and_minute

REASONS = {"first": "first text", "changed": "it had changed", "reread": "read again, otherwise"}


@click.command(short_help="List the texts that a document had.")
@click.argument("reference", metavar="ID")
@json_option
@pass_output
def versions(output: Output, reference: str) -> None:
    """List the texts that a document had: number, when it was fetched, how long it is, and why it is there.

    Old texts stay, so that what was cited of them can be looked up. `webrag diff` shows what changed.
    """
    with open_library() as library:
        source = library.documents.find(reference)
        found = library.versions.of(source.id)
    if output.as_json:
        output.documents(found)
        return
    if not found:
        output.say("There is no text yet.")
    for version in found:
        cited = f", cited {version.citations} times" if version.citations > 1 else ""
        cited = ", cited once" if version.citations == 1 else cited
        output.say(
            Styled(f"{version.number:>3}", bold=version.active),
            f"  {day_and_minute(version.fetched_at)}  {version.characters:>9,} characters  ",
            REASONS[version.reason],
            cited,
            "  (shown)" if version.active else "",
        )


@click.command(short_help="Show what changed from one text of a document to another.")
@click.argument("reference", metavar="ID")
@click.option("--from", "before", type=click.IntRange(min=1), help="Version to begin with, by its number.")
@click.option("--to", "after", type=click.IntRange(min=1), help="Version to end with.")
@json_option
@pass_output
def diff(output: Output, reference: str, before: int | None, after: int | None) -> None:
    """Show what changed, paragraph by paragraph, with the changed words marked [-so-] and {+so+}.

    By default from the text before the one that the document shows now. White space does not count. The texts are
    shown as they are read, lines of code `so`; --json holds their Markdown.
    """
    with open_library() as library:
        source = library.documents.find(reference)
        found = library.versions.diff(source.id, before, after)
    report = DifferenceReport.of(source.id, found)
    if output.as_json:
        output.document(report)
        return
    _say_report(output, report, DifferenceText(found))


def _say_report(output: Output, report: DifferenceReport, text: DifferenceText) -> None:
    old, new = report.before, report.after
    output.say(
        Styled(f"Version {old.number}", bold=True),
        f" ({day_and_minute(old.fetched_at)}) to ",
        Styled(f"version {new.number}", bold=True),
        f" ({day_and_minute(new.fetched_at)})",
    )
    if old.title != new.title:
        output.say(f"Title: {one_line(old.title or '-')} → {one_line(new.title or '-')}")
    if not report.changes:
        output.say("The words are the same.")
    heading: str | None = ""
    for change in report.changes:
        if change.heading != heading:
            heading = change.heading
            output.say()
            output.say(Styled(text.heading(heading), bold=True))
        output.say("  ", *text.told(change))
    if report.coarse:
        output.note("The texts differ so much that not every change was looked at word by word.")
