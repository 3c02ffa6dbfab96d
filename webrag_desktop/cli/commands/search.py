"""``webrag search`` and ``related``: passages that answer a question, or are about the same as a document."""

from typing import Unpack

import click

from webrag_desktop.cli.cite_ids import links_option, say_link, with_cite_ids
from webrag_desktop.cli.document_words import name_of
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.filtering import GivenFilters, filter_options, filters_of, nothing_left
from webrag_desktop.cli.hybrid_searching import (
    Asked,
    refuse_what_needs_a_strategy,
    refuse_what_needs_passages,
    search_documents,
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
from webrag_desktop.cli.passage_text import best_span, passage, said_elsewhere, whole_passage
from webrag_desktop.cli.session import open_library
from webrag_desktop.errors import NotFoundError
from webrag_desktop.models.questions import TSQUERY_MODES, TsqueryMode
from webrag_desktop.retrieval.contracts.preferences import STRATEGIES, Strategy
from webrag_desktop.retrieval.contracts.results import (
    MatchedSpan,
    RequestedMode,
    RetrievalResult,
    RetrievedChunk,
    ranked,
)
from webrag_desktop.text.citation_formats import reference
from webrag_desktop.text.links import build_url

SHOWN_IN_TEXT = 10
RELATED = 8


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most N passages, the best ones (default: {SHOWN_IN_TEXT} as text, all that fit the budget as JSON).",
)
@filter_options
@click.option(
    "--mode",
    type=click.Choice(["chunk", "auto", "full_context"]),
    default="chunk",
    show_default=True,
    help="chunk ranks passages; full_context gives whole documents; auto takes that for a small library.",
)
@click.option(
    "--syntax",
    type=click.Choice(TSQUERY_MODES),
    help="How the words are read: web (quotation marks, minus), plain, phrase, or strict (& | ! <-> as in "
    "PostgreSQL). Default: web, or RETRIEVAL_TSQUERY_MODE.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Show each passage or piece of evidence whole, not only the best or first of it; JSON always holds all.",
)
@links_option
@click.option("--embedding", is_flag=True, help="With --json: include the question's vector.")
@click.option(
    "--rerank/--no-rerank",
    default=None,
    help="Have a model judge the best passages again (default: no, or RETRIEVAL_RERANK_ENABLED). A chat model is sent "
    "the question and parts of passages.",
)
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    help="Give documents and evidence instead of passages: evidence as it was cut when indexed (precomputed), cut now "
    "(late), or both (mixed).",
)
@click.option(
    "--chunker",
    metavar="ID",
    help="With --strategy late or mixed: the rules to cut by: headings (default), recursive, sentence_window or "
    "fixed_tokens.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0),
    metavar="N",
    help="With --strategy late or mixed: stop cutting after N seconds; the same question may then find more when it is "
    "asked again (default: no limit).",
)
@click.option("--stats", is_flag=True, help="With --strategy and --json: include timings and counts.")
@json_option
@pass_output
def search(
    output: Output,
    words: tuple[str, ...],
    limit: int | None,
    mode: RequestedMode,
    syntax: TsqueryMode | None,
    whole: bool,
    links: bool,
    embedding: bool,
    rerank: bool | None,
    strategy: Strategy | None,
    chunker: str | None,
    max_seconds: float | None,
    stats: bool,
    **given: Unpack[GivenFilters],
) -> ExitCode:
    """Find passages that answer QUESTION, by meaning and by its words, without the network unless it reranks.

    Each passage comes with the sentence that matches best, the others of its best sentences in reading order ([…]
    where something is left out), title and section, an address that leads to the sentence as closely as the page
    allows, whether it is strong, fair or weak, and a score from 0 to 1 that orders them: meaning and words together.
    The similarity is how near the meaning alone is. Finding nothing is no failure.

    The options from --site to --document restrict what is searched: what is found meets all of them. Each but the
    dates and the depth may be repeated, and then any of its values will do. A date is a year, month or day, wholly
    included, or a moment.

    \b
    webrag search "how does early stopping work"
    webrag search --site scikit-learn.org --json "max_depth"
    webrag search --tag thesis --tag lab --has table --published-from 2021 "salinity at high tide"
    """
    question = " ".join(words)
    refuse_what_needs_a_strategy(strategy, chunker, max_seconds, stats=stats, as_json=output.as_json)
    if strategy is not None:
        refuse_what_needs_passages(mode, embedding=embedding, rerank=rerank)
        asked = Asked(question, strategy, chunker, max_seconds, limit, syntax, whole, stats)
        with open_library() as library:
            return search_documents(output, library, asked, given)
    if rerank and mode == "full_context":
        raise click.UsageError("--mode full_context gives whole documents, unjudged; leave --rerank out.")
    with open_library() as library:
        filters = filters_of(library, given)
        shown = SHOWN_IN_TEXT if limit is None and not output.as_json else limit
        result = library.search(
            question, mode=mode, filters=filters, tsquery_mode=syntax, rerank=rerank, limit=shown
        )
    if filters and result.corpus_stats.total_parent_chunks == 0:
        raise nothing_left(given)
    if output.as_json:
        vector = result.query_embedding if embedding else []
        output.document(result.model_copy(update={"query_embedding": vector}), with_cite_ids)
    else:
        _print(output, question, result, whole=whole, links=links)
    return ExitCode.OK


