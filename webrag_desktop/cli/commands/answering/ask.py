"""``webrag ask``: an answer from the library, with its sources."""

from pathlib import Path
from typing import Unpack

import click

from webrag_desktop.cli.answer_text import AnswerText
from webrag_desktop.cli.cite_ids import links_option, with_cite_ids
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.filtering import GivenFilters, filter_options, filters_of
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.selected_text import (
    not_with_selection,
    only_with_selection,
    read_selection,
    selection_options,
    source_address,
)
from webrag_desktop.cli.session import open_library, stopped_by_ctrl_c
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


@click.command(short_help="Answer a question from the library, with its sources.")
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
                _tell(text, event)
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


def _tell(text: AnswerText, event: AnswerEvent) -> None:
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
