"""``webrag add``: accept everything durably first, then follow it to its end."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple, TextIO
from uuid import UUID

import click

from webrag_desktop import DataFolder, Library
from webrag_desktop.cli.commands.capture import code_of_captures, print_with_captures, watch_captures
from webrag_desktop.cli.exit_codes import ExitCode, code_of
from webrag_desktop.cli.folders import chosen_kinds, is_folder, with_folders
from webrag_desktop.cli.following import KEPT, follow, noting_what_is_kept, start_worker
from webrag_desktop.cli.output import STANDARD_INPUT, Output, json_option, pass_output
from webrag_desktop.cli.reporting import code_of_report, item_of, item_of_error, print_report
from webrag_desktop.cli.session import open_library, showing_steps
from webrag_desktop.cli.shapes.reports import Outcome, ReportItem
from webrag_desktop.cli.subresources_text import with_images_option
from webrag_desktop.errors import ConfigurationError, InputError, NotFoundError, StackError, WebragError
from webrag_desktop.models.formats import DOC_TYPES
from webrag_desktop.models.intake import Accepted, Kept, Refused, Verdict
from webrag_desktop.models.sources import LARGEST_DEPTH, Labels, SourceRow
from webrag_desktop.progress import FINAL_STATES, LONG_SECONDS

MOST_GIVEN = 50_000_000  # characters of addresses on standard input
Taken = Accepted | Kept | Refused

_OUTCOME_WHEN_READY: dict[Verdict, Outcome] = {
    "added": "added",
    "retried": "added",
    "changed": "changed",
    "present": "present",
    "restored": "restored",
}


class How(NamedTuple):
    """What is to be done about all that is added, by the names that :meth:`Library.add` has for it."""

    labels: Labels
    depth: int
    links: int
    subresources: bool | None


@click.command(
    epilog="Exit codes: 0 all well, 1 some failed, 2 nothing of it can be used, 3 the database does not answer (what "
    "was given is kept and added later) or indexing is paused, 4 a setting is wrong, 130 interrupted.",
)
@click.argument("given", nargs=-1, required=True, metavar="URL|FILE|FOLDER…")
@click.option(
    "--wait/--no-wait", default=True, help="Wait for each document (default), or leave it to the background."
)
@click.option("--yes", "-y", is_flag=True, help="Add the files of a folder without asking.")
@click.option(
    "--kinds",
    callback=chosen_kinds,
    metavar="KINDS",
    help=f"Of a folder, add only these kinds, by commas: {', '.join(DOC_TYPES)}.",
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag all of it; may be repeated.")
@click.option(
    "--collection",
    "collections",
    multiple=True,
    metavar="NAME",
    help="Put all of it into this collection; may be repeated.",
)
@click.option(
    "--depth",
    type=click.IntRange(0, LARGEST_DEPTH),
    default=0,
    metavar="N",
    help="How many links away all of it is from what you chose yourself (0, the default); searches weigh it less.",
)
@click.option(
    "--links",
    type=click.IntRange(0, 50),
    default=0,
    metavar="DEPTH",
    help="Add also the pages of the same site that these lead to by so many links (0, the default: none).",
)
@with_images_option
@json_option
@pass_output
def add(
    output: Output,
    given: tuple[str, ...],
    wait: bool,
    yes: bool,
    kinds: frozenset[str] | None,
    tags: tuple[str, ...],
    collections: tuple[str, ...],
    depth: int,
    links: int,
    with_images: bool | None,
) -> ExitCode:
    """Add web pages, files and folders to the library.

    Everything given is first accepted durably: from then on it is not lost, whatever happens. Then each
    document is followed until it is ready or failed, and a report tells what was added, what was there
    already, what failed and why. A failed or cancelled address can be given again to try once more; a file
    whose content changed is read again. While indexing is paused in the window, all stays queued.

    A single - stands for addresses read from standard input, one a line. Of a folder it is first shown what is in it
    and what is left out, and asked whether to add it; hidden files, links and folders of tools are left out.

    With --links, pages of the same site are followed as robots.txt lets programs do, at most 500 for each address;
    `webrag capture` captures more, or a section.

    With --with-images, stylesheets and images of web pages are kept, too, once the pages are ready, so that the window
    shows them as they looked without the network; `webrag show` says what is kept of them.

    What is there already is tagged and collected, too, and comes as near as --depth says, never farther away.

    \b
    webrag add https://docs.python.org/3/glossary.html notes/*.md
    webrag add ~/Papers --kinds pdf,epub
    webrag add --no-wait - < addresses.txt
    """
    labels = Labels.of(tags, collections)
    wanted = list(_with_standard_input(given))
    if not wanted:
        raise click.UsageError("Standard input named no address and no file.")
    if links and kinds is not None:
        raise click.UsageError("--kinds is about folders, and of these no links can be followed.")
    how = How(labels, depth, links, with_images)
    folder = DataFolder.at()
    folder.make()
    with ExitStack() as stack:
        if links or not any(is_folder(text) for text in wanted):  # folders are first looked through
            stack.enter_context(folder.kept_meanwhile(wanted, *how))
        try:
            library = stack.enter_context(open_library(folder, None if wait else LONG_SECONDS))
        except (StackError, ConfigurationError) as error:
            wanted = with_folders(wanted, folder.look_through, output, kinds, yes=yes)
            return _keep(folder, wanted, how, error, output) if wanted else ExitCode.OK
        wanted = with_folders(wanted, library.look_through, output, kinds, yes=yes)
        return _add(library, wanted, how, wait, output) if wanted else ExitCode.OK


def _add(
    library: Library,
    given: Sequence[str],
    how: How,
    wait: bool,
    output: Output,
) -> ExitCode:
    with showing_steps() as show:
        taken = library.add(given, progress=show, **how._asdict())
    with noting_what_is_kept(output, KEPT):
        before = _sources(library, taken).values()
    unfinished = [source.id for source in before if source.state not in FINAL_STATES]
    begun = list(
        dict.fromkeys(one.capture_id for one in taken if isinstance(one, Accepted) and one.capture_id)
    )
    followed = True
    if unfinished and wait:
        followed = follow(library, unfinished, output, KEPT)
    elif unfinished or (begun and not wait):
        start_worker(library, output)
    if wait and followed:
        followed = watch_captures(output, library, begun)
    with noting_what_is_kept(output, KEPT):
        sources = _sources(library, taken)
        items = [_item(library, one, sources) for one in taken]
        captures = [library.sites.get(one) for one in begun]
    print_with_captures(output, items, captures)
    code = code_of_report(items, paused=not followed, waited=wait)
    return code or code_of_captures(captures, waited=wait)


def _sources(library: Library, taken: Sequence[Taken]) -> dict[UUID, SourceRow]:
    return library.documents.rows([one.source_id for one in taken if isinstance(one, Accepted)])


def _item(library: Library, one: Taken, sources: dict[UUID, SourceRow]) -> ReportItem:
    if isinstance(one, Refused):
        return item_of_error(one.given, "failed", one.error)
    if isinstance(one, Kept):
        return item_of_error(one.given, "kept", one.error)
    source = sources.get(one.source_id)
    if source is None:
        return item_of_joined(library, one.given)
    if source.state in ("failed", "cancelled"):
        return item_of(one.given, source.state, source)
    return item_of(
        one.given, _OUTCOME_WHEN_READY[one.verdict] if source.state == "ready" else "queued", source
    )


def item_of_joined(library: Library, given: str) -> ReportItem:
    """The item about a source that is gone: its page turned out to be one that is there already."""
    try:
        return item_of(given, "present", library.documents.find(given))
    except NotFoundError:  # somebody removed it meanwhile
        return item_of(given, "removed", None)


def _keep(
    folder: DataFolder,
    given: Sequence[str],
    how: How,
    error: WebragError,
    output: Output,
) -> ExitCode:
    """Keep what was given outside the database, which cannot be opened."""
    taken = folder.keep_for_later(given, error, *how)
    items = [
        item_of_error(one.given, "kept" if isinstance(one, Kept) else "failed", one.error) for one in taken
    ]
    print_report(output, items)
    return code_of(error) if any(item.outcome == "kept" for item in items) else code_of_report(items)


def _with_standard_input(given: Sequence[str]) -> Iterator[str]:
    for text in given:
        if text != STANDARD_INPUT:
            yield text
            continue
        yield from filter(None, map(str.strip, _lines(sys.stdin)))


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of what may never end."""
    left = MOST_GIVEN
    while line := file.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise InputError(
                f"Standard input holds more than {MOST_GIVEN // 1_000_000} million characters of addresses.",
                "Give them in several steps.",
            )
        yield line
