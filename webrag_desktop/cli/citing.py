"""``webrag citations``: what the user cites, and whether its pages still say so."""

import click

from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output, readable_address
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.version_shapes import Citation
from webrag_desktop.orchestration.citing import StoredCitation

_NOTHING = "Nothing is cited yet. The window cites passages."


@click.command(short_help="List what is cited, and whether its pages still say so.")
@json_option
@pass_output
def citations(output: Output) -> None:
    """List what is cited, in its order, and how it stands with the text that its document shows now.

    Exact: the words stand where they stood. Moved: they stand elsewhere. Lost: they do not stand there any more;
    the text that they were taken from stays, and so does the quotation.
    """
    with open_library() as services:
        found = services.library.citations.all()
    if output.as_json:
        output.documents([Citation.of(one) for one in found])
    elif not found:
        output.say(_NOTHING)
    for one in found if not output.as_json else ():
        output.say(Styled(f"{one.position:>3}  {state_words(one)}", bold=True), f"  “{one_line(one.quote)}”")
        output.say(
            "     ", f"{one_line(one.title or '')} — {readable_address(one.source_url)}".removeprefix(" — ")
        )


def state_words(one: StoredCitation) -> str:
    """``exact``, ``exact as rendered``, ``moved by 212``, ``lost``, ``lost, 75% of its words are there``."""
    rendered = " as rendered" if one.as_rendered else ""
    if one.state == "moved":
        return f"moved by {one.moved_by}{rendered}"
    if one.state == "lost" and one.similarity:
        return f"lost, {one.similarity:.0%} of its words are there"
    return f"{one.state}{rendered}"
