"""Context packs field by field and by example: what is in them, in which order, and what they say of it."""

import json
import re
from uuid import UUID

import pytest

from tests.support.context_books import Book, result_of, surroundings
from tests.support.tokenizers import ByteTokenizer, WordTokenizer
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.context.models import ContextPack, ContextTrace, SelectedChunk
from webrag_desktop.retrieval.context.options import ContextOptions
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.models import ArmScores, Correction, Folded, LeftOut, RetrievedChunk
from webrag_desktop.retrieval.reranking.models import RerankResult

WORDS = WordTokenizer()
# One section to a parent but the second, whose section goes on in the third.
TIDES = Book(
    "Tides",
    [
        ("Spring tides", ["Spring one.\n\n", "Spring two.\n\n"]),
        ("Low tide", ["## Low tide\n\nLow one.\n\n", "Low two.\n\n", "Low three.\n\n"]),
        ("Low tide", ["Low four.\n\n", "Low five.\n\n"]),
        ("Storms", ["Storm one.\n\n", "Storm two.\n\n", "Storm three.\n\n"]),
    ],
)


def pack(*chunks: RetrievedChunk, book: Book = TIDES, **options: object) -> ContextPack:
    return assembled(
        result_of(*chunks),
        "how low is it?",
        surroundings(book),
        tokenizer=WORDS,
        options=ContextOptions(**options),  # type: ignore[arg-type]
    )


def read(made: ContextPack) -> list[tuple[str, int, str]]:
    return [(chunk.role, chunk.hit, " ".join(chunk.text.split())) for chunk in made.chunks]


def test_a_pack_has_the_fields_it_promises() -> None:
    made = pack(TIDES.found(1, [1]))
    assert set(ContextPack.model_fields) == {"query", "selected_chunks", "citations", "trace", "context_pack"}
    assert made.query == "how low is it?"
    assert all(type(chunk) is dict for chunk in made.selected_chunks)
    assert [chunk["citation"] for chunk in made.selected_chunks] == made.citations
    assert type(made.trace) is dict
    promised = {"vector_candidates", "rerank_results", "final_token_count", "expansion_stats"}
    assert promised <= set(made.trace)
    assert made.trace["final_token_count"] == WORDS.count(made.context_pack)


def test_every_field_of_a_piece_holds_what_it_promises() -> None:
    book = Book("Tides", [("Low tide", ["Low one.\n\n", "Low two.\n\n"])], pages=[4, 5])
    for n, name in enumerate(("one", "two")):
        book.children[n] = book.children[n]._replace(heading_path=["Sea", name], anchor=f"low-{name}")
    found = book.found(0, [1], rank=0.7).model_copy(update={"anchor": "low", "relevance_score": 70.0})
    made = pack(found, book=book)
    marked = made.context_pack.split("\n\n")
    common = {
        "hit": 1,
        "chunk_id": found.chunk_id,
        "document_id": found.document_id,
        "version_id": book.version,
        "source_url": "https://example.org/Tides",
        "title": "Tides",
        "section_heading": "Low tide",
        "row_range": None,
        "item_range": None,
        "rank_score": 0.7,
        "relevance_score": 70.0,
        "cut": False,
    }
    primary, parent = (chunk.model_dump() for chunk in made.chunks)
    assert primary == common | {
        "number": 1,
        "role": "primary",
        "text": "Low two.",
        "spans": [{"char_start": 10, "char_end": 18}],
        "heading_path": ["Sea", "two"],
        "anchor": "low-two",
        "page": 5,
        "page_end": 5,
        "selected_tokens": WORDS.count(marked[0]),
        "citation": f"Doc: {found.document_id} | Page: 5 | Section: Sea > two",
    }
    assert parent == common | {
        "number": 2,
        "role": "parent",
        "text": "Low one.",
        "spans": [{"char_start": 0, "char_end": 8}],
        "heading_path": ["Low tide"],
        "anchor": "low",
        "page": 4,
        "page_end": 4,
        "selected_tokens": WORDS.count(marked[1]),
        "citation": f"Doc: {found.document_id} | Page: 4 | Section: Low tide",
    }


