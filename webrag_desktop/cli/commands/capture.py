"""``webrag capture``: a whole site, a section of it, or what it lists itself, as work that goes on by itself."""

import sys
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit
from uuid import UUID

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import KEPT, PAUSED, STOP_SECONDS, noting_what_is_kept, start_worker
from webrag_desktop.cli.output import INDENT, SHOWN_ID, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.reporting import print_report
from webrag_desktop.cli.session import open_library, showing_steps, stopped_by_ctrl_c
from webrag_desktop.cli.shapes.reports import ReportItem
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.errors import Cancelled, InputError
from webrag_desktop.models.links import (
    CaptureEnd,
    CaptureLimits,
    Scope,
    SiteCapture,
    SitePreview,
)
from webrag_desktop.models.sources import Labels
from webrag_desktop.progress import Step

_DEFAULTS = CaptureLimits()
_ENDS: dict[CaptureEnd, str] = {
    "done": "done",
    "limits": "ended at its limits",
    "cancelled": "stopped",
}
SHOWN_CAPTURES = 20


@click.command()
@click.argument("url", required=False)
@click.option(
    "--scope",
    type=click.Choice(("section", "site", "sitemap")),
    default="section",
    show_default=True,
    help="What lies below the folder of URL, all of its host, or what the site's sitemap lists of that folder.",
)
@click.option(
    "--pages", type=int, default=_DEFAULTS.pages, show_default=True, metavar="N", help="At most N pages."
)
@click.option(
    "--depth",
    type=int,
    default=_DEFAULTS.depth,
    show_default=True,
    metavar="N",
    help="At most N links from URL.",
)
@click.option(
    "--bytes", "most_bytes", type=int, default=_DEFAULTS.bytes, metavar="N", help="At most so many bytes."
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag all pages; may be repeated.")
@click.option("--collection", "collections", multiple=True, metavar="NAME", help="Put all pages into it.")
@click.option("--preview", is_flag=True, help="Show how much there is; add nothing.")
@click.option("--yes", "-y", is_flag=True, help="Begin without asking.")
@click.option(
    "--wait/--no-wait", default=True, help="Follow it to its end (default), or leave it to the background."
)
@click.option("--list", "listed", is_flag=True, help="List captures.")
@click.option("--stop", metavar="ID", help="Stop a capture; what was captured stays.")
@json_option
@pass_output
def capture(
    output: Output,
    url: str | None,
    scope: Scope,
    pages: int,
    depth: int,
    most_bytes: int,
    tags: tuple[str, ...],
    collections: tuple[str, ...],
    preview: bool,
    yes: bool,
    wait: bool,
    listed: bool,
    stop: str | None,
) -> ExitCode:
    """Capture the site of URL: fetch its pages and follow its links, politely, as robots.txt lets programs do.

    First it is shown how much is known to be there, and you are asked. Then it goes on by itself, over restarts, while
    a window is open or `webrag work` runs. `webrag status` tells how it comes along, `webrag pause` holds it up,
    --stop ends it. Pages that are there already are looked at again.

    \b
    webrag capture https://docs.python.org/3/library/ --pages 300
    webrag capture https://example.org/ --scope sitemap --preview
    """
    if sum((url is not None, listed, stop is not None)) != 1:
        raise click.UsageError("Give an address, --list, or --stop with an id.")
    limits = CaptureLimits(pages=pages, depth=depth, bytes=most_bytes)
    with open_library() as library:
        if stop is not None:
            return _say(output, library.sites.cancel(stop))
        if url is None:
            return _say_all(output, library.sites.all(SHOWN_CAPTURES))
        found: SitePreview | None = None
        if preview or not yes:
            with stopped_by_ctrl_c() as cancel:
                found = library.sites.preview(url, scope, limits, cancel)
            if preview:
                return _say_preview(output, found)
            if not _agreed(output, found):
                return ExitCode.OK
        labels = Labels.of(tags, collections)
        with stopped_by_ctrl_c() as cancel:
            begun = library.sites.begin(url, scope, limits, labels=labels, seen=found, cancel=cancel)
        return _follow(output, library, begun, wait=wait)


def _follow(output: Output, library: Library, begun: SiteCapture, *, wait: bool) -> ExitCode:
    """Follow a capture to its end, or leave it to the background; report how it stands."""
    followed = True
    if wait:
        followed = watch_captures(output, library, [begun.id])
    else:
        start_worker(library, output)
    _say_all(output, ended := [library.sites.get(begun.id)])
    return code_of_captures(ended, waited=wait) if followed else ExitCode.UNAVAILABLE


def watch_captures(output: Output, library: Library, captures: Sequence[UUID]) -> bool:
    """Follow captures to their end; False, and said so, where indexing is paused."""
    with noting_what_is_kept(output, KEPT):
        if captures and library.queue.paused():
            output.note(PAUSED)
            return False
        for one in captures:
            _watch(library, one)
    return True


def code_of_captures(captures: Sequence[SiteCapture], *, waited: bool) -> ExitCode:
    """The exit code that captures deserve: those that were waited for are to be done."""
    return ExitCode.OK if all(one.reason == "done" for one in captures) or not waited else ExitCode.FAILED


def print_with_captures(output: Output, items: Sequence[ReportItem], captures: Sequence[SiteCapture]) -> None:
    """Print the report of a command that followed captures, too."""
    print_report(output, items, captures)
    for one in () if output.as_json else captures:
        say_capture(output, one)


def _watch(library: Library, capture_id: UUID) -> None:
    with stopped_by_ctrl_c() as cancel:
        try:
            with showing_steps("Capturing…") as show:
                for one in library.sites.watch(capture_id, cancel=cancel):
                    detail = f"{one.visited} of {one.found} pages known, {one.under_way} under way"
                    show(Step(f"Capturing {one.url}", one.visited, one.found, detail))
        except Cancelled:
            library.worker.stop(STOP_SECONDS)
            raise Cancelled(
                "Stopped waiting. What was captured is kept, and the rest stays queued.",
                f"`webrag work` goes on with it; `webrag capture --stop {str(capture_id)[:SHOWN_ID]}` ends it.",
            ) from None


def _agreed(output: Output, found: SitePreview) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            "There is no terminal to ask on whether to capture the site.", "Give --yes to begin."
        )
    _print_preview(found, output.note)
    return click.confirm(f"Capture at most {_counted(found.limits.pages, 'page')}?", default=True, err=True)