@click.command()
@click.argument("reference", metavar="ID")
@click.option(
    "--start", type=click.IntRange(min=0), default=0, metavar="N", help="The part from this character on."
)
@click.option(
    "--end", type=click.IntRange(min=1), metavar="N", help="The part up to this character (default: the end)."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=RELATED,
    show_default=True,
    metavar="N",
    help="Passages of at most N documents.",
)
@click.option(
    "--whole", is_flag=True, help="Show each passage whole, not only the best of it; JSON always holds all."
)
@links_option
@json_option
@pass_output
def related(
    output: Output, reference: str, start: int, end: int | None, limit: int, whole: bool, links: bool
) -> ExitCode:
    """Find what other documents say about the same as a document, or as a part of it, nearest first.

    It compares vectors that are stored already: nothing is embedded or sent anywhere. Characters count as in what
    `webrag show` prints. Finding nothing is no failure.

    \b
    webrag related tides.md
    webrag related --start 1200 --end 2400 --json 5f0c
    """
    if end is not None and end <= start:
        raise click.UsageError("--end lies before --start.")
    with open_library() as library:
        source = library.documents.find(reference)
        result = library.related(source.id, start, end, limit=limit)
    if result is None:
        raise NotFoundError(
            f"There is nothing to compare in that part of {name_of(source)}.",
            hint="It can be compared once `webrag show` prints its text there, and it is embedded.",
        )
    if output.as_json:
        output.document(result, with_cite_ids)
        return ExitCode.OK
    if not result.chunks:
        output.say(f"No other document is about the same as {name_of(source)}.")
    for number, chunk in enumerate(result.chunks, start=1):
        _print_passage(output, number, chunk, whole=whole, links=links)
    return ExitCode.OK


def _print(
    output: Output,
    question: str,
    result: RetrievalResult,
    *,
    whole: bool,
    links: bool,
) -> None:
    if result.degraded:
        output.note(f"Note: {result.degraded}")
    if result.correction_notice:
        output.note(f"Note: {result.correction_notice}")
    if not result.chunks:
        output.say(_nothing(question, result))
    chunks = ranked(result.chunks) if result.mode == "chunk" else result.chunks
    for number, chunk in enumerate(chunks, start=1):
        _print_passage(output, number, chunk, whole=whole, links=links)
    if hidden := sum(one.reason == "limit" for one in result.left_out):
        output.say(Styled(f"{hidden} more with a larger --limit.", dim=True))


def _nothing(question: str, result: RetrievalResult) -> str:
    if result.corpus_stats.total_documents == 0:
        return "There is nothing to search yet. `webrag add URL` puts something in the library."
    return f"No passage in the library answers “{one_line(question)}”."


def _print_passage(output: Output, number: int, chunk: RetrievedChunk, *, whole: bool, links: bool) -> None:
    best = best_span(chunk)
    output.say(f"{number:>2}. ", Styled(one_line(place_of(chunk, best)), bold=True))
    sentence, others = passage(chunk)
    if sentence:
        as_it_is = best is not None and best.kind in {"code", "table"}
        output.indented(Styled(sentence if as_it_is else f"“{sentence}”", bold=True))
    for line in whole_passage(chunk) if whole else filter(None, [others]):
        output.indented(Styled(line, dim=True))
    anchor = (best.anchor if best else None) or chunk.anchor
    output.say(INDENT, readable_address(build_url(chunk.source_url, chunk.section_heading, anchor=anchor)))
    if links:
        cited = chunk if best is None or whole else best
        say_link(output, chunk.version_id, cited.char_start, cited.char_end)
    if best:
        output.say(INDENT, Styled(scores_of(chunk), dim=True))
    if also := said_elsewhere(chunk.folded):
        output.say(INDENT, Styled(also, dim=True))
    output.say()


def place_of(chunk: RetrievedChunk, best: MatchedSpan | None) -> str:
    """Title — section, and the heading right above the sentence where that is a deeper one; page."""
    return reference(
        chunk.title or readable_address(chunk.source_url),
        chunk.section_heading,
        best.heading if best else None,
        page=(best.page if best else None) or chunk.page,
    )


def scores_of(chunk: RetrievedChunk) -> str:
    """What orders passages: a model's judgement, else the score; and how near the meaning is, if not only the words."""
    score = f"{chunk.strength}, score {chunk.rank_score:.2f}"
    if chunk.relevance_score is not None:
        score = f"judged {chunk.relevance_score:.0f} of 100"
    if "vector" not in chunk.found_by:
        return f"{score}, by its words"
    return f"{score}, similarity {chunk.raw_similarity or 0.0:.2f}"