def test_a_neighbour_names_its_own_chunk_and_place() -> None:
    book = Book("Tides", [("Low tide", ["Low one.\n\n"]), ("High tide", ["High one.\n\n"])])
    book.children[1] = book.children[1]._replace(heading_path=["Sea", "High"], anchor="high")
    neighbour = pack(book.found(0, [0]), book=book).chunks[1]
    assert (neighbour.chunk_id, neighbour.anchor) == (book.children[1].id, "high")
    assert (neighbour.heading_path, neighbour.section_heading) == (["Sea", "High"], "High tide")


def test_defaults_are_those_that_are_promised() -> None:
    told = ContextOptions()
    assert (told.neighbor_same_page, told.neighbor_cross_page, told.include_parents) == (1, 2, True)
    assert (told.final_max_tokens, told.min_primary_hits_to_keep, told.return_top_n) == (12000, 3, 15)


def test_what_matched_comes_first_then_its_passage_then_what_stands_around() -> None:
    made = pack(TIDES.found(1, [2]))
    assert read(made) == [
        ("primary", 1, "Low three."),
        ("parent", 1, "## Low tide Low one. Low two."),
        ("sibling", 1, "Low four."),
        ("cross_page", 1, "Spring one."),
        ("cross_page", 1, "Spring two."),
        ("cross_page", 1, "Storm one."),
    ]
    held = [one for one in made.explanation.decisions if one.outcome == "held"]
    assert [(one.role, one.tokens, one.number) for one in held] == [
        ("sibling", 0, None)
    ]  # the child before it


def test_without_parents_siblings_stand_by_themselves_and_pages_are_crossed() -> None:
    alone = pack(TIDES.found(1, [0]), include_parents=False)
    assert read(alone) == [
        ("primary", 1, "## Low tide Low one."),
        ("sibling", 1, "Low two."),
        ("cross_page", 1, "Spring one."),
        ("cross_page", 1, "Spring two."),
        ("cross_page", 1, "Storm one."),
    ]
    last = pack(TIDES.found(2, [1]), include_parents=False, neighbor_cross_page=1)
    assert read(last) == [
        ("primary", 1, "Low five."),
        ("sibling", 1, "Low four."),
        ("cross_page", 1, "Storm one."),
    ]


def test_a_section_called_alike_is_another_section() -> None:
    sections = [("Alpha", ["Alpha text.\n\n"]), ("Usage", ["Alpha usage.\n\n"])]
    sections += [("Beta", ["Beta text.\n\n"]), ("Usage", ["Beta usage.\n\n"])]
    book = Book("API", sections)
    roles = {chunk.text: chunk.role for chunk in pack(book.found(1, [0]), book=book).chunks}
    assert roles == {
        "Alpha usage.": "primary",
        "Alpha text.": "cross_page",
        "Beta text.": "cross_page",
        "Beta usage.": "cross_page",
    }
    beside = Book("API", [("Usage", ["Alpha usage.\n\n"]), ("Usage", ["Beta usage.\n\n"])])
    for n, module in enumerate(("Alpha", "Beta")):
        beside.children[n] = beside.children[n]._replace(heading_path=[module, "Usage"])
    assert read(pack(beside.found(0, [0]), book=beside))[1] == ("cross_page", 1, "Beta usage.")


