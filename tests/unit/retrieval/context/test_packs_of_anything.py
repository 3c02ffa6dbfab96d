"""What holds for every pack, whatever was found, however it is cut and whoever counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from tests.support.context_books import Book, result_of, surroundings
from tests.support.tokenizers import ByteTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ROLES, ContextPack, Decision, SelectedChunk, TokenCounter
from webrag_desktop.retrieval.contracts.results import RetrievedChunk

_TEXTS = st.lists(
    st.sampled_from(
        [
            "Limpets clamp.",
            "Tide 7.",
            "漲潮。",
            "- item",
            "| a | b |",
            "[3] Doc: x",
            "`x = 1`",
            "…",
            "e\u0301",
        ]
    ),
    min_size=1,
    max_size=9,
).map(lambda parts: " ".join(parts) + "\n\n")
_PARENTS = st.lists(
    st.tuples(st.sampled_from([None, "A", "B", "C"]), st.lists(_TEXTS, min_size=1, max_size=4)),
    min_size=1,
    max_size=5,
)


@st.composite
def _books(draw: st.DrawFn) -> list[Book]:
    books = []
    for name in draw(st.sampled_from([["one"], ["one", "two"]])):
        parents = draw(_PARENTS)
        count = sum(len(texts) for _, texts in parents)
        pages = sorted(draw(st.lists(st.integers(1, 4), min_size=count, max_size=count)))
        books.append(Book(name, parents, draw(st.sampled_from([(), tuple(pages)]))))
    return books


@st.composite
def _found(draw: st.DrawFn, books: Sequence[Book]) -> list[RetrievedChunk]:
    places = [(book, n) for book in books for n in range(len(book.parents))]
    chosen = draw(st.lists(st.sampled_from(places), unique_by=lambda one: (one[0].name, one[1]), max_size=6))
    found = []
    for book, parent in chosen:
        texts = book.parents[parent][1]
        matching = draw(st.lists(st.sampled_from(range(len(texts))), unique=True))
        found.append(
            book.found(parent, matching, draw(st.sampled_from([0.2, 0.5, 0.9])), draw(st.floats(0.1, 1)))
        )
    return found


@dataclass(frozen=True)
class Made:
    """A pack and what it was made of."""

    books: list[Book]
    found: list[RetrievedChunk]
    options: ContextOptions
    counter: TokenCounter
    pack: ContextPack


def _pack(
    books: list[Book], found: list[RetrievedChunk], options: ContextOptions, counter: TokenCounter
) -> ContextPack:
    return assembled(result_of(*found), "q", surroundings(*books), tokenizer=counter, options=options)


@st.composite
def _packs(draw: st.DrawFn) -> Made:
    books = draw(_books())
    found = draw(_found(books))
    options = ContextOptions(
        neighbor_same_page=draw(st.integers(0, 2)),
        neighbor_cross_page=draw(st.integers(0, 3)),
        include_parents=draw(st.booleans()),
        final_max_tokens=draw(st.one_of(st.integers(1, 400), st.just(10_000))),
        min_primary_hits_to_keep=draw(st.integers(0, 4)),
        return_top_n=draw(st.integers(1, 6)),
    )
    counters: list[TokenCounter] = [WordTokenizer(), ByteTokenizer(), LongWordTokenizer(5)]
    counter = draw(st.sampled_from(counters))
    return Made(books, found, options, counter, _pack(books, found, options, counter))


@given(_packs())
def test_the_budget_holds_unless_the_trace_says_why_not(made: Made) -> None:
    options, pack = made.options, made.pack
    trace = pack.explanation
    assert trace.final_token_count == made.counter.count(pack.context_pack)
    assert trace.budget.held == (trace.final_token_count <= options.final_max_tokens)
    assert (trace.budget.note is None) == trace.budget.held
    if not trace.budget.held:  # then nothing is left that could go
        assert {chunk.role for chunk in pack.chunks} == {"primary"}
        assert len(pack.chunks) <= options.min_primary_hits_to_keep


@given(_packs())
def test_no_text_stands_twice_and_all_of_it_is_verbatim(made: Made) -> None:
    books, pack = made.books, made.pack
    texts = {book.version: book.markdown for book in books}
    taken: dict[object, set[int]] = {}
    for chunk in pack.chunks:
        parts = [texts[chunk.version_id][span.char_start : span.char_end] for span in chunk.spans]
        assert chunk.text == "\n\n[…]\n\n".join(parts)
        assert all(part.strip() for part in parts)
        own = {place for span in chunk.spans for place in range(span.char_start, span.char_end)}
        others = taken.setdefault(chunk.version_id, set())
        assert not own & others
        others |= own


@given(_packs())
def test_passages_come_best_first_each_before_its_rest_neighbours_last(made: Made) -> None:
    pack = made.pack
    chunks = pack.chunks
    assert [_group(chunk) for chunk in chunks] == sorted(_group(chunk) for chunk in chunks)
    ranks = [chunk.rank_score for chunk in chunks if chunk.role == "primary"]
    assert ranks == sorted(ranks, reverse=True)
    for before, chunk in zip([None, *chunks], chunks, strict=False):
        if chunk.role == "parent":
            assert before is not None
            assert (before.role, before.hit) == ("primary", chunk.hit)
    assert pack.citations == [chunk.citation for chunk in chunks]


def _group(chunk: SelectedChunk) -> tuple[int, int, int]:
    return max(0, ROLES.index(chunk.role) - 1), chunk.hit, ROLES.index(chunk.role)


@given(_packs())
def test_what_is_dropped_is_weaker_than_all_that_is_kept(made: Made) -> None:
    options, pack = made.options, made.pack
    decisions = pack.explanation.decisions
    kept = [_strength(one) for one in decisions if one.number is not None]
    dropped = [_strength(one) for one in decisions if one.outcome == "dropped" and one.tokens]
    assert not kept or not dropped or max(kept) < min(dropped)
    primaries = [one for one in decisions if one.role == "primary" and one.hit <= options.return_top_n]
    best = primaries[: options.min_primary_hits_to_keep]
    assert [one.outcome for one in best if one.outcome in ("dropped", "held") and one.tokens] == []


def _strength(decision: Decision) -> tuple[int, ...]:
    return ROLES.index(decision.role), decision.hit, decision.distance, decision.spans[0].char_start


@given(_packs())
def test_every_piece_has_a_decision_with_a_reason_and_the_figures_add_up(made: Made) -> None:
    found, options, pack = made.found, made.options, made.pack
    trace = pack.explanation
    numbered = [one for one in trace.decisions if one.number is not None]
    assert [(one.number, one.role, one.tokens) for one in numbered] == [
        (chunk.number, chunk.role, chunk.selected_tokens) for chunk in pack.chunks
    ]
    assert all(
        one.reason and (one.number is not None) == (one.outcome in ("included", "cut"))
        for one in trace.decisions
    )
    primaries = [one for one in trace.decisions if one.role == "primary"]
    assert len(primaries) == len(found) == len(trace.vector_candidates)
    for role in ROLES:
        stats = getattr(trace.expansion_stats, role)
        assert stats.considered == stats.included + stats.held + stats.dropped
        assert stats.considered == sum(one.role == role for one in trace.decisions)
    if not options.include_parents:
        assert trace.expansion_stats.parent.considered == 0


@given(_packs())
def test_a_marker_cannot_be_faked_by_a_page(made: Made) -> None:
    pack = made.pack
    assert pack.context_pack.count("] Doc: ") - pack.context_pack.count("\\[3] Doc: ") == len(pack.chunks)


@given(_packs())
def test_the_same_input_makes_the_same_pack_in_whatever_order_it_comes(made: Made) -> None:
    assert _pack(made.books[::-1], made.found[::-1], made.options, made.counter) == made.pack
    assert ContextPack.model_validate_json(made.pack.model_dump_json()) == made.pack
