"""``webrag answers``: what was asked and answered before."""

import sys

import click

from webrag_desktop.cli.answer_text import tell_answer
from webrag_desktop.cli.cite_ids import links_option, with_cite_ids
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import SHOWN_ID, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.times import day_and_minute

SHOWN_ANSWERS = 20


@click.group(invoke_without_command=True, short_help="List what was asked and answered, show or forget it.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=SHOWN_ANSWERS,
    show_default=True,
    metavar="N",
    help="The newest N.",
)
@json_option
@pass_output
@click.pass_context
def answers(ctx: click.Context, output: Output, limit: int) -> ExitCode | None:
    """List the questions that were answered, the newest first; `answers show ID` shows one, `answers remove` forgets.

    ID is an answer's id, or its first characters (at least four).
    """
    if ctx.invoked_subcommand is not None:
        return None
    with open_library() as library:
        kept = library.answers.all(limit)
    if output.as_json:
        output.documents(kept, with_cite_ids)
        return ExitCode.OK
    for one in kept:
        told = one.answer
        how = "" if told.outcome == "complete" else f" ({told.outcome})"
        output.say(
            Styled(str(one.id)[:SHOWN_ID], bold=True),
            f"  {day_and_minute(one.asked_at)}  {one_line(told.question)}",
            Styled(how, dim=True),
        )
    if not kept:
        output.note("Nothing was asked yet. `webrag ask QUESTION` asks.")
    return ExitCode.OK


@answers.command("show", short_help="Show an answer with its sources.")
@click.argument("answer_id", metavar="ID")
@links_option
@json_option
@pass_output
def show(output: Output, answer_id: str, links: bool) -> ExitCode:
    """Show an answer as it was given, with its sources."""
    with open_library() as library:
        kept = library.answers.get(answer_id)
    if output.as_json:
        output.document(kept, with_cite_ids)
    else:
        tell_answer(output, kept.answer, links=links)
    return ExitCode.OK


@answers.command("remove", short_help="Forget answers.")
@click.argument("answer_ids", nargs=-1, metavar="ID…")
@click.option("--all", "everything", is_flag=True, help="Forget the whole history.")
@click.option("--yes", is_flag=True, help="With --all: do not ask first.")
@pass_output
def remove(output: Output, answer_ids: tuple[str, ...], everything: bool, yes: bool) -> ExitCode:
    """Forget answers; what they cite stays in the library."""
    if bool(answer_ids) == everything:
        raise click.UsageError("Name the answers to forget, or --all.")
    with open_library() as library:
        if everything:
            if not yes and sys.stdin.isatty():
                click.confirm("Forget every question and answer?", abort=True, err=True)
            count = library.answers.clear()
        else:
            found = [library.answers.get(one).id for one in dict.fromkeys(answer_ids)]
            for one in found:
                library.answers.remove(one)
            count = len(found)
    output.say("One answer is forgotten." if count == 1 else f"{count} answers are forgotten.")
    return ExitCode.OK
