"""``webrag list``: the documents of the library. It imports little, since its start is most of what it takes."""

import click

from webrag_desktop.cli.document_words import labelled, name_of, state_words
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
from webrag_desktop.cli.session import open_library
from webrag_desktop.models.sources import NO_LABELS, Labels, SourceRow

_STATE_COLUMN = 15


@click.command("list")
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
        from webrag_desktop.cli.shapes.documents import document_of  # long to import, and most lists are read

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
    if source.authors:
        output.say(indent, one_line(f"by: {'; '.join(source.authors)}"))
    for name, value in labelled(labels):
        output.say(indent, f"{name}: {one_line(value)}")
    if any(source.note):
        output.say(indent, sentences(*source.note))
