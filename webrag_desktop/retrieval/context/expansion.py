"""From the passages found to the pieces of a pack: what matched, the rest of the passage, what stands around it."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from webrag_desktop.retrieval.context.options import ContextOptions
from webrag_desktop.retrieval.context.pieces import Origin, Piece
from webrag_desktop.retrieval.context.surroundings import Stretch, Surroundings
from webrag_desktop.retrieval.context.text_spans import Span, joined, trimmed, united, without
from webrag_desktop.retrieval.contracts.packs import Role
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.text.sentences import only_headings


def pieces_of(
    hit: int, found: RetrievedChunk, surroundings: Surroundings, options: ContextOptions
) -> Iterator[Piece]:
    """All pieces that one passage proposes, whatever of their text others propose, too.

    What matched are the passage's children that hold a sentence of its evidence. Where none is known, or these say
    nothing by themselves, it is the whole passage.
    """
    row = surroundings.around(found, options.reach)
    whole = (found.char_start, found.char_end)
    inside = [stretch for stretch in row if stretch.char_start < whole[1] and whole[0] < stretch.char_end]
    matched = [stretch for stretch in inside if _holds_evidence(stretch, found)] or inside
    spans = [_within(_span(stretch), whole) for stretch in matched]
    if not trimmed(spans, found.chunk_text, found.char_start):
        spans = [whole]  # nothing is known of it, or what matched says nothing by itself
    yield _of_passage("primary", hit, found, spans, matched)
    if options.include_parents:
        yield _of_passage("parent", hit, found, [whole], inside)
    nearest: dict[int, Piece] = {}
    for piece in _neighbours(hit, found, row, {stretch.char_start for stretch in matched}, options):
        known = nearest.setdefault(piece.offset, piece)
        if piece.keeping_place < known.keeping_place:
            nearest[piece.offset] = piece
    yield from nearest.values()


def whole_passage(hit: int, found: RetrievedChunk) -> Piece:
    """All of a passage as one piece, nothing around it being known."""
    return _of_passage("primary", hit, found, [(found.char_start, found.char_end)], [])


def unclaimed(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The pieces in the order they are kept in, each without what earlier ones have; and those that have nothing left.

    A text that two propose goes to the one that is kept longer. So dropping from the end never takes away what
    another piece relied on.
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


def _span(stretch: Stretch) -> Span:
    return stretch.char_start, stretch.char_end


def _within(span: Span, whole: Span) -> Span:
    return max(span[0], whole[0]), min(span[1], whole[1])


def _holds_evidence(stretch: Stretch, found: RetrievedChunk) -> bool:
    return any(
        span.char_start < stretch.char_end and stretch.char_start < span.char_end
        for span in found.matched_spans
    )


def _of_passage(
    role: Role, hit: int, found: RetrievedChunk, spans: list[Span], stretches: Sequence[Stretch]
) -> Piece:
    """What matched in a passage, or all of it."""
    origin = Origin(
        chunk_id=found.chunk_id,
        section_heading=found.section_heading,
        heading_path=tuple(found.heading_path),
        anchor=found.anchor,
        pages=None if found.page is None else (found.page, found.page),
        stretches=tuple(stretches),
        begins_within=role == "primary",
    )
    left = united(spans)
    return Piece(role, hit, found, origin.of(left), found.chunk_text, found.char_start, tuple(left))


def _neighbours(
    hit: int, found: RetrievedChunk, row: Sequence[Stretch], matched: set[int], options: ContextOptions
) -> Iterator[Piece]:
    """The nearest stretches around every run of those that matched; ``matched`` holds where these begin."""
    for place, stretch in enumerate(row):
        if stretch.char_start in matched:
            yield from _outwards(hit, found, stretch, row[place + 1 :], matched, options)
            yield from _outwards(hit, found, stretch, row[:place][::-1], matched, options)


def _outwards(
    hit: int,
    found: RetrievedChunk,
    matching: Stretch,
    beyond: Sequence[Stretch],
    matched: set[int],
    options: ContextOptions,
) -> Iterator[Piece]:
    """Going away from what matched, up to the next that did: so many of its page, so many of the pages behind it."""
    room: dict[Role, int] = {"sibling": options.neighbor_same_page, "cross_page": options.neighbor_cross_page}
    role: Role = "sibling"
    for distance, stretch in enumerate(beyond, start=1):
        if stretch.char_start in matched:
            return
        if not stretch.on_page_of(matching):
            role = "cross_page"  # for good: a section behind it may be called as this one is
        if only_headings(stretch.text):
            continue  # it names what follows, and says nothing by itself
        if room[role]:
            room[role] -= 1
            yield _neighbour(role, hit, found, stretch, distance)


def _neighbour(role: Role, hit: int, found: RetrievedChunk, stretch: Stretch, distance: int) -> Piece:
    origin = Origin(
        chunk_id=stretch.chunk_id,
        section_heading=stretch.section_heading,
        heading_path=stretch.heading_path,
        anchor=stretch.anchor,
        pages=stretch.pages(*_span(stretch)),
        stretches=(stretch,),
    )
    return Piece(role, hit, found, origin, stretch.text, stretch.char_start, (_span(stretch),), distance)
