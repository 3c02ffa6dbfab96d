"""``webrag searches``: searches with a name, and what the window was asked."""

import sys

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import SHOWN_ID, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.documents import SavedSearch
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.models.searches import KeptSearch
from webrag_desktop.text.typed_filters import filter_values, typed_filters, without

SHOWN_SEARCHES = 20


@click.group(invoke_without_command=True)
@click.option("--history", is_flag=True, help="List what the window was asked instead, the newest first.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=SHOWN_SEARCHES,
    show_default=True,
    metavar="N",
    help="With --history: the newest N.",
)
@click.option("--new", is_flag=True, help="Count for each search how many documents it finds that are new.")
@json_option
@pass_output
@click.pass_context
def searches(ctx: click.Context, output: Output, history: bool, limit: int, new: bool) -> ExitCode | None:
    """List the searches that have a name; `searches save`, `rename`, `remove` and `clear` change what is kept.

    SEARCH is a search's name, its id, or the first characters of that (at least four).
    """
    if ctx.invoked_subcommand is not None:
        return None
    if history and new:
        raise click.UsageError("--new counts for searches that have a name.")
    with open_library() as library:
        kept = library.searches.history(limit) if history else library.searches.saved()
        counts = {one.id: library.searches.count_new(one.id) for one in kept if new}
    if output.as_json:
        output.documents([SavedSearch.of(one, new_results=counts.get(one.id)) for one in kept])
        return ExitCode.OK
    for one in kept:
        _say(output, one, counts.get(one.id))
    if not kept:
        output.note(
            "Nothing was searched for in the window yet."
            if history
            else "No search has a name yet. `webrag searches save NAME QUESTION` keeps one."
        )
    return ExitCode.OK


@searches.command(short_help="Keep a search under a name.")
@click.argument("name")
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@json_option
@pass_output
def save(output: Output, name: str, words: tuple[str, ...]) -> ExitCode:
    """Keep QUESTION under NAME; the window shows it in its sidebar, with how many new documents it finds.

    Filters are written into the question: site:, in: (a collection), tag:, type:, lang:, has:, section:, after: and
    before:.

    \b
    webrag searches save "Whitehouse coils" 'induction coils type:pdf in:"To read" after:1990'
    """
    text = " ".join(words)
    typed = [one for one in typed_filters(text) if one.values]
    with open_library() as library:
        kept = library.searches.save(name, without(text, typed), filter_values(typed))
    _tell(output, kept)
    return ExitCode.OK


@searches.command(short_help="Give a search another name.")
@click.argument("search", metavar="SEARCH")
@click.argument("name")
@json_option
@pass_output
def rename(output: Output, search: str, name: str) -> ExitCode:
    """Give SEARCH another name; one of the history is kept under it from now on."""
    with open_library() as library:
        found = library.searches.get(search)
        library.searches.rename(found.id, name)
        found = library.searches.get(found.id)
    _tell(output, found)
    return ExitCode.OK


@searches.command(short_help="Forget searches.")
@click.argument("references", nargs=-1, required=True, metavar="SEARCH…")
@pass_output
def remove(output: Output, references: tuple[str, ...]) -> ExitCode:
    """Forget searches, with or without a name; no document is touched."""
    with open_library() as library:
        found = {library.searches.get(one).id: None for one in references}
        for one in found:
            library.searches.remove(one)
    output.say("One search is forgotten." if len(found) == 1 else f"{len(found)} searches are forgotten.")
    return ExitCode.OK


@searches.command(short_help="Forget the history.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@pass_output
def clear(output: Output, yes: bool) -> ExitCode:
    """Forget what the window was asked; searches that have a name stay."""
    if not yes and sys.stdin.isatty():
        click.confirm("Forget everything that was searched for?", abort=True, err=True)
    with open_library() as library:
        count = library.searches.clear()
    output.say("One search is forgotten." if count == 1 else f"{count} searches are forgotten.")
    return ExitCode.OK


def _tell(output: Output, search: KeptSearch) -> None:
    if output.as_json:
        output.document(SavedSearch.of(search, new_results=None))
    else:
        _say(output, search, None)


def _say(output: Output, search: KeptSearch, new: int | None) -> None:
    output.say(
        Styled(str(search.id)[:SHOWN_ID], bold=True),
        f"  {day_and_minute(search.asked_at)}  {one_line(search.name or search.question)}",
        Styled(f"  {new} new" if new else "", dim=True),
    )
    words = [f"{name}: {_words(value)}" for name, value in search.filters.items()]
    if search.name is not None:
        words.insert(0, search.question)
    if words:
        output.say("          ", Styled(one_line(", ".join(words)), dim=True))


def _words(value: object) -> str:
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)
