"""``webrag add``: accept everything durably first, then follow it to its end."""

from collections.abc import Iterator, Sequence

import click

from webrag_desktop.bootstrap import Services, spool_of
from webrag_desktop.cli.exit_codes import ExitCode, code_of
from webrag_desktop.cli.following import follow
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.reporting import code_of_report, item_of, item_of_error, tell
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes import Outcome, ReportItem
from webrag_desktop.config import Settings, load_settings
from webrag_desktop.errors import ConfigurationError, NotFoundError, StackError, WebragError
from webrag_desktop.orchestration.intake import Accepted, Verdict
from webrag_desktop.orchestration.library import Kept, Refused, keep_for_later
from webrag_desktop.storage.sources import SourceRow

STANDARD_INPUT = "-"
Taken = Accepted | Kept | Refused

_OUTCOME_WHEN_READY: dict[Verdict, Outcome] = {
    "added": "added",
    "retried": "added",
    "changed": "changed",
    "present": "present",
}


@click.command(short_help="Add pages and files and wait until they can be searched.")
@click.argument("given", nargs=-1, required=True, metavar="URL|FILE…")
@click.option("--wait/--no-wait", default=True, help="Wait for each document (default), or leave it to the background.")
@json_option
@pass_output
def add(output: Output, given: tuple[str, ...], wait: bool) -> ExitCode:
    """Add web pages and files (HTML, Markdown, text) to the library.

    Everything given is first accepted durably: from then on it is not lost, whatever happens. Then each
    document is followed until it is ready or failed, and a report tells what was added, what was there
    already, what failed and why. A failed address can be given again to try once more; a file whose content
    changed is read anew.

    A single - stands for addresses read from standard input, one a line.

    \b
    webrag add https://docs.python.org/3/glossary.html notes/*.md
    webrag add --no-wait - < addresses.txt
    """
    wanted = list(_with_standard_input(given))
    if not wanted:
        raise click.UsageError("Standard input named no address and no file.")
    settings = load_settings()
    try:
        with open_library(settings) as services:
            return _add(services, wanted, wait, output)
    except _NotOpened as failure:
        return _keep(settings, wanted, failure.error, output)


def _add(services: Services, given: Sequence[str], wait: bool, output: Output) -> ExitCode:
    taken = services.library.add(given)
    accepted = [one for one in taken if isinstance(one, Accepted)]
    if wait:
        followed = _follow(services, accepted, output)
    else:
        followed = _leave(services, accepted)
    items = [_item(services, one, followed) for one in taken]
    tell(output, items)
    return code_of_report(items)