def test_the_page_of_a_pdf_is_the_page() -> None:
    book = Book("Paper", [(None, ["One.\n\n", "Two.\n\n", "Three.\n\n", "Four.\n\n"])], pages=[1, 2, 2, 3])
    made = pack(book.found(0, [1]), book=book, include_parents=False, neighbor_cross_page=1)
    assert read(made) == [
        ("primary", 1, "Two."),
        ("sibling", 1, "Three."),
        ("cross_page", 1, "One."),
        ("cross_page", 1, "Four."),
    ]
    whole = pack(book.found(0, [1]), book=book)
    assert [(chunk.page, chunk.page_end) for chunk in whole.chunks] == [(2, 2), (1, 3)]
    assert " | Page: 1-3 | " in whole.citations[1]


def test_a_citation_names_the_pages_of_what_is_left_of_a_piece() -> None:
    book = Book("Paper", [(None, ["One here.\n\n", "Two here.\n\n"])], pages=[1, 2])
    primary, rest = pack(book.found(0, [1]), book=book).chunks
    assert (primary.text, primary.page, primary.page_end) == ("Two here.", 2, 2)
    assert (rest.text, rest.page, rest.page_end) == ("One here.", 1, 1)
    assert " | Page: 1 | " in rest.citation


def test_rows_of_a_table_and_items_of_a_list_are_named() -> None:
    texts = ["| day |\n| --- |\n| 1 |\n| 2 |\n\n", "- ebb\n- flow\n- calm\n\n"]
    book = Book("Heights", [("Tides", texts)])
    rows, items = pack(book.found(0, [0]), book=book).chunks
    assert (rows.row_range, rows.item_range) == ((1, 2), None)
    assert rows.citation.endswith(" | Section: Tides | Rows: 1-2")
    assert (items.row_range, items.item_range) == (None, (1, 3))
    assert items.citation.endswith(" | Section: Tides | Items: 1-3")


def test_a_piece_that_was_cut_stands_under_the_headings_of_what_is_left() -> None:
    texts = [f"{name} one is here. " + "More of it follows. " * 20 + "\n\n" for name in ("Low", "High")]
    book = Book("Paper", [("Tides", texts)], pages=[1, 2])
    for n, name in enumerate(("Low", "High")):
        book.children[n] = book.children[n]._replace(heading_path=["Tides", name])
    found = book.found(0, [0, 1])
    low, high = (
        span.model_copy(update={"char_end": span.char_start + 16, "score": score})
        for span, score in zip(
            sorted(found.matched_spans, key=lambda one: one.char_start), (0.4, 0.9), strict=True
        )
    )
    found = found.model_copy(update={"matched_spans": [high, low]})
    (cut,) = pack(found, book=book, final_max_tokens=30, include_parents=False).chunks
    assert cut.text.startswith("High one")
    assert (cut.heading_path, cut.page, cut.page_end) == (["Tides", "High"], 2, 2)
    assert cut.citation.endswith(" | Page: 2 | Section: Tides > High")


def test_passages_come_best_first_each_followed_by_its_rest_neighbours_last() -> None:
    made = pack(TIDES.found(3, [1], rank=0.4), TIDES.found(0, [0], rank=0.9))
    assert read(made) == [
        ("primary", 1, "Spring one."),
        ("parent", 1, "Spring two."),
        ("primary", 2, "Storm two."),
        ("parent", 2, "Storm one. […] Storm three."),
        ("cross_page", 1, "## Low tide Low one."),
        ("cross_page", 1, "Low two."),
        ("cross_page", 2, "Low four."),
        ("cross_page", 2, "Low five."),
    ]
    assert [chunk["number"] for chunk in made.selected_chunks] == list(range(1, 9))


def test_a_rerankers_order_goes_first_and_its_judgements_are_told() -> None:
    judgement = {"relevance_score": 70.0, "answerability": True, "key_evidence": "Spring one."}
    weak, strong = TIDES.found(0, [0], rank=0.2).model_copy(update=judgement), TIDES.found(3, [0], rank=0.9)
    made = pack(strong, weak)
    assert [chunk.text for chunk in made.chunks if chunk.role == "primary"] == ["Spring one.", "Storm one."]
    assert [chunk.relevance_score for chunk in made.chunks if chunk.role == "primary"] == [70, None]
    assert made.explanation.rerank_results == [RerankResult(chunk_id=weak.chunk_id, **judgement)]
    assert pack(strong).trace["rerank_results"] == []


