"""``webrag list`` and ``history``: the documents of the library."""

import click

from webrag_desktop.cli.commands.show import labelled
from webrag_desktop.cli.output import (
    SHOWN_ID,
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    readable_address,
    sentences,
)
from webrag_desktop.cli.progress import name_of, state_words
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import HistoryReport, document_of
from webrag_desktop.cli.times import day_and_second
from webrag_desktop.models.queue import Event, EventKind
from webrag_desktop.models.sources import NO_LABELS, Labels, SourceRow

_STATE_COLUMN = 15


@click.command(
    "list",
)
@json_option
@pass_output
def list_documents(output: Output) -> None:
    """List the documents in the library, in the order of adding, with their state.

    The first column begins a document's id; it can be given wherever ID is asked for.
    """
    with open_library() as library:
        found = library.documents.all()
        labels = library.labels.of_all([source.id for source in found])
    if output.as_json:
        output.documents([document_of(source, labels.get(source.id, NO_LABELS)) for source in found])
    elif not found:
        output.say("The library is empty. `webrag add URL` puts something in.")
    for source in found if not output.as_json else ():
        _say_row(output, source, labels.get(source.id, NO_LABELS))


def _say_row(output: Output, source: SourceRow, labels: Labels) -> None:
    address = readable_address(source.source_url or source.url)
    state = f"{state_words(source):<{_STATE_COLUMN}}"
    output.say(str(source.id)[:SHOWN_ID], "  ", state, "  ", Styled(name_of(source), bold=True))
    indent = " " * (SHOWN_ID + 2 + _STATE_COLUMN + 2)
    if source.title:
        output.say(indent, one_line(address))
    for name, value in labelled(labels):
        output.say(indent, f"{name}: {one_line(value)}")
    if source.state_reason:
        output.say(indent, sentences(source.state_reason, source.state_hint))


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
