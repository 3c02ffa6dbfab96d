"""``webrag remove``: delete documents."""

import sys

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.progress import name_of
from webrag_desktop.cli.reporting import item_of, tell
from webrag_desktop.cli.session import open_library
from webrag_desktop.models.sources import SourceRow


@click.command(short_help="Delete documents from the library.")
@click.argument("references", nargs=-1, required=True, metavar="ID…")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_option
@pass_output
def remove(output: Output, references: tuple[str, ...], yes: bool) -> ExitCode:
    """Delete documents with everything kept about them: captures, texts, chunks, vectors.

    On a terminal it asks first. If one of them is not found, none is deleted.
    """
    with open_library() as library:
        found = [(reference, library.documents.find(reference)) for reference in references]
        if not yes and not output.as_json and sys.stdin.isatty():
            concerned = [source for _reference, source in found]
            if not _agreed(output, concerned):
                output.say("Nothing was deleted.")
                return ExitCode.OK
        for _reference, source in found:
            library.documents.remove(source.id)
    tell(output, [item_of(reference, "removed", source) for reference, source in found])
    return ExitCode.OK


def _agreed(output: Output, concerned: list[SourceRow]) -> bool:
    for source in concerned:
        output.say("  ", name_of(source))
    return click.confirm("Delete this for good?")