def test_all_that_matched_of_a_passage_is_one_piece_and_nothing_else_of_it() -> None:
    (primary,) = pack(
        TIDES.found(3, [0, 2]), include_parents=False, neighbor_same_page=0, neighbor_cross_page=0
    ).chunks
    assert primary.text == "Storm one.\n\n[…]\n\nStorm three."
    assert [TIDES.markdown[span.char_start : span.char_end] for span in primary.spans] == [
        "Storm one.",
        "Storm three.",
    ]


def test_a_neighbour_stands_as_far_away_as_from_the_nearest_that_matched() -> None:
    book = Book("Sea", [("A", ["Zero.\n\n", "One.\n\n", "Two.\n\n", "Three.\n\n"])])
    made = pack(book.found(0, [0, 3]), book=book, include_parents=False, neighbor_same_page=3)
    assert [(one.role, one.distance, one.outcome) for one in made.explanation.decisions] == [
        ("primary", 0, "included"),
        ("sibling", 1, "included"),
        ("sibling", 1, "included"),
    ]


def test_headings_alone_are_no_neighbours() -> None:
    book = Book("Sea", [("A", ["It matched.\n\n", "### Below\n\n", "It follows.\n\n"])])
    made = pack(book.found(0, [0]), book=book, include_parents=False)
    assert read(made) == [("primary", 1, "It matched."), ("sibling", 1, "It follows.")]


def test_a_passage_of_which_nothing_is_said_to_match_is_taken_whole() -> None:
    (primary,) = pack(TIDES.found(0, []), neighbor_cross_page=0).chunks
    assert primary.text == "Spring one.\n\nSpring two."


def test_what_matched_but_says_nothing_brings_its_passage() -> None:
    book = Book("Signs", [("A", ["***\n\n", "Limpets hold on.\n\n"])])
    assert read(pack(book.found(0, [0]), book=book)) == [("primary", 1, "*** Limpets hold on.")]


def test_only_so_many_passages_make_a_pack_and_the_others_are_told() -> None:
    made = pack(TIDES.found(3, [1], rank=0.4), TIDES.found(0, [0], rank=0.9), return_top_n=1)
    assert {chunk.hit for chunk in made.chunks} == {1}
    (beyond,) = [one for one in made.explanation.decisions if one.hit == 2]
    assert (beyond.outcome, beyond.role) == ("dropped", "primary")
    assert "1 best" in beyond.reason
    assert len(made.explanation.vector_candidates) == 2


def test_a_budget_drops_the_farthest_first_and_tells_each() -> None:
    chunks = TIDES.found(1, [2]), TIDES.found(3, [1], rank=0.5)
    everything = pack(*chunks)
    total = everything.trace["final_token_count"]
    assert pack(*chunks, final_max_tokens=total).context_pack == everything.context_pack
    for budget in range(total, 0, -1):
        made = pack(*chunks, final_max_tokens=budget, min_primary_hits_to_keep=1)
        trace = made.explanation
        assert trace.final_token_count == WORDS.count(made.context_pack)
        assert trace.budget.held == (trace.final_token_count <= budget)
        dropped = [one for one in trace.decisions if one.outcome == "dropped"]
        assert all(one.reason for one in dropped)
        held = [one for one in trace.decisions if one.outcome == "held"]
        assert len(made.chunks) + len(dropped) + len(held) == len(trace.decisions)