def _say_preview(output: Output, found: SitePreview) -> ExitCode:
    if output.as_json:
        output.document(found)
    else:
        _print_preview(found, output.say)
    return ExitCode.OK


def _print_preview(found: SitePreview, print_line: Callable[..., None]) -> None:
    """The preview, line by line: as the result on standard output, or on standard error before a question."""
    further = "; these may lead to more" if found.follows_links else ""
    print_line(f"Known {_where(found)}: {_counted(found.found, 'page')} beside the first one{further}.")
    if found.known:
        print_line(f"In the library already, and looked at again: {found.known}")
    if found.forbidden:
        print_line(f"Left alone, as the site asks of programs (robots.txt): {found.forbidden}")
    if found.crawl_delay:
        print_line(f"The site wants {found.crawl_delay:g} s between two pages.")
    for example in found.examples:
        print_line(INDENT, Styled(example, dim=True))
    if found.found > len(found.examples):
        print_line(INDENT, Styled(f"and {found.found - len(found.examples)} more", dim=True))


def _where(found: SitePreview) -> str:
    host = urlsplit(found.url).netloc
    return f"on {host}" if found.prefix == "/" else f"below {host}{found.prefix}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _say(output: Output, one: SiteCapture) -> ExitCode:
    if output.as_json:
        output.document(one)
    else:
        say_capture(output, one)
    return ExitCode.OK


def _say_all(output: Output, captures: Sequence[SiteCapture]) -> ExitCode:
    if output.as_json:
        output.documents(captures)
        return ExitCode.OK
    for one in captures:
        say_capture(output, one)
    if not captures:
        output.note("No site was captured yet. `webrag capture URL` does.")
    return ExitCode.OK


def say_capture(output: Output, one: SiteCapture) -> None:
    """One capture on one line, and below it what it leaves out."""
    left = f", {one.under_way} under way, {one.waiting} waiting" if one.ended_at is None else ""
    counts = {"failed": one.failed, "left alone": one.forbidden, "in the bin": one.in_bin}
    not_had = [f"{count} {words}" for words, count in counts.items() if count]
    output.say(
        Styled(str(one.id)[:SHOWN_ID], bold=True),
        f"  {day_and_minute(one.started_at)}  {one.url}  {_ENDS[one.reason] if one.reason else 'goes on'}: ",
        ", ".join([f"{one.ready} of {_counted(one.found, 'page')}", *not_had]) + left,
    )
    if one.left_out:
        such = f" (such as {one_line(one.left_out_examples[0])})" if one.left_out_examples else ""
        output.say(
            INDENT,
            f"left out: {_counted(one.left_out, 'page')}, as there seems to be no end of such addresses{such}; "
            "a higher --pages lets more in",
        )
    if one.too_far:
        output.say(
            INDENT,
            f"too far: {_counted(one.too_far, 'page')} more than {_counted(one.limits.depth, 'link')} away",
        )
