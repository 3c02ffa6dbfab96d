"""Context packs field by field and by example: what is in them, in which order, and what they say of it."""

import json
import re
from uuid import UUID

import pytest

from tests.support.context_books import Book, result_of, surroundings
from tests.support.tide_packs import TIDES, WORDS, pack, read
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack, ContextTrace, SelectedChunk
from webrag_desktop.retrieval.contracts.results import ArmScores, Correction, Folded, LeftOut


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
    reported = ContextOptions()
    assert (reported.neighbor_same_page, reported.neighbor_cross_page, reported.include_parents) == (
        1,
        2,
        True,
    )
    assert (reported.final_max_tokens, reported.min_primary_hits_to_keep, reported.return_top_n) == (
        12000,
        3,
        15,
    )


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


def test_a_rerankers_order_goes_first_and_its_judgements_are_reported() -> None:
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


def test_candidates_are_reported_with_all_their_scores() -> None:
    folded = Folded(chunk_id="x", document_id=None, source_url="https://example.org/copy", similarity=0.97)
    more = {"rank_vec": 2, "rank_text": 1, "score_text": 1.5, "found_by": ["vector"], "folded": [folded]}
    found = TIDES.found(0, [0]).model_copy(update=more)
    (candidate,) = pack(found).explanation.vector_candidates
    reported = candidate.model_dump()
    assert reported.pop("left_out") is None
    assert reported == {name: found.model_dump()[name] for name in reported}


def test_what_the_search_left_out_is_reported_behind_with_the_reason_and_how_it_was_judged() -> None:
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


def test_a_text_that_was_removed_is_known_as_it_was_found_and_reported() -> None:
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


def test_a_word_that_was_read_as_another_is_reported() -> None:
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
