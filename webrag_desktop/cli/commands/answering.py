"""``webrag ask``: an answer from the library, with its sources; ``webrag answers``: earlier ones."""

import sys
from pathlib import Path
from typing import Unpack

import click

from webrag_desktop.cli.answer_text import AnswerText, print_answer
from webrag_desktop.cli.cite_ids import links_option, with_cite_ids
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.filtering import (
    GivenFilters,
    filter_options,
    filters_of,
    not_with_selection,
    only_with_selection,
    read_selection,
    selection_options,
    source_address,
)
from webrag_desktop.cli.output import SHOWN_ID, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library, stopped_by_ctrl_c
from webrag_desktop.cli.times import day_and_minute
from webrag_desktop.retrieval.contracts.answer_events import (
    AnswerEvent,
    ClaimChecked,
    ClaimText,
    ClaimWritten,
    Ended,
    Outcome,
    Started,
)
from webrag_desktop.retrieval.contracts.answers import Query

_CODES: dict[Outcome, ExitCode] = {
    "complete": ExitCode.OK,
    "refused": ExitCode.FAILED,
    "failed": ExitCode.UNAVAILABLE,
    "stopped": ExitCode.INTERRUPTED,
}


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@selection_options
@click.option(
    "--no-model", is_flag=True, help="Ask no model: print the sentences that answer best, word for word."
)
@click.option(
    "--images/--no-images",
    default=None,
    help="Send pictures of the passages to a model that sees (default: no, or CHAT_IMAGES).",
)
@click.option("--no-keep", is_flag=True, help="Leave no trace of question and answer in the library.")
@click.option("--debug", is_flag=True, help="With --json: include an event with timings and counts.")
@filter_options
@links_option
@json_option
@pass_output
def ask(
    output: Output,
    words: tuple[str, ...],
    selected_text: Path | None,
    source_path: str | None,
    source_section: str | None,
    no_model: bool,
    images: bool | None,
    no_keep: bool,
    debug: bool,
    links: bool,
    **given: Unpack[GivenFilters],
) -> ExitCode:
    """Answer QUESTION from your own sources alone. The chat model of the settings (CHAT_MODEL) writes the answer.

    The model only points at sentences; what is quoted is cut from the stored texts, and whether the sentences bear a
    claim is checked. A claim that they do not bear is marked in words. Without a model the sentences themselves are the
    answer. Question and passages go to the server that CHAT_BASE_URL names, and nowhere else.

    The options from --site to --document restrict what is searched, as in `webrag search`. Ctrl+C stops the model and
    keeps what it wrote.

    \b
    webrag ask "how does early stopping work" --site scikit-learn.org
    webrag ask "who signed it?" --selected-text letter.txt --source-path letter.txt
    """
    query = _query(" ".join(words), selected_text, source_path, source_section, given)
    output.as_lines = True
    outcome: Outcome = "failed"
    with open_library() as library, stopped_by_ctrl_c() as cancel:
        events = library.answer(
            query,
            filters=filters_of(library, given) if selected_text is None else None,
            images=images,
            debug=debug,
            keep=not no_keep,
            with_model=not no_model,
            cancel=cancel,
        )
        text = AnswerText(output, links=links)
        for event in events:
            if output.as_json:
                output.document(event, with_cite_ids)
            else:
                _say_event(text, event)
            if isinstance(event, Ended):
                outcome = event.answer.outcome
    return _CODES[outcome]


def _query(
    question: str,
    selected_text: Path | None,
    source_path: str | None,
    source_section: str | None,
    given: GivenFilters,
) -> Query:
    if selected_text is None:
        only_with_selection(source_path, source_section)
        return Query(question=question)
    not_with_selection(given, None)
    return Query(
        question=question,
        mode="selected_text_only",
        selected_text=read_selection(selected_text),
        source_doc_path=source_address(source_path),
        source_section=source_section,
    )


def _say_event(text: AnswerText, event: AnswerEvent) -> None:
    match event:
        case Started():
            text.started(event)
        case ClaimText():
            text.text(event)
        case ClaimWritten():
            text.written(event)
        case ClaimChecked():
            text.checked(event)
        case Ended():
            text.ended(event)


SHOWN_ANSWERS = 20


@click.group(
    invoke_without_command=True,
)
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
        answer = one.answer
        how = "" if answer.outcome == "complete" else f" ({answer.outcome})"
        output.say(
            Styled(str(one.id)[:SHOWN_ID], bold=True),
            f"  {day_and_minute(one.asked_at)}  {one_line(answer.question)}",
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
        print_answer(output, kept.answer, links=links)
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