def test_the_best_passages_are_cut_to_their_best_sentences_rather_than_dropped() -> None:
    long = Book("Long", [("One", ["Best sentence here. " + "Another one follows it. " * 30])])
    found = long.found(0, [0])
    best = found.matched_spans[0].model_copy(update={"char_end": 19, "text": "Best sentence here."})
    found = found.model_copy(update={"matched_spans": [best]})
    made = pack(found, book=long, final_max_tokens=32)
    assert read(made) == [("primary", 1, "Best sentence here.")]
    kept, rest = made.explanation.decisions
    assert (rest.role, rest.outcome) == ("parent", "dropped")  # it would be what was cut away
    assert (kept.outcome, made.chunks[0].cut, made.explanation.budget.held) == ("cut", True, True)
    assert "best sentences" in kept.reason


def test_what_does_not_fit_whole_is_cut_to_what_stands_nearest_to_what_matched() -> None:
    sentences = [f"Sentence {n} is here." for n in range(40)]
    book = Book(
        "Long", [("One", [" ".join(sentences) + "\n\n", "It matched.\n\n", " ".join(sentences) + "\n\n"])]
    )
    made = pack(book.found(0, [1]), book=book, final_max_tokens=110)
    primary, rest = made.chunks
    assert (primary.role, primary.cut, rest.role, rest.cut) == ("primary", False, "parent", True)
    assert rest.text.startswith("Sentence 3")
    assert rest.text.endswith("is here.")
    assert "Sentence 39 is here.\n\n[…]\n\nSentence 0 is here." in rest.text
    trace = made.explanation
    assert 80 < trace.final_token_count <= 110
    (decision,) = [one for one in trace.decisions if one.role == "parent"]
    assert (decision.outcome, decision.tokens) == ("cut", rest.selected_tokens)
    assert "nearest" in decision.reason


def test_a_budget_below_the_markers_is_exceeded_and_says_so() -> None:
    made = pack(TIDES.found(0, [0]), final_max_tokens=3)
    budget = made.explanation.budget
    assert not budget.held
    assert budget.note
    assert str(made.trace["final_token_count"]) in budget.note
    assert made.trace["final_token_count"] == WORDS.count(made.context_pack) > 3


def books_of_three() -> list[Book]:
    return [
        Book(name, [("One", ["Its best sentence is this one here. It has another.\n\n"])]) for name in "abc"
    ]


def packed_tightly(budget: int, **options: object) -> ContextPack:
    books = books_of_three()
    found = [book.found(0, [0], rank=1 - n / 10) for n, book in enumerate(books)]
    cut = [{"char_end": 35, "text": "Its best sentence is this one here."}] * len(found)
    found = [
        one.model_copy(update={"matched_spans": [one.matched_spans[0].model_copy(update=change)]})
        for one, change in zip(found, cut, strict=True)
    ]
    return assembled(
        result_of(*found),
        "q",
        surroundings(*books),
        tokenizer=WORDS,
        options=ContextOptions(final_max_tokens=budget, **options),  # type: ignore[arg-type]
    )


def test_a_small_budget_keeps_fewer_passages_if_it_may_and_those_whole_sentences() -> None:
    two = WORDS.count("\n\n".join(packed_tightly(10_000).context_pack.split("\n\n")[:2]))
    fewer = packed_tightly(two, keep_fewer=True)
    assert len(fewer.chunks) == 2
    assert all(chunk.text.startswith("Its best sentence is this one here.") for chunk in fewer.chunks)
    assert (fewer.explanation.budget.held, fewer.explanation.budget.min_primary_hits_to_keep) == (True, 2)
    reasons = [one.reason for one in fewer.explanation.decisions if one.number]
    assert all("The 2 best passages are always kept." in reason for reason in reasons)
    told = packed_tightly(two)
    assert (len(told.chunks), told.explanation.budget.min_primary_hits_to_keep) == (3, 3)


