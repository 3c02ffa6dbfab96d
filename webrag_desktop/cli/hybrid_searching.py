"""``webrag search --strategy``: documents that answer, and the evidence in them wherever it is cut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from webrag_desktop.bootstrap import Services
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.filtering import GivenFilters, filters_of, nothing_left
from webrag_desktop.cli.output import INDENT, Output, Styled, one_line, readable_address
from webrag_desktop.indexing.plain_text import project
from webrag_desktop.retrieval.hybrid.bundle import (
    CandidateItem,
    EvidenceChunk,
    RetrievalBundle,
    RetrievalStats,
)
from webrag_desktop.retrieval.hybrid.prefs import HEADINGS, ChunkingPrefs, RetrievalPrefs, Strategy
from webrag_desktop.storage.searching.query_modes import TsqueryMode

# How much of a chunk is shown, in characters, unless it is asked for whole.
CHARACTERS_SHOWN = 480


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for beside the filters."""

    question: str
    strategy: Strategy
    chunker: str | None
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


def refuse_what_needs_a_strategy(strategy: Strategy | None, chunker: str | None, *, stats: bool) -> None:
    """Raise click's own error where options say how to cut late, and nothing is to be."""
    if chunker and strategy in (None, "precomputed"):
        raise click.UsageError("--chunker says how texts are cut late: add --strategy late or mixed.")
    if stats and strategy is None:
        raise click.UsageError("--stats tells how documents and evidence were found: add --strategy.")


def search_documents(output: Output, services: Services, asked: Asked, given: GivenFilters) -> ExitCode:
    """Find documents and evidence, and print them."""
    filters = filters_of(services, given)
    bundle = services.hybrid_search(_prefs(services, asked, {**given, "documents": filters.documents}))
    if filters and bundle.stats.counts["documents"] == 0:
        raise nothing_left(given)
    degraded = bundle.stats.params.get("degraded")
    if output.as_json:
        quiet = RetrievalStats(params={"degraded": degraded} if degraded else {})
        output.document(bundle if asked.stats else bundle.model_copy(update={"stats": quiet}))
        return ExitCode.OK
    if degraded:
        output.note(f"Note: {degraded}")
    _tell(output, asked, bundle)
    return ExitCode.OK


def _prefs(services: Services, asked: Asked, filters: Mapping[str, Any]) -> RetrievalPrefs:
    prefs = services.retrieval_prefs(asked.question, tsquery_mode=asked.syntax)
    changes: dict[str, Any] = {
        "filters": {name: value for name, value in filters.items() if value not in (None, ())},
        "chunking": ChunkingPrefs(strategy=asked.strategy, chunker_id=asked.chunker or HEADINGS),
        "debug": True,  # for the figures of what was searched
    }
    if asked.limit is not None:
        changes["top_k_items"] = asked.limit
    return RetrievalPrefs(**{**dict(prefs), **changes})


def _tell(output: Output, asked: Asked, bundle: RetrievalBundle) -> None:
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
        _tell_document(output, number, item)
    output.say()
    output.say(Styled("Evidence", bold=True))
    items = {item.item_id: (number, item) for number, item in enumerate(bundle.candidates, start=1)}
    for chunk in bundle.evidence:
        _tell_evidence(output, chunk, *items[chunk.item_id], whole=asked.whole)


def _tell_document(output: Output, number: int, item: CandidateItem) -> None:
    output.say(f"{number:>2}. ", Styled(_name(item), bold=True))
    if item.snippet:
        output.indented(Styled(one_line(project(item.snippet).text), dim=True))
    output.say(INDENT, readable_address(item.source_ref or ""))
    output.say(INDENT, Styled(_scores(item.score, item.score_text, item.score_vec), dim=True))


def _tell_evidence(
    output: Output, chunk: EvidenceChunk, number: int, item: CandidateItem, *, whole: bool
) -> None:
    path = chunk.heading_path or []
    place = " › ".join(dict.fromkeys([_name(item), *map(one_line, path)]))
    output.say(f"{number:>2}. ", Styled(place, bold=True))
    text = one_line(project(chunk.text).text)
    shown = (
        text if whole or len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN].rsplit(' ', 1)[0]} […]"
    )
    output.indented(Styled(shown))
    output.say(INDENT, Styled(_scores(chunk.score, chunk.score_text, chunk.score_vec), dim=True))


def _name(item: CandidateItem) -> str:
    return one_line(item.title or readable_address(item.source_ref or ""))


def _scores(score: float, by_words: float | None, by_meaning: float | None) -> str:
    parts: Sequence[tuple[str, float | None]] = (("words", by_words), ("similarity", by_meaning))
    told = [f"{name} {value:.2f}" for name, value in parts if value is not None]
    return ", ".join([f"score {score:.2f}", *told])
