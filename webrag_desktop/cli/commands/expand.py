"""``webrag expand``: follow links until the library covers a question."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.expansion_text import (
    SHOWN_LINKS,
    end_words,
    say_coverage,
    say_diagram,
    say_left_out,
    say_links,
    say_numbered,
    say_runs,
    say_visit,
)
from webrag_desktop.cli.output import Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import ended_by_ctrl_c, open_library, stopped_by_ctrl_c
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.expansion.contracts import CandidateLink
from webrag_desktop.expansion.events import (
    Candidates,
    Ended,
    EndReason,
    Expansion,
    ExpansionEvent,
    Judged,
    Started,
    Visited,
)
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.progress import CancelToken

NEWEST = "newest"
MORE = "more"
SHOWN_RUNS = 20
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
Choose = Callable[[Sequence[CandidateLink]], Sequence[str]]
_CODES: dict[EndReason, ExitCode] = {
    "covered": ExitCode.OK,
    "stopped": ExitCode.INTERRUPTED,
    "failed": ExitCode.UNAVAILABLE,
}


@click.command()
@click.argument("words", nargs=-1, metavar="QUESTION")
@click.option("--yes", "-y", is_flag=True, help="Follow the best links within the limits without asking.")
@click.option("--ask", "ask_each", is_flag=True, help="Ask which links to follow, in every round.")
@click.option("--preview", is_flag=True, help="Show what would be followed first; fetch nothing.")
@click.option("--pages", type=int, metavar="N", help="Fetch at most N pages (default: EXPAND_PAGES).")
@click.option(
    "--depth", type=int, metavar="N", help="Follow at most N links in a row (default: EXPAND_DEPTH)."
)
@click.option(
    "--seconds", type=float, metavar="S", help="Go on for at most so long (default: EXPAND_SECONDS)."
)
@click.option(
    "--bytes", "most_bytes", type=int, metavar="N", help="Fetch at most so much (default: EXPAND_BYTES)."
)
@click.option(
    "--same-site/--any-site",
    default=None,
    help="Whether links to other sites are left alone (default: they are).",
)
@click.option("--titles", is_flag=True, help="Draw the pages with their titles at the end.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value=NEWEST,
    default=None,
    metavar="[ID]",
    help="Go on with a run that was cut off, stopped or met a limit, by default the newest.",
)
@click.option("--list", "listed", is_flag=True, help="List what links were followed for before.")
@click.option("--show", "shown", metavar="ID", help="Show such a run with its diagram.")
@json_option
@pass_output
def expand(
    output: Output,
    words: tuple[str, ...],
    yes: bool,
    ask_each: bool,
    preview: bool,
    pages: int | None,
    depth: int | None,
    seconds: float | None,
    most_bytes: int | None,
    same_site: bool | None,
    titles: bool,
    resume: str | None,
    listed: bool,
    shown: str | None,
) -> ExitCode:
    """Follow links of your pages until the library covers QUESTION, and index what is found.

    Round by round the links that say most of what is missing are fetched, at most as many as the limits let, and the
    question is judged again. robots.txt and the rest that sites ask for are respected. Before anything is fetched the
    first links are shown, and you are asked; --yes follows the best without asking, --ask asks in every round.

    Ctrl+C stops it, and keeps what is there; --resume goes on. Limits given with that take the place of those before,
    and where every round was asked about it asks again, unless --yes is given. At the end a diagram shows where it
    went: [✓] gave evidence, [–] was visited and gave none.

    \b
    webrag expand "how long is an abscess drained" --pages 10
    webrag expand "who signed the treaty" --ask --titles
    webrag expand --resume
    """
    question = " ".join(words).strip()
    _check_words(question, resume=resume, listed=listed, shown=shown)
    with open_library() as library:
        if listed:
            return say_runs(output, library.expansions.all(SHOWN_RUNS))
        if shown is not None:
            return _show(output, library.expansions.get(shown), titles=titles)
        given = _given(pages, depth, seconds, most_bytes, same_site)
        if resume is not None:
            return _resume(output, library, resume, given, yes=yes, ask_each=ask_each, titles=titles)
        limits = replace(library.settings.expansion_limits(), **given)
        if preview:
            return _preview(output, library, question, limits)
        is_asked = not ask_each and not yes
        if is_asked and (ended := _ended_by_asking(output, library, question, limits)) is not None:
            return ended
        with stopped_by_ctrl_c() as cancel:
            choose = _asking(output, cancel) if ask_each else None
            events = library.expand(question, limits, choose=choose, cancel=cancel)
            return _follow(output, events, titles=titles, is_printed=is_asked)


def _check_words(question: str, *, resume: str | None, listed: bool, shown: str | None) -> None:
    other = resume is not None or listed or shown is not None
    if not question and not other:
        raise click.UsageError("Ask a question, or give --resume, --list or --show.")
    if question and other:
        raise click.UsageError("A question goes with none of --resume, --list and --show.")


def _given(
    pages: int | None,
    depth: int | None,
    seconds: float | None,
    most_bytes: int | None,
    same_site: bool | None,
) -> dict[str, Any]:
    """The limits that were given, by the names of :class:`ExpansionLimits`."""
    given = {"pages": pages, "depth": depth, "seconds": seconds, "bytes": most_bytes, "same_site": same_site}
    return {name: value for name, value in given.items() if value is not None}


def _resume(
    output: Output,
    library: Library,
    reference: str,
    given: dict[str, Any],
    *,
    yes: bool,
    ask_each: bool,
    titles: bool,
) -> ExitCode:
    """Go on with a run: within its limits where no others are given, and asking where it asked before."""
    run = _to_go_on_with(library) if reference == NEWEST else library.expansions.get(reference)
    asks = ask_each or (run.chosen_by_user and not yes)
    with stopped_by_ctrl_c() as cancel:
        choose = _asking(output, cancel) if asks else None
        limits = replace(run.limits, **given)
        events = library.expansions.resume(run.id, limits, choose=choose, cancel=cancel)
        return _follow(output, events, titles=titles, is_printed=False)


def _to_go_on_with(library: Library) -> Expansion:
    """The newest run that did not come to its own end."""
    for run in library.expansions.all():
        if run.reason in (None, "stopped", "limits", "failed"):
            return run
    raise NotFoundError("There is no run to go on with.", "`webrag expand --list` lists all.")


def _preview(output: Output, library: Library, question: str, limits: ExpansionLimits) -> ExitCode:
    coverage, links = library.expansion_preview(question, limits)
    if output.as_json:
        output.as_lines = True
        output.document(coverage)
        for link in links:
            output.document(link)
    else:
        say_coverage(output, coverage)
        say_links(links, output.say)
    return ExitCode.OK


def _ended_by_asking(
    output: Output, library: Library, question: str, limits: ExpansionLimits
) -> ExitCode | None:
    """Show the first links and ask whether to follow such; None where the user agreed, else how the command ends."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            "There is no terminal to ask on whether to follow links.",
            "Give --yes to follow the best within the limits.",
        )
    coverage, links = library.expansion_preview(question, limits)
    say_coverage(output, coverage)
    if coverage.verdict == "covered":
        output.note("There is no need to follow links.")
        return ExitCode.OK
    say_links(links, output.note)
    if not links:
        return ExitCode.FAILED
    asked = f"Follow the best, at most {limits.pages} pages and {limits.depth} links in a row?"
    return None if click.confirm(asked, default=True, err=True) else ExitCode.OK


