"""``webrag reextract``: read kept copies again, without the network."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import follow, start_worker
from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output, readable_address
from webrag_desktop.cli.session import open_library, showing_steps
from webrag_desktop.cli.shapes.reports import RereadItem, RereadReport
from webrag_desktop.models.versions import Rereading, RereadOutcome, compared

_HEADINGS: dict[RereadOutcome, tuple[str, str]] = {
    "changed": ("Another text; the old one stays for citations", "Would get another text"),
    "renewed": ("Same text, read again", "Same text, would be read again"),
    "same": ("As it was", "Would stay as it is"),
    "kept": (
        "The newest copy cannot be read; the text shown stays",
        "The newest copy cannot be read; the text would stay",
    ),
    "queued": ("Still queued", "Still queued"),
    "failed": ("Failed", "Would fail"),
    "nothing kept": ("Nothing is kept of it", "Nothing is kept of it"),
    "gone": ("Gone meanwhile", "Gone meanwhile"),
}
_ONE_BY_ONE: frozenset[RereadOutcome] = frozenset(("changed", "kept", "failed", "nothing kept"))


@click.command()
@click.argument("references", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="All documents.")
@click.option("--older", is_flag=True, help="All that were read by an older version of the reader.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option(
    "--wait/--no-wait", default=True, help="Wait for each document (default), or leave it to the background."
)
@json_option
@pass_output
def reextract(
    output: Output, references: tuple[str, ...], everything: bool, older: bool, dry_run: bool, wait: bool
) -> ExitCode:
    """Read the kept copies of documents again, as after an upgrade that reads pages better.

    Nothing is fetched. Where the text is the same, only its title, dates and structure are renewed; another text
    becomes a new version, and citations keep the old one. It is done by the queue: Ctrl+C leaves the rest to
    `webrag work`.
    """
    if bool(references) + everything + older != 1:
        raise click.UsageError("Give documents, or --all, or --older.")
    with open_library() as library:
        wanted = _wanted(library, references, everything=everything)
        if dry_run:
            found, followed = _rehearse(library, wanted), True
        else:
            found, followed = _reread(library, wanted, output, wait=wait)
    _print(output, found, dry_run=dry_run)
    if not followed:
        return ExitCode.UNAVAILABLE
    return ExitCode.FAILED if any(one.outcome in ("failed", "nothing kept") for one in found) else ExitCode.OK


def _wanted(library: Library, references: Sequence[str], *, everything: bool) -> list[UUID]:
    if references:
        return list(dict.fromkeys(library.documents.find(reference).id for reference in references))
    if everything:
        return [source.id for source in library.documents.all()]
    return library.documents.read_by_older()


def _rehearse(library: Library, wanted: Sequence[UUID]) -> list[Rereading]:
    with showing_steps() as show:
        return list(library.rehearse_reading(wanted, show))


def _reread(
    library: Library, wanted: Sequence[UUID], output: Output, *, wait: bool
) -> tuple[list[Rereading], bool]:
    before = library.documents.reading_states(wanted)
    queued = library.documents.reextract(wanted)
    followed = True
    if queued and wait:
        followed = follow(library, queued, output)
    elif queued:
        start_worker(library, output)
    return compared(before, library.documents.reading_states(wanted), queued), followed


def _print(output: Output, found: Sequence[Rereading], *, dry_run: bool) -> None:
    counts = Counter(one.outcome for one in found)
    if output.as_json:
        named = {outcome.replace(" ", "_"): counts[outcome] for outcome in _HEADINGS}
        items = tuple(map(RereadItem.about, found))
        output.document(RereadReport(dry_run=dry_run, items=items, counts=named))
        return
    if not found:
        output.say("There is nothing to read again.")
    for outcome, headings in _HEADINGS.items():
        if counts[outcome]:
            output.say(Styled(f"{headings[dry_run]}: {counts[outcome]}", bold=True))
        for one in found:
            if one.outcome == outcome and outcome in _ONE_BY_ONE and not _is_reported(output, one):
                _print_one(output, one)


def _is_reported(output: Output, one: Rereading) -> bool:
    """Whether a line reported already that it failed, and why."""
    return one.outcome == "failed" and one.id in output.reported


def _print_one(output: Output, one: Rereading) -> None:
    before, after = one.titles
    address = readable_address(one.address)
    output.say("  ", one_line(f"{after or before} — {address}" if after or before else address))
    if one.outcome == "changed":
        renamed = f", before: {before}" if before and before != after else ""
        lengths = " → ".join("no text" if n is None else f"{n}" for n in one.characters)
        output.say("    ", Styled(one_line(f"{lengths} characters{renamed}"), dim=True))
    for text in filter(None, (one.reason, one.hint)):
        output.say("    ", one_line(text))