def test_of_the_best_passages_the_best_sentences_of_all_come_before_weaker_ones_of_the_first() -> None:
    books = [
        Book(name, [("One", [f"{name} has the best.\n\n", f"{name} has another.\n\n"])]) for name in "ab"
    ]
    scores = {"a": (0.9, 0.2), "b": (0.8, 0.7)}
    found = []
    for book in books:
        chunk = book.found(0, [0, 1], rank=scores[book.name][0])
        spans = [
            span.model_copy(update={"score": score})
            for span, score in zip(chunk.matched_spans, scores[book.name], strict=True)
        ]
        found.append(chunk.model_copy(update={"matched_spans": spans}))

    def packed(budget: int) -> ContextPack:
        options = ContextOptions(final_max_tokens=budget)
        return assembled(result_of(*found), "q", surroundings(*books), tokenizer=WORDS, options=options)

    total = packed(10_000).trace["final_token_count"]
    texts = [" ".join(chunk.text.split()) for chunk in packed(total - 1).chunks]
    assert texts == ["a has the best.", "b has the best. b has another."]


def test_where_not_even_the_best_sentences_fit_each_has_an_equal_share_of_first_words() -> None:
    least = packed_tightly(1).trace["final_token_count"]
    assert [chunk.text for chunk in packed_tightly(least + 3).chunks] == ["Its best"] * 3
    one_more = [*["Its best sentence is"] * 2, "Its best sentence"]  # what is over goes to the better ones
    assert [chunk.text for chunk in packed_tightly(least + 8).chunks] == one_more


