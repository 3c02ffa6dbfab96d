"""``webrag search``: passages that answer a question, best first."""

from collections.abc import Sequence
from typing import Literal
from urllib.parse import urlsplit

import click

from webrag_desktop.bootstrap import Services
from webrag_desktop.citations.addresses import build_url
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import (
    INDENT,
    Output,
    Styled,
    json_option,
    one_line,
    pass_output,
    readable_address,
)
from webrag_desktop.cli.session import open_library
from webrag_desktop.errors import InputError, NotFoundError
from webrag_desktop.indexing.plain_text import project
from webrag_desktop.retrieval.models import MatchedSpan, RetrievalResult, RetrievedChunk

SHOWN_IN_TEXT = 10
CONTEXT_CHARACTERS = 120  # on either side of the matching sentence

Mode = Literal["auto", "chunk", "full_context"]


@click.command(short_help="Find passages that answer a question.")
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most N passages, the best ones (default: {SHOWN_IN_TEXT} as text, all that fit the budget as JSON).",
)
@click.option(
    "--source", "sources", multiple=True, metavar="ID", help="Search only this document; may be repeated."
)
@click.option(
    "--site", "sites", multiple=True, metavar="HOST", help="Search only this site; may be repeated."
)
@click.option(
    "--mode",
    type=click.Choice(["chunk", "auto", "full_context"]),
    default="chunk",
    show_default=True,
    help="chunk ranks passages; full_context gives whole documents; auto takes that for a small library.",
)
@click.option("--embedding", is_flag=True, help="With --json: include the question's vector.")
@json_option
@pass_output
def search(
    output: Output,
    words: tuple[str, ...],
    limit: int | None,
    sources: tuple[str, ...],
    sites: tuple[str, ...],
    mode: Mode,
    embedding: bool,
) -> ExitCode:
    """Find passages that answer QUESTION, by meaning and by its words, without the network.

    Each passage comes with the sentence that matches best, title and section, an address that leads to the
    sentence as closely as the page allows, and a score from 0 to 1 that orders them: meaning and words together.
    The similarity is how near the meaning alone is. Finding nothing is no failure.

    \b
    webrag search "how does early stopping work"
    webrag search --site scikit-learn.org --json "max_depth"
    """
    question = " ".join(words)
    with open_library() as services:
        scope = _scope(services, sources, sites)
        result = services.retrieve(question, mode=mode, source_urls=scope)
    if limit is None and not output.as_json:
        limit = SHOWN_IN_TEXT
    chunks = best_chunks(result.chunks, limit)
    if output.as_json:
        vector = result.query_embedding if embedding else []
        output.document(result.model_copy(update={"chunks": chunks, "query_embedding": vector}))
    else:
        _tell(output, question, result, chunks)
    return ExitCode.OK


def _scope(services: Services, sources: Sequence[str], sites: Sequence[str]) -> list[str] | None:
    """The addresses to search in, or None for everywhere."""
    if not sources and not sites:
        return None
    found = [services.library.find(reference) for reference in sources]
    named = [source.source_url for source in found if source.source_url]
    everything = (
        [source.source_url for source in services.library.sources() if source.source_url] if sites else []
    )
    for site in sites:
        of_site = [url for url in everything if is_of_site(site, url)]
        if not of_site:
            raise NotFoundError(
                f"No document in the library is from {site}.", "`webrag list` shows what is there."
            )
        named += of_site
    if not named:
        raise NotFoundError(
            "What you named has no text to search yet.", "`webrag list` shows how far each document has come."
        )
    return list(dict.fromkeys(named))


def is_of_site(site: str, url: str) -> bool:
    """Whether an address belongs to a host or to a host below it; with a port, only to that one.

    Raises:
        InputError: ``site`` is not a host.
    """
    try:
        wanted = urlsplit(site.lower() if "//" in site else f"//{site.lower()}")
        host, port = wanted.hostname, wanted.port
    except ValueError:
        host = port = None
    if not host:
        raise InputError(f"“{site}” is not a site.", "Give its host, such as docs.python.org.")
    own = urlsplit(url)
    name = own.hostname or ""
    return (name == host or name.endswith(f".{host}")) and port in (None, own.port)