def _asking(output: Output, cancel: CancelToken) -> Choose:
    """Asks which of the links of a round to follow, on standard error; Ctrl+C there stops the run."""

    def choose(links: Sequence[CandidateLink]) -> Sequence[str]:
        shown = 0
        given = MORE
        while True:
            if given.strip().lower() == MORE:
                say_numbered(links[shown : shown + SHOWN_LINKS], output.note, shown + 1)
                shown = min(shown + SHOWN_LINKS, len(links))
            elif (chosen := chosen_numbers(given, shown)) is not None:
                return [links[number - 1].url for number in chosen]
            else:
                output.note(f"Give numbers from 1 to {shown}, by commas.")
            more = f"; {MORE} shows further ones of {len(links)}" if shown < len(links) else ""
            asked = f"Which to follow (1,3-5 or all{more}; Enter alone ends it)"
            try:
                with ended_by_ctrl_c():
                    given = click.prompt(asked, default="", show_default=False, err=True)
            except click.Abort:
                cancel.cancel()
                return []

    return choose


def chosen_numbers(given: str, most: int) -> list[int] | None:
    """The numbers that ``1,3-5`` or ``all`` names; None where it names others, or none can be read."""
    if given.strip().lower() == "all":
        return list(range(1, most + 1))
    chosen: list[int] = []
    for part in filter(None, re.split(r"[,\s]+", given.strip())):
        found = _RANGE.fullmatch(part)
        if found is None:
            return None
        first, last = int(found[1]), int(found[2] or found[1])
        if not 1 <= first <= last <= most:
            return None
        chosen += range(first, last + 1)
    return list(dict.fromkeys(chosen))


def _follow(output: Output, events: Iterator[ExpansionEvent], *, titles: bool, is_printed: bool) -> ExitCode:
    """Print a run while it goes on; ``is_printed``: how far the question was covered before is on the terminal."""
    run: Expansion | None = None
    output.as_lines = True
    for event in events:
        if isinstance(event, Ended):
            run = event.run
        if output.as_json:
            output.document(event)
        elif isinstance(event, Candidates):
            say_left_out(output, event.left_out)
        elif isinstance(event, Visited):
            say_visit(output, event)
        elif isinstance(event, Judged) or (isinstance(event, Started) and not is_printed):
            say_coverage(output, event.coverage)
    if run is None:
        return ExitCode.FAILED
    if not output.as_json:
        _say_end(output, run, titles=titles)
    return _CODES.get(run.reason or "failed", ExitCode.FAILED)


def _say_end(output: Output, run: Expansion, *, titles: bool) -> None:
    output.say(Styled(end_words(run), bold=True))
    if run.problem:
        output.note(one_line(run.problem))
    say_diagram(output, run, titles=titles)


def _show(output: Output, run: Expansion, *, titles: bool) -> ExitCode:
    if output.as_json:
        output.document(run)
        return ExitCode.OK
    output.say(Styled(one_line(run.question), bold=True))
    say_coverage(output, run.coverage_after or run.coverage_before)
    output.say(end_words(run))
    say_diagram(output, run, titles=titles)
    return ExitCode.OK