def test_no_character_is_cut_from_its_accent() -> None:
    book = Book("Long", [("One", ["e\u0301" * 200 + "\n\n"])])
    for budget in range(150, 156):
        (one,) = assembled(
            result_of(book.found(0, [0])),
            "q",
            surroundings(book),
            tokenizer=ByteTokenizer(),
            options=ContextOptions(final_max_tokens=budget),
        ).chunks
        assert one.text == "e\u0301" * (len(one.text) // 2)


def test_no_word_is_cut_unless_it_is_longer_than_words_are() -> None:
    (one,) = packed_tightly(1, keep_fewer=True).chunks
    assert one.text == "Its"
    book = Book("Long", [("One", ["x" * 400 + "\n\n"])])
    made = assembled(
        result_of(book.found(0, [0])),
        "q",
        surroundings(book),
        tokenizer=ByteTokenizer(),
        options=ContextOptions(final_max_tokens=150),
    )
    assert 1 < len(made.chunks[0].text) < 150
    assert made.explanation.budget.held
    short = Book("Short", [("One", ["Limpets hold on.\n\n"])])
    made = assembled(
        result_of(short.found(0, [0])),
        "q",
        surroundings(short),
        tokenizer=ByteTokenizer(),
        options=ContextOptions(final_max_tokens=1),
    )
    assert made.chunks[0].text == "Limpets"


def test_candidates_are_told_with_all_their_scores() -> None:
    folded = Folded(chunk_id="x", document_id=None, source_url="https://example.org/copy", similarity=0.97)
    more = {"rank_vec": 2, "rank_text": 1, "score_text": 1.5, "found_by": ["vector"], "folded": [folded]}
    found = TIDES.found(0, [0]).model_copy(update=more)
    (candidate,) = pack(found).explanation.vector_candidates
    told = candidate.model_dump()
    assert told.pop("left_out") is None
    assert told == {name: found.model_dump()[name] for name in told}


def test_what_the_search_left_out_is_told_behind_with_the_reason_and_how_it_was_judged() -> None:
    kept = TIDES.found(0, [0]).model_copy(update={"relevance_score": 70.0})
    passed_over = LeftOut(
        chunk_id=UUID(int=7),
        document_id=None,
        source_url="https://example.org/7",
        rank_score=0.4,
        score=0.8,
        raw_similarity=0.9,
        scores=ArmScores(1.5, 0.9, 3, 2),
        found_by=("vector", "words"),
        reason="return_top_n",
    )
    result = result_of(kept)
    weaker = RerankResult(
        chunk_id=UUID(int=7), relevance_score=40, answerability=False, key_evidence="", evidence_dropped=True
    )
    result = result.model_copy(
        update={"left_out": [passed_over], "rerank_results": [*result.rerank_results, weaker]}
    )
    made = assembled(result, "q", surroundings(TIDES), tokenizer=WORDS)
    first, last = made.explanation.vector_candidates
    assert (first.chunk_id, first.left_out) == (kept.chunk_id, None)
    assert last.model_dump() == {
        "chunk_id": UUID(int=7),
        "document_id": None,
        "source_url": "https://example.org/7",
        "rank_score": 0.4,
        "score": 0.8,
        "raw_similarity": 0.9,
        "score_text": 1.5,
        "rank_vec": 2,
        "rank_text": 3,
        "found_by": ["vector", "words"],
        "folded": [],
        "left_out": "return_top_n",
    }
    assert made.explanation.rerank_results[1] == weaker
    assert ContextPack.model_validate_json(made.model_dump_json()) == made


def test_a_pack_survives_json_and_is_the_same_again() -> None:
    made = pack(TIDES.found(1, [2]), TIDES.found(3, [1], rank=0.5), top_k_dense=80)
    assert (made.trace["top_k_dense"], made.trace["return_top_n"]) == (80, 15)
    assert ContextPack.model_validate_json(made.model_dump_json()) == made
    assert json.loads(json.dumps(made.model_dump())) == made.model_dump(mode="json")
    assert ContextTrace.model_validate(made.trace).model_dump(mode="json") == made.trace
    for chunk in made.selected_chunks:
        assert SelectedChunk.model_validate(chunk).model_dump(mode="json") == chunk
    assert pack(TIDES.found(3, [1], rank=0.5), TIDES.found(1, [2]), top_k_dense=80) == made


def test_nothing_found_makes_an_empty_pack() -> None:
    made = pack()
    assert (made.selected_chunks, made.citations, made.context_pack) == ([], [], "")
    assert made.trace["final_token_count"] == 0


def test_html_gives_way_to_markdown() -> None:
    found = TIDES.found(0, [0]).model_copy(update={"surface": "html", "selected_text": "<p>Spring</p>"})
    made = pack(found, neighbor_cross_page=0)
    assert [chunk.text for chunk in made.chunks] == ["Spring one.", "Spring two."]


def test_a_text_that_was_removed_is_known_as_it_was_found_and_told() -> None:
    other = Book("Other", [("X", ["Y.\n\n"])])
    made = assembled(
        result_of(TIDES.found(0, [0]), degraded="No model answers."),
        "q",
        surroundings(other),
        tokenizer=WORDS,
    )
    assert read(made) == [("primary", 1, "Spring one. Spring two.")]
    first, second = made.trace["notes"]
    assert first == "No model answers."
    assert "Tides" in second
    assert "removed" in second


def test_a_word_that_was_read_as_another_is_told() -> None:
    corrected = result_of(TIDES.found(0, [0])).model_copy(
        update={"corrections": [Correction(word="limpts", read_as="limpets")]}
    )
    made = assembled(corrected, "q", surroundings(TIDES), tokenizer=WORDS)
    assert made.trace["notes"] == ["No text holds “limpts”, so it was read as “limpets”."]


def test_setting_the_token_ends_it() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        assembled(result_of(TIDES.found(0, [0])), "q", surroundings(TIDES), tokenizer=WORDS, cancel=cancel)


def test_every_piece_stands_below_its_number_and_citation() -> None:
    made = pack(TIDES.found(0, [0]))
    lines = made.context_pack.splitlines()
    markers = [line for line in lines if re.match(r"\[\d+\] Doc: ", line)]
    assert markers == [f"[{n}] {citation}" for n, citation in enumerate(made.citations, start=1)]
    document = UUID(re.match(r"Doc: (\S+) \| Page: n/a \| Section: Spring tides$", made.citations[0])[1])  # type: ignore[index]
    assert document == TIDES.found(0, [0]).document_id