def best_chunks(chunks: Sequence[RetrievedChunk], limit: int | None) -> list[RetrievedChunk]:
    """The chunks of highest rank, in the order they came in."""
    if limit is None or len(chunks) <= limit:
        return list(chunks)
    kept = {chunk.chunk_id for chunk in _ranked(chunks)[:limit]}
    return [chunk for chunk in chunks if chunk.chunk_id in kept]


def _ranked(chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    return sorted(chunks, key=lambda chunk: -chunk.rank_score)


def _tell(output: Output, question: str, result: RetrievalResult, chunks: Sequence[RetrievedChunk]) -> None:
    if result.degraded:
        output.note(f"Note: {result.degraded}")
    if not result.chunks:
        output.say(_nothing(question, result))
    for number, chunk in enumerate(_ranked(chunks) if result.mode == "chunk" else chunks, start=1):
        _tell_passage(output, number, chunk)
    if hidden := len(result.chunks) - len(chunks):
        output.say(Styled(f"{hidden} more with a larger --limit.", dim=True))


def _nothing(question: str, result: RetrievalResult) -> str:
    if result.corpus_stats.total_documents == 0:
        return "There is nothing to search yet. `webrag add URL` puts something in the library."
    return f"No passage in the library answers “{one_line(question)}”."


def _tell_passage(output: Output, number: int, chunk: RetrievedChunk) -> None:
    best = max(chunk.matched_spans, key=lambda span: span.score, default=None)
    output.say(f"{number:>2}. ", Styled(one_line(place_of(chunk, best)), bold=True))
    sentence, context = passage(chunk)
    if sentence:
        output.indented(Styled(f"“{sentence}”", bold=True))
    if context:
        output.indented(Styled(context, dim=True))
    anchor = (best.anchor if best else None) or chunk.anchor
    output.say(INDENT, readable_address(build_url(chunk.source_url, chunk.section_heading, anchor=anchor)))
    if best:
        output.say(INDENT, Styled(scores_of(chunk), dim=True))
    output.say()


def place_of(chunk: RetrievedChunk, best: MatchedSpan | None) -> str:
    """Title — section, and the heading right above the sentence where that is a deeper one; nothing twice."""
    names = [
        chunk.title or readable_address(chunk.source_url),
        chunk.section_heading,
        best.heading if best else None,
    ]
    return " — ".join(dict.fromkeys(filter(None, names)))


def scores_of(chunk: RetrievedChunk) -> str:
    """The score that orders passages, and how near the meaning is, or that only the words were found."""
    if "vector" not in chunk.found_by:
        return f"score {chunk.rank_score:.2f}, by its words"
    return f"score {chunk.rank_score:.2f}, similarity {chunk.raw_similarity or 0.0:.2f}"


def passage(chunk: RetrievedChunk) -> tuple[str, str]:
    """The best matching sentence and what stands around it, as a reader sees them, without markup.

    The sentence is whole, or empty where nothing matched; then the context is the chunk's beginning.
    """
    whole = project(
        chunk.chunk_text
    )  # a part alone would read otherwise: code without its fence, half a table
    if not chunk.matched_spans:
        return "", _clipped_end(one_line(whole.text), 2 * CONTEXT_CHARACTERS)
    best = max(chunk.matched_spans, key=lambda span: span.score)
    start, end = whole.to_plain_span(best.char_start - chunk.char_start, best.char_end - chunk.char_start)
    before, after = _around(one_line(whole.text[:start]), one_line(whole.text[end:]))
    return one_line(whole.text[start:end]), " […] ".join(filter(None, (before, after)))


def _around(before: str, after: str) -> tuple[str, str]:
    if len(before) > CONTEXT_CHARACTERS:
        before = f"… {before[-CONTEXT_CHARACTERS:].partition(' ')[2]}"
    return before, _clipped_end(after, CONTEXT_CHARACTERS)


def _clipped_end(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length].rpartition(' ')[0]} …"
