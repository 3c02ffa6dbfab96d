"""``webrag versions`` and ``webrag diff``: the texts that a document had, and what changed between them."""

from collections.abc import Iterator

import click

from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.version_shapes import ChangeItem, DifferenceReport, Version
from webrag_desktop.orchestration.versions import difference, versions_of

REASONS = {"first": "first text", "changed": "it had changed", "reread": "read again, otherwise"}
CONTEXT_CHARACTERS = 60  # of what stayed the same, shown on either side of a change
_COLOURS = {"removed": "red", "added": "green"}
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}


@click.command(short_help="List the texts that a document had.")
@click.argument("reference", metavar="ID")
@json_option
@pass_output
def versions(output: Output, reference: str) -> None:
    """List the texts that a document had: number, when it was fetched, how long it is, and why it is there.

    Old texts stay, so that what was cited of them can be looked up. `webrag diff` shows what changed.
    """
    with open_library() as services:
        source = services.library.find(reference)
        found = [Version.of(row) for row in versions_of(services.database, source.id)]
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
            f"  {version.fetched_at:%Y-%m-%d %H:%M} UTC  {version.characters:>9,} characters  ",
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

    By default from the text before the one that the document shows now. White space does not count.
    """
    with open_library() as services:
        source = services.library.find(reference)
        report = DifferenceReport.of(source.id, difference(services.database, source.id, before, after))
    if output.as_json:
        output.document(report)
        return
    _say_report(output, report)


def _say_report(output: Output, report: DifferenceReport) -> None:
    old, new = report.before, report.after
    output.say(
        Styled(f"Version {old.number}", bold=True),
        f" ({old.fetched_at:%Y-%m-%d %H:%M} UTC) to ",
        Styled(f"version {new.number}", bold=True),
        f" ({new.fetched_at:%Y-%m-%d %H:%M} UTC)",
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
            output.say(Styled(one_line(heading or "(no heading)"), bold=True))
        output.say("  ", *_told(change))
    if report.coarse:
        output.note("The texts differ so much that not every change was looked at word by word.")


def _told(change: ChangeItem) -> Iterator[str | Styled]:
    if change.kind == "changed":
        yield Styled("~ ", bold=True)
        last = len(change.words) - 1
        for number, part in enumerate(change.words):
            if part.kind == "same":
                yield _shortened(part.text, is_first=number == 0, is_last=number == last)
            else:
                begin, end = _MARKS[part.kind]
                yield Styled(f"{begin}{_spaces_kept(part.text)}{end}", colour=_COLOURS[part.kind])
        return
    span = change.after or change.before
    text = one_line(span.text) if span else ""
    if change.kind == "moved":
        yield "> (moved here) "
        yield text
        return
    sign = "+ " if change.kind == "added" else "- "
    yield Styled(sign + text, colour=_COLOURS[change.kind])


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    """What stayed the same, without its middle where that is long."""
    line = _spaces_kept(text)
    head = "" if is_first else line[:CONTEXT_CHARACTERS]
    tail = "" if is_last else line[-CONTEXT_CHARACTERS:]
    return line if len(line) <= len(head) + len(tail) + 3 else f"{head} … {tail}"


def _spaces_kept(text: str) -> str:
    """The text on one line, a blank at its ends kept."""
    inner = one_line(text)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and inner else ""
    return f"{before}{inner}{after}"
