"""``build_context_pack``: from a search result to what a language model is given to answer from."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.context.budget import Selection, within_budget
from webrag_desktop.retrieval.context.rendering import format_citation, pack_text, range_of, text_of
from webrag_desktop.retrieval.context.surroundings import Piece, Surroundings
from webrag_desktop.retrieval.context.tracing import Course, trace_of
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import (
    ContextPack,
    ContextTrace,
    Role,
    SelectedChunk,
    TextSpan,
    TokenCounter,
)
from webrag_desktop.retrieval.contracts.passages import Passage, passage_of
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.items import load_neighbours
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.text.sentences import only_headings
from webrag_desktop.text.spans import Span, joined, trimmed, united, without


def pieces_of(
    hit: int, found: RetrievedChunk, surroundings: Surroundings, options: ContextOptions
) -> Iterator[Piece]:
    """All pieces that one passage proposes, even if other passages propose some of their text too.

    What matched are the passage's children that contain a sentence of its evidence. Where none is known, or these have
    no text but white space and marks, it is the whole passage.
    """
    row = surroundings.around(found, options.reach)
    whole = (found.char_start, found.char_end)
    inside = [run for run in row if run.char_start < whole[1] and whole[0] < run.char_end]
    matched = [run for run in inside if _holds_evidence(run, found)] or inside
    spans = [_within(run.span, whole) for run in matched]
    if not trimmed(spans, found.chunk_text, found.char_start):
        spans = [whole]  # no children are known, or what matched has no text of its own
    yield _of_passage("primary", hit, found, spans, matched)
    if options.include_parents:
        yield _of_passage("parent", hit, found, [whole], inside)
    nearest: dict[int, Piece] = {}
    for piece in _neighbours(hit, found, row, {run.char_start for run in matched}, options):
        known = nearest.setdefault(piece.offset, piece)
        if piece.keeping_place < known.keeping_place:
            nearest[piece.offset] = piece
    yield from nearest.values()


def whole_passage(hit: int, found: RetrievedChunk) -> Piece:
    """All of a passage as one piece, nothing around it being known."""
    return _of_passage("primary", hit, found, [(found.char_start, found.char_end)], [])


def unclaimed(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The pieces in the order they are kept in, each without what earlier ones have; and those that have nothing left.

    A text that two propose belongs to the one that is kept longer. So dropping from the end never removes text that
    another piece needs.
    """
    taken: dict[UUID, list[Span]] = {}
    left, held = [], []
    for piece in sorted(pieces, key=lambda one: one.keeping_place):
        claimed = taken.setdefault(piece.found.version_id, [])
        free = trimmed(
            joined(without(piece.spans, claimed), piece.text, piece.offset), piece.text, piece.offset
        )
        if free:
            left.append(piece.with_spans(free))
            taken[piece.found.version_id] = united([*claimed, *free])
        else:
            held.append(piece)
    return left, held


def _within(span: Span, whole: Span) -> Span:
    return max(span[0], whole[0]), min(span[1], whole[1])


def _holds_evidence(run: Passage, found: RetrievedChunk) -> bool:
    return any(
        span.char_start < run.char_end and run.char_start < span.char_end for span in found.matched_spans
    )


def _of_passage(
    role: Role, hit: int, found: RetrievedChunk, spans: list[Span], runs: Sequence[Passage]
) -> Piece:
    """What matched in a passage, or all of it."""
    passage = passage_of(found)
    pages = None if found.page is None else (found.page, found.page)
    return Piece(role, hit, found, passage, (), pages, tuple(runs)).with_spans(united(spans))


def _neighbours(
    hit: int, found: RetrievedChunk, row: Sequence[Passage], matched: set[int], options: ContextOptions
) -> Iterator[Piece]:
    """The nearest runs around each that matched; ``matched`` holds where these begin."""
    for place, run in enumerate(row):
        if run.char_start in matched:
            yield from _outwards(hit, found, run, row[place + 1 :], matched, options)
            yield from _outwards(hit, found, run, row[:place][::-1], matched, options)


def _outwards(
    hit: int,
    found: RetrievedChunk,
    matching: Passage,
    beyond: Sequence[Passage],
    matched: set[int],
    options: ContextOptions,
) -> Iterator[Piece]:
    """Neighbours in one direction, up to the next run that matched: some of its page, some of the pages beyond."""
    room: dict[Role, int] = {"sibling": options.neighbor_same_page, "cross_page": options.neighbor_cross_page}
    role: Role = "sibling"
    for distance, run in enumerate(beyond, start=1):
        if run.char_start in matched:
            return
        if not run.on_page_of(matching):
            role = "cross_page"  # for good: a section behind it may be called as this one is
        if only_headings(run.text):
            continue  # headings alone are no evidence
        if room[role]:
            room[role] -= 1
            yield _neighbour(role, hit, found, run, distance)


def _neighbour(role: Role, hit: int, found: RetrievedChunk, run: Passage, distance: int) -> Piece:
    return Piece(role, hit, found, run, (run.span,), run.pages(*run.span), (run,), distance)


DEFAULT_OPTIONS = ContextOptions()


