"""``webrag cancel``: stop the work on documents."""

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.reporting import item_of, tell
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.reports import Outcome
from webrag_desktop.models.sources import SourceRow


@click.command(short_help="Stop the work on documents; what was given is kept.")
@click.argument("references", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="All that is open.")
@json_option
@pass_output
def cancel(output: Output, references: tuple[str, ...], everything: bool) -> ExitCode:
    """Stop the work on documents. What was given is kept, and `webrag retry`, or giving it again, reads it.

    A document that had a text is ready again, with the text it had. If one of them is not found, none is stopped.
    """
    if bool(references) == everything:
        raise click.UsageError("Give documents, or --all.")
    with open_library() as library:
        named = {library.documents.find(reference).id: reference for reference in references}
        stopped = library.queue.cancel(None if everything else list(named))
        concerned = stopped if everything else list(named)
        rows = library.documents.rows(concerned)
    if not concerned and not output.as_json:
        output.say("Nothing was queued.")
        return ExitCode.OK
    items = [
        item_of(named.get(id_) or rows[id_].url, _outcome(rows[id_], was_stopped=id_ in stopped), rows[id_])
        for id_ in concerned
        if id_ in rows  # else somebody removed it meanwhile
    ]
    tell(output, items)
    return ExitCode.OK


def _outcome(row: SourceRow, *, was_stopped: bool) -> Outcome:
    if row.state == "cancelled":
        return "cancelled"
    if row.state == "failed":
        return "failed"
    return "unchanged" if was_stopped else "present"
