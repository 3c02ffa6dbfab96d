"""``webrag versions``: the texts that a document had."""

import click

from webrag_desktop.cli.output import Output, Styled, json_option, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.versions import Version
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
        found = [Version.of(row) for row in library.versions.of(source.id)]
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