def build_context_pack(
    result: RetrievalResult,
    query: str,
    *,
    conn: Connection,
    tokenizer: TokenCounter,
    options: ContextOptions = DEFAULT_OPTIONS,
    cancel: CancelToken | None = None,
) -> ContextPack:
    """Put the passages of a result, and the text around them, into one text within a budget of tokens.

    A *primary* piece is what matched of a passage: its children that hold evidence. Behind it comes its *parent*, the
    rest of the passage, then *siblings* (children beside what matched, on the same page or in the same section) and
    *cross-page* neighbours; passages best first, as a reranker ordered them where one did. Cross-page neighbours are
    dropped first, then siblings, parents and primaries, each from the worst passage on. ``tokenizer`` counts as the
    reader of the pack does; the budget counts the whole text, markers included. No text of a document is in a
    pack twice.

    The text around passages is read in one round trip, in a snapshot, from the very versions that the result names,
    also where a page changed since. ``conn`` must be idle.

    Raises:
        InputError: ``conn`` is not idle.
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or cannot be reached.
    """
    token = cancel or CancelToken()
    best = best_first(result.chunks)[: options.return_top_n]
    with snapshot(conn, token):
        passages = [(chunk.chunk_id, chunk.version_id) for chunk in best]
        surroundings = Surroundings(load_neighbours(conn, passages, options.reach))
    return assembled(
        result,
        query,
        surroundings,
        tokenizer=tokenizer,
        options=options,
        cancel=token,
    )


def assembled(
    result: RetrievalResult,
    query: str,
    surroundings: Surroundings,
    *,
    tokenizer: TokenCounter,
    options: ContextOptions = DEFAULT_OPTIONS,
    cancel: CancelToken | None = None,
) -> ContextPack:
    """The pack, given the text around the passages; equal input gives an equal pack."""
    token = cancel or CancelToken()
    ranked = best_first(result.chunks)
    best, beyond = ranked[: options.return_top_n], ranked[options.return_top_n :]
    proposed: list[Piece] = []
    for hit, found in enumerate(best, start=1):
        token.raise_if_cancelled()
        proposed += pieces_of(hit, found, surroundings, options)
    left, held = unclaimed(proposed)
    selection = within_budget(
        left,
        options.min_primary_hits_to_keep,
        options.final_max_tokens,
        tokenizer,
        token,
        keep_fewer=options.keep_fewer,
    )
    course = Course(
        ranked=ranked,
        left_out=result.left_out,
        beyond=[whole_passage(hit, found) for hit, found in enumerate(beyond, start=len(best) + 1)],
        held=held,
        selection=selection,
        rerank_results=result.rerank_results,
        notes=_notes(result, surroundings, best),
    )
    return _pack(query, course, trace_of(course, options, tokenizer))


def _pack(query: str, course: Course, trace: ContextTrace) -> ContextPack:
    chunks = _selected(course.selection)
    return ContextPack(
        query=query,
        selected_chunks=[chunk.model_dump(mode="json") for chunk in chunks],
        citations=[chunk.citation for chunk in chunks],
        trace=trace.model_dump(mode="json"),
        context_pack=pack_text(course.selection.kept),
    )


def best_first(chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """The passages as a reranker ordered them, those it did not judge behind, by rank."""

    def place(chunk: RetrievedChunk) -> tuple[bool, float, str, int, UUID]:
        return (
            chunk.relevance_score is None,
            -chunk.rank_score,
            chunk.source_url,
            chunk.char_start,
            chunk.chunk_id,
        )

    return sorted(chunks, key=place)


def _notes(result: RetrievalResult, surroundings: Surroundings, best: Sequence[RetrievedChunk]) -> list[str]:
    """What made the search or the pack less than it can be."""
    notes = [notice for notice in (result.degraded, result.correction_notice) if notice]
    for chunk in {one.version_id: one for one in best}.values():
        if surroundings.is_removed(chunk):
            notes.append(
                f"{_named(chunk)} was removed since it was found; nothing around its passages is known."
            )
        elif surroundings.is_former(chunk):
            notes.append(
                f"{_named(chunk)} was changed or cut again since it was found; this is its text as found."
            )
    return notes


def _named(chunk: RetrievedChunk) -> str:
    return f"“{chunk.title or chunk.source_url}”"


def _selected(selection: Selection) -> list[SelectedChunk]:
    costs = zip(selection.kept, selection.kept_costs, strict=True)
    return [_chunk(piece, number, tokens) for number, (piece, tokens) in enumerate(costs, start=1)]


def _chunk(piece: Piece, number: int, tokens: int) -> SelectedChunk:
    found, passage, ranges = piece.found, piece.passage, range_of(piece)
    return SelectedChunk(
        number=number,
        role=piece.role,
        hit=piece.hit,
        chunk_id=passage.chunk_id,
        document_id=found.document_id,
        version_id=found.version_id,
        source_url=found.source_url,
        title=found.title,
        text=text_of(piece),
        spans=[TextSpan(char_start=start, char_end=end) for start, end in piece.spans],
        section_heading=passage.section_heading,
        heading_path=list(passage.heading_path),
        anchor=passage.anchor,
        page=piece.pages[0] if piece.pages else None,
        page_end=piece.pages[1] if piece.pages else None,
        row_range=ranges.rows,
        item_range=ranges.items,
        rank_score=found.rank_score,
        relevance_score=found.relevance_score,
        selected_tokens=tokens,
        cut=piece.cut,
        citation=format_citation(piece),
    )
