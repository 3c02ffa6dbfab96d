"""``webrag history``: what happened to a document."""

import click

from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output, readable_address
from webrag_desktop.cli.progress import name_of
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import HistoryReport
from webrag_desktop.cli.times import day_and_second
from webrag_desktop.models.news import Event, EventKind

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


@click.command(short_help="Tell what happened to a document.")
@click.argument("reference", metavar="ID")
@json_option
@pass_output
def history(output: Output, reference: str) -> None:
    """Tell what happened to a document: what was asked for, what came in, what became of it."""
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
