"""``webrag versions`` and ``diff``: the texts that a document had, and what changed between two."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import ChangeItem, DifferenceReport, Span
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.models.versions import TextRun, VersionDifference
from webrag_desktop.text.plain_text import PlainBlock, PlainText, project, project_blocks

CONTEXT_CHARACTERS = 60  # of what stayed the same, shown on either side of a change
CODE_MARK = "`"
_COLOURS = {"removed": "red", "added": "green"}
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text as it is read, and where its blocks are."""

    plain: PlainText
    blocks: Sequence[PlainBlock]

    @classmethod
    def of(cls, markdown: str) -> "ReadText":
        """Read a stored text."""
        return cls(*project_blocks(markdown))

    def line(self, span: Span) -> str:
        """A span on one line, its markup where it is nothing else."""
        text = one_line(self.plain.reading(span.char_start, span.char_end))
        if not text:
            return one_line(span.text)
        return f"{CODE_MARK}{text}{CODE_MARK}" if self.is_code(span) else text

    def is_code(self, span: Span) -> bool:
        """Whether a span is in a block of code."""
        start, end = self.plain.to_plain_span(span.char_start, span.char_end)
        at = bisect_right(self.blocks, start, key=lambda block: block.start) - 1
        return end > start and at >= 0 and self.blocks[at].shape.kind == "code"


class DifferenceText:
    """Words the changes between two texts."""

    def __init__(self, found: VersionDifference) -> None:
        """Read both texts."""
        self._old, self._new = ReadText.of(found.old), ReadText.of(found.new)

    @staticmethod
    def heading(markdown: str | None) -> str:
        """What a change stands under, on one line."""
        return (one_line(project(f"# {markdown}").text) if markdown else "") or "(no heading)"

    def worded(self, change: ChangeItem) -> Iterator[str | Styled]:
        """A change as the parts of a line."""
        if change.before is not None and change.after is not None and change.kind == "changed":
            yield Styled("~ ", bold=True)
            mark = CODE_MARK if self._new.is_code(change.after) else ""
            yield mark
            yield from _worded(self._readings(change.words, change.before, change.after) or change.words)
            yield mark
        elif change.after is not None:
            line = self._new.line(change.after)
            yield f"> (moved here) {line}" if change.kind == "moved" else Styled(f"+ {line}", colour="green")
        elif change.before is not None:
            yield Styled(f"- {self._old.line(change.before)}", colour="red")

    def _readings(self, words: Sequence[TextRun], before: Span, after: Span) -> list[TextRun]:
        """The parts as they are read; none where only markup changed, such as the address behind a link."""
        at = {"removed": before.char_start, "added": after.char_start}
        read: list[TextRun] = []
        for part in words:
            side = "removed" if part.kind == "removed" else "added"
            start = at[side]
            for moved in ("removed", "added") if part.kind == "same" else (part.kind,):
                at[moved] += len(part.text)
            plain = (self._old if side == "removed" else self._new).plain
            if text := plain.reading(start, start + len(part.text)):
                read.append(TextRun(kind=part.kind, text=text))
        return read if any(part.kind != "same" for part in read) else []


def _worded(words: Sequence[TextRun]) -> Iterator[str | Styled]:
    last = len(words) - 1
    for number, part in enumerate(words):
        if part.kind == "same":
            yield _shortened(part.text, is_first=number == 0, is_last=number == last)
        else:
            begin, end = _MARKS[part.kind]
            yield Styled(f"{begin}{_spaces_kept(part.text)}{end}", colour=_COLOURS[part.kind])


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


REASONS = {"first": "first text", "changed": "it had changed", "reread": "read again, otherwise"}


@click.command()
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


@click.command()
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
        output.say("  ", *text.worded(change))
    if report.coarse:
        output.note("The texts differ so much that not every change was looked at word by word.")
