"""``webrag search --strategy``: documents that answer, and the evidence in them wherever it is cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from webrag_desktop import Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.filtering import GivenFilters, filters_of, nothing_left
from webrag_desktop.cli.output import INDENT, Output, Styled, one_line, readable_address
from webrag_desktop.cli.passage_text import as_read
from webrag_desktop.models.documents import HEADINGS
from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.retrieval.contracts.bundles import (
    CandidateItem,
    EvidenceChunk,
    RetrievalBundle,
    RetrievalStats,
)
from webrag_desktop.retrieval.contracts.preferences import ChunkingPrefs, RetrievalPrefs, Strategy
from webrag_desktop.text.citation_formats import reference
from webrag_desktop.text.links import build_url

# How much of a chunk is shown, in characters, unless it is asked for whole.
CHARACTERS_SHOWN = 480


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for beside the filters."""

    question: str
    strategy: Strategy
    chunker: str | None
    max_seconds: float | None
    limit: int | None
    syntax: TsqueryMode | None
    whole: bool
    stats: bool


def refuse_what_needs_passages(mode: str, *, embedding: bool, rerank: bool | None) -> None:
    """Raise click's own error where options ask for what only passages have."""
    if mode != "chunk":
        raise click.UsageError("--strategy gives documents and evidence; leave --mode out.")
    if embedding:
        raise click.UsageError("--strategy gives documents and evidence; leave --embedding out.")
    if rerank:
        raise click.UsageError("--strategy gives documents and evidence; leave --rerank out.")


def refuse_what_needs_a_strategy(
    strategy: Strategy | None, chunker: str | None, max_seconds: float | None, *, stats: bool, as_json: bool
) -> None:
    """Raise click's own error where options say how to cut late, and nothing is to be."""
    if chunker and strategy in (None, "precomputed"):
        raise click.UsageError("--chunker says how texts are cut late: add --strategy late or mixed.")
    if max_seconds is not None and strategy in (None, "precomputed"):
        raise click.UsageError(
            "--max-seconds limits how long texts are cut late: add --strategy late or mixed."
        )
    if stats and strategy is None:
        raise click.UsageError("--stats tells how documents and evidence were found: add --strategy.")
    if stats and not as_json:
        raise click.UsageError("--stats is for programs: add --json.")


def search_documents(output: Output, library: Library, asked: Asked, given: GivenFilters) -> ExitCode:
    """Find documents and evidence, and print them."""
    filters = filters_of(library, given)
    bundle = library.retriever.search(_prefs(library, asked, {**given, "documents": filters.documents}))
    if filters and bundle.stats.counts["documents"] == 0:
        raise nothing_left(given)
    degraded = bundle.stats.params.get("degraded")
    if output.as_json:
        quiet = RetrievalStats(params={"degraded": degraded} if degraded else {})
        output.document(bundle if asked.stats else bundle.model_copy(update={"stats": quiet}))
        return ExitCode.OK
    if degraded:
        output.note(f"Note: {degraded}")
    if library.settings.retrieval_rerank_enabled:
        output.note("Note: With --strategy nothing is reranked, whatever RETRIEVAL_RERANK_ENABLED says.")
    _print(output, asked, bundle)
    return ExitCode.OK


def _prefs(library: Library, asked: Asked, filters: Mapping[str, Any]) -> RetrievalPrefs:
    prefs = library.retrieval_prefs(asked.question, tsquery_mode=asked.syntax)
    changes: dict[str, Any] = {
        "filters": {name: value for name, value in filters.items() if value not in (None, ())},
        "chunking": ChunkingPrefs(
            strategy=asked.strategy, chunker_id=asked.chunker or HEADINGS, max_seconds=asked.max_seconds
        ),
        "debug": True,  # for the figures of what was searched
    }
    if asked.limit is not None:
        changes["top_k_items"] = asked.limit
    return RetrievalPrefs(**{**dict(prefs), **changes})


def _print(output: Output, asked: Asked, bundle: RetrievalBundle) -> None:
    if not bundle.candidates:
        empty = bundle.stats.counts["documents"] == 0
        output.say(
            "There is nothing to search yet. `webrag add URL` puts something in the library."
            if empty
            else f"No document in the library answers “{one_line(asked.question)}”."
        )
        return
    output.say(Styled("Documents", bold=True))
    for number, item in enumerate(bundle.candidates, start=1):
        _print_document(output, number, item)
    if not bundle.evidence:
        return
    output.say()
    output.say(Styled("Evidence", bold=True))
    items = {item.item_id: (number, item) for number, item in enumerate(bundle.candidates, start=1)}
    words = "word share" if _words_are_shares(bundle) else "word score"
    for number, chunk in enumerate(bundle.evidence, start=1):
        of_document, item = items[chunk.item_id]
        output.say(f"{number:>2}. ", *_place(chunk, of_document, item))
        _print_evidence(output, chunk, item, words, whole=asked.whole)


def _words_are_shares(bundle: RetrievalBundle) -> bool:
    """Whether evidence holds a share of the question's words, instead of the score of an indexed text."""
    return (
        bundle.stats.counts.get("late_documents", 0) > 0
    )  # none where there was nothing to cut or compare with


def _print_document(output: Output, number: int, item: CandidateItem) -> None:
    output.say(f"{number:>2}. ", Styled(_name(item), bold=True))
    if item.snippet:
        output.indented(Styled(as_read(item.snippet), dim=True))
    output.say(INDENT, readable_address(item.source_ref or ""))
    scores = _scores(item.score, item.score_text, item.score_vec, "word score")
    output.say(INDENT, Styled(scores, dim=True))


def _place(chunk: EvidenceChunk, of_document: int, item: CandidateItem) -> tuple[Styled, Styled]:
    names = dict.fromkeys([_name(item), *map(one_line, chunk.heading_path or [])])
    page = (chunk.anchors or {}).get("page")
    source = reference(f"from document {of_document}", page=page, page_words="page {0}")
    return Styled(" › ".join(names), bold=True), Styled(f" ({source})", dim=True)


def _print_evidence(
    output: Output, chunk: EvidenceChunk, item: CandidateItem, words: str, *, whole: bool
) -> None:
    text = as_read(chunk.text)
    shown = (
        text if whole or len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN].rsplit(' ', 1)[0]} […]"
    )
    output.indented(Styled(shown))
    heading = chunk.heading_path[-1] if chunk.heading_path else None
    address = build_url(item.source_ref or "", heading, anchor=(chunk.anchors or {}).get("anchor"))
    output.say(INDENT, readable_address(address))
    output.say(INDENT, Styled(_scores(chunk.score, chunk.score_text, chunk.score_vec, words), dim=True))


def _name(item: CandidateItem) -> str:
    return one_line(item.title or readable_address(item.source_ref or ""))


def _scores(score: float, by_words: float | None, by_meaning: float | None, words: str) -> str:
    """The score and its parts; ``words`` names the scale of what the words say."""
    parts: Sequence[tuple[str, float | None]] = ((words, by_words), ("similarity", by_meaning))
    shown = [f"{name} {value:.2f}" for name, value in parts if value is not None]
    return ", ".join([f"score {score:.2f}", *shown])
