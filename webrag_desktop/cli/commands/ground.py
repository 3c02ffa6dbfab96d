"""``webrag ground``: what to tell a model, so that it answers from the library, or a selected text, alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import click

from webrag_desktop import answer_context, apply_grounding_policy
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
from webrag_desktop.cli.output import (
    INDENT,
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    readable_address,
)
from webrag_desktop.cli.passage_text import said_elsewhere
from webrag_desktop.cli.session import open_library
from webrag_desktop.retrieval.contracts.answers import (
    DEFAULT_TOP_K,
    AnswerContext,
    Citation,
    GroundedResponse,
    Query,
    ScoredChunk,
)


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@selection_options
@click.option(
    "--source-base",
    metavar="URL",
    help="With --source-path of a Markdown file: the address that the pages made of such files lie below.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most N passages, the best ones.  [default: {DEFAULT_TOP_K}]",
)
@click.option(
    "--evidence",
    is_flag=True,
    help="Print the passages themselves instead: their scores, where they are from, what is nearly the same.",
)
@filter_options
@json_option
@pass_output
def ground(
    output: Output,
    words: tuple[str, ...],
    selected_text: Path | None,
    source_path: str | None,
    source_section: str | None,
    source_base: str | None,
    limit: int | None,
    evidence: bool,
    **given: Unpack[GivenFilters],
) -> ExitCode:
    """Print what to tell a language model that is to answer QUESTION from your own sources; it is not asked here.

    An instruction comes first, then the best passages, each below a line with its number and origin, then where these
    lead to, then the question, so that a model can be given all of it. With --selected-text that text is all there is:
    the library is not opened. If nothing bears on the question, the instruction is to say so.

    The options from --site to --document restrict what is searched, as in `webrag search`.

    \b
    webrag ground "how does early stopping work" --site scikit-learn.org
    webrag ground "who signed it?" --selected-text letter.txt --source-path letter.txt
    """
    question = " ".join(words)
    if selected_text is None:
        only_with_selection(source_path, source_section, source_base)
        query = Query(question=question, top_k=limit or DEFAULT_TOP_K)
    else:
        not_with_selection(given, limit)
        if source_base and not source_path:
            raise click.UsageError("--source-base says where a page lies: add --source-path.")
        query = Query(
            question=question,
            mode="selected_text_only",
            selected_text=read_selection(selected_text),
            source_doc_path=source_path if source_base else source_address(source_path),
            source_section=source_section,
        )

    def search(asked: Query) -> AnswerContext:
        with open_library() as library:
            return library.answer_context(asked, filters=filters_of(library, given))

    found = answer_context(query, search, base_url=source_base)
    response = apply_grounding_policy(found, question)
    if evidence:
        _print_evidence(output, found)
    elif output.as_json:
        output.document(response)
    else:
        _print(output, response, found.chunks)
    return ExitCode.OK


def _print(output: Output, response: GroundedResponse, chunks: Sequence[ScoredChunk]) -> None:
    for notice in response.notices:
        output.note(f"Note: {notice}")
    output.say(Styled(response.system_instruction, bold=True))
    if response.context:
        output.say()
        output.say(_unix_lines(response.context))
    if any(map(_is_known, response.citations)):
        output.say()
    for number, (citation, chunk) in enumerate(zip(response.citations, chunks, strict=True), start=1):
        _print_citation(output, number, citation)
        _print_folded(output, chunk)
    output.say()
    output.say(f"Question: {response.question}")


def _unix_lines(text: str) -> str:
    """The text with the line breaks of all systems as one, since a carriage return steers terminals."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _print_evidence(output: Output, found: AnswerContext) -> None:
    if output.as_json:
        return output.document(found)
    for notice in found.notices:
        output.note(f"Note: {notice}")
    for number, (chunk, citation) in enumerate(zip(found.chunks, found.citations, strict=True), start=1):
        if number > 1:
            output.say()
        _print_citation(output, number, citation)
        output.say(INDENT, Styled(f"score {chunk.score:.2f}", dim=True))
        _print_folded(output, chunk)
        output.say(_unix_lines(chunk.text).strip())
    return None


def _print_citation(output: Output, number: int, citation: Citation) -> None:
    if not _is_known(citation):
        return
    where = citation.url or citation.doc_path
    named = " — ".join(dict.fromkeys(filter(None, (citation.title, citation.section))))
    output.say(f"{number:>2}. ", Styled(one_line(named or readable_address(where or "")), dim=True))
    if named and where:
        output.say(INDENT, Styled(one_line(readable_address(where)), dim=True))


def _print_folded(output: Output, chunk: ScoredChunk) -> None:
    if also := said_elsewhere(chunk.folded):
        output.say(INDENT, Styled(also, dim=True))


def _is_known(citation: Citation) -> bool:
    return any((citation.title, citation.section, citation.url, citation.doc_path))
