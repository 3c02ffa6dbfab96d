"""Expansions as text: how far a question is covered, which links there are, what was visited."""

from collections.abc import Callable, Sequence

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import INDENT, SHOWN_ID, Output, Styled, one_line
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.expansion.contracts import CandidateLink, Coverage, Verdict
from webrag_desktop.expansion.events import EndReason, Expansion, Limit, Visited
from webrag_desktop.models.links import VisitOutcome

SHOWN_LINKS = 20
_REASONS: dict[EndReason | None, str] = {
    None: "It runs, or was cut off; `{resume}` goes on with it.",
    "covered": "The library covers the question now.",
    "no_gain": "Pages were fetched, and the evidence became no better.",
    "limits": "A limit is reached; `{resume}` goes on.",
    "stopped": "Stopped. What was fetched is kept; `{resume}` goes on.",
    "nothing_to_follow": "There is no further link to follow.",
    "failed": "It could not go on. What was fetched is kept; `{resume}` tries again.",
}
_LIMITS: dict[Limit, str] = {
    "pages": "The limit of pages ({limits.pages:,}) is reached; `{resume} --pages {further.pages}` goes on.",
    "seconds": "The limit of seconds ({limits.seconds:g}) is reached; `{resume}` goes on for as long again.",
    "bytes": "The limit of bytes ({limits.bytes:,}) is reached; `{resume} --bytes {further.bytes}` goes on.",
}
_COLOURS: dict[Verdict, str] = {"covered": "green", "unclear": "yellow", "missing": "red"}
_OUTCOMES: dict[VisitOutcome, str] = {
    "known": "known",
    "new": "added",
    "changed": "changed",
    "unchanged": "unchanged",
    "failed": "failed",
    "forbidden": "left alone",
    "in_bin": "in the bin",
}


def end_words(run: Expansion) -> str:
    """Why a run ended, and how it goes on."""
    words = _LIMITS[run.limit_met] if run.limit_met else _REASONS[run.reason]
    resume = f"webrag expand --resume {str(run.id)[:SHOWN_ID]}"
    return words.format(resume=resume, limits=run.limits, further=run.limits_to_go_on())


def say_coverage(output: Output, coverage: Coverage) -> None:
    """How far the library covers the question, and why."""
    verdict = Styled(coverage.verdict, colour=_COLOURS[coverage.verdict], bold=True)
    output.say(verdict, f"  {one_line(coverage.explanation)}")


def say_links(links: Sequence[CandidateLink], print_line: Callable[..., None]) -> None:
    """The first of the links that may be followed, best first: on standard output, or where somebody is asked."""
    if not links:
        print_line("There is no link to follow.")
        return
    print_line(
        "There is one link to follow:" if len(links) == 1 else f"There are {len(links)} links to follow:"
    )
    say_numbered(links[:SHOWN_LINKS], print_line)
    if len(links) > SHOWN_LINKS:
        print_line(INDENT, Styled(f"and {len(links) - SHOWN_LINKS} more", dim=True))


def say_numbered(links: Sequence[CandidateLink], print_line: Callable[..., None], first: int = 1) -> None:
    """Links with their numbers, counted from ``first``, and why each is worth following."""
    for number, link in enumerate(links, first):
        title = Styled(one_line(link.title), bold=True)
        print_line(f"{number:>4}  ", title, Styled(f"  {link.url}", dim=True))
        print_line(" " * 6, Styled(one_line(link.why), dim=True))


def say_left_out(output: Output, count: int) -> None:
    """How many pages are not offered for their addresses, if there are any."""
    if count:
        output.note(f"{count} more are left out, as there seems to be no end of addresses like theirs.")


def say_visit(output: Output, event: Visited) -> None:
    """What became of a page."""
    words = f"  {one_line(event.problem)}" if event.problem else ""
    output.say(INDENT, f"{_OUTCOMES[event.outcome]:<10}", event.url, Styled(words, dim=True))


def say_diagram(output: Output, run: Expansion, *, titles: bool) -> None:
    """Where the run went."""
    if run.visits:
        output.say()
        for line in run.diagram(titles=titles).splitlines():
            output.say(line)


def say_runs(output: Output, runs: Sequence[Expansion]) -> ExitCode:
    """What links were followed for, the newest first."""
    if output.as_json:
        output.documents(runs)
        return ExitCode.OK
    for run in runs:
        fetched = sum(visit.outcome in ("new", "changed", "unchanged") for visit in run.visits)
        how = (run.reason or "unfinished").replace("_", " ")
        pages = "1 page" if fetched == 1 else f"{fetched} pages"
        output.say(
            Styled(str(run.id)[:SHOWN_ID], bold=True),
            f"  {day_and_minute(run.started_at)}  {one_line(run.question)}",
            Styled(f"  ({how}, {pages})", dim=True),
        )
    if not runs:
        output.note("No links were followed yet. `webrag expand QUESTION` does.")
    return ExitCode.OK
