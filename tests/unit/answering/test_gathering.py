"""What of a result a model is given, and which sentences of it can be pointed at."""

import re
from uuid import UUID

import pytest

from tests.support.context_books import Book, result_of, surroundings
from tests.support.found_chunks import spans_of
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.answering.gathering import Gathering, gather_evidence
from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.retrieval.contracts.results import NO_SCORES, LeftOut, RetrievalResult, RetrievedChunk

QUESTION = "How do limpets survive?"
WORDS = WordTokenizer()


def passage(book: Book, number: int, *sentences: str, rank: float = 1.0) -> RetrievedChunk:
    """A passage of a book that these sentences were matched in, best first."""
    found = book.found(number, [], rank=rank)
    spans = spans_of(found.chunk_text, *sentences, start=found.char_start)
    return found.model_copy(update={"matched_spans": spans})


def gathered(
    result: RetrievalResult, *books: Book, room: int = 10_000, sentences: int = 30, question: str = QUESTION
) -> AnswerEvidence:
    def pack(result: RetrievalResult, query: str, tokens: int) -> ContextPack:
        options = ContextOptions(final_max_tokens=tokens, keep_fewer=True)
        return assembled(result, query, surroundings(*books), tokenizer=WORDS, options=options)

    by = Gathering(lambda _question, _tokens: result, pack, WORDS, room, sentences)
    return gather_evidence(Query(question=question), by)


def whole(*chunks: RetrievedChunk) -> RetrievalResult:
    return result_of(*chunks).model_copy(update={"mode": "full_context"})


def pointed(evidence: AnswerEvidence) -> list[str]:
    return [one.markdown for one in evidence.sentences]


def assert_verbatim(evidence: AnswerEvidence, *books: Book) -> None:
    texts = {book.version: book.markdown for book in books}
    for one in evidence.sentences:
        assert one.version_id is not None
        assert texts[one.version_id][one.char_start : one.char_end] == one.markdown


TIDES = Book(
    "tides",
    [
        ("Low tide", ["## Low tide\n\nLimpets clamp. ", "They wait for the sea.\n\n"]),
        ("High tide", ["## High tide\n\nLimpets graze. ", "Otters swim.\n"]),
    ],
)


def test_retrieval_says_which_are_best_and_ids_are_numbered_as_they_are_read() -> None:
    low, high = (
        passage(TIDES, 0, "They wait for the sea."),
        passage(TIDES, 1, "Limpets graze.", "Otters swim."),
    )
    evidence = gathered(whole(low, high))
    assert_verbatim(evidence, TIDES)
    assert [(one.id, one.markdown, one.source) for one in evidence.sentences] == [
        ("s2", "They wait for the sea.", 1),
        ("s3", "Limpets graze.", 2),
        ("s4", "Otters swim.", 2),
        ("s1", "Limpets clamp.", 1),
    ]
    assert evidence.grounded.context == (
        "[Sources 1-2: tides - https://example.org/tides]\n\n"
        "[Source 1: tides - Low tide]\n## Low tide\n\n[s1] Limpets clamp. [s2] They wait for the sea.\n\n"
        "[Source 2: tides - High tide]\n## High tide\n\n[s3] Limpets graze. [s4] Otters swim."
    )
    assert evidence.tokens == WORDS.count(evidence.grounded.context)


def test_only_so_many_get_an_id_and_every_source_one_where_that_is_possible() -> None:
    low = passage(TIDES, 0, "Limpets clamp.", "They wait for the sea.")
    high = passage(TIDES, 1, "Otters swim.", rank=0.5)
    assert pointed(gathered(whole(low, high), sentences=2)) == ["Limpets clamp.", "Otters swim."]
    assert pointed(gathered(whole(low, high), sentences=1)) == ["Limpets clamp."]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("# T\n\n| a | b |\n|---|---|\n| limpets | clamp |\n", ["| a | b |", "| limpets | clamp |"]),
        ("- Limpets clamp.\n- Otters swim.\n1. One more.\n", ["Limpets clamp.", "Otters swim.", "One more."]),
        ("```python\nx = 1\nprint(x)\n```\n", ["x = 1", "print(x)"]),
        (
            "So:\n\n$$x^2 + y^2 = z^2$$\n\nThen $a = b$ holds.\n",
            ["So:", "$$x^2 + y^2 = z^2$$", "Then $a = b$ holds."],
        ),
        ("## A\n\n### B\n\nText.\n\n***\n\n2.1\n\n[a]: https://x.org/?y=1\n", ["Text."]),
        ("Low\n===\n\nText.\n", ["Text."]),
    ],
)
def test_rows_items_lines_and_formulas_are_sentences_and_headings_are_none(
    text: str, sentences: list[str]
) -> None:
    book = Book("b", [(None, [text])])
    evidence = gathered(whole(passage(book, 0)))
    assert sorted(pointed(evidence), key=text.index) == sentences
    assert_verbatim(evidence, book)


def test_a_sentence_over_the_border_of_two_passages_is_whole() -> None:
    book = Book("b", [("A", ["Limpets clamp when the sea "]), ("B", ["goes out at night. Otters swim."])])
    evidence = gathered(whole(passage(book, 0), passage(book, 1, "goes out at night.")))
    assert_verbatim(evidence, book)
    assert pointed(evidence) == ["Limpets clamp when the sea goes out at night.", "Otters swim."]
    assert [one.source for one in evidence.sentences] == [1, 2]


def test_a_sentence_over_the_border_of_what_a_pack_holds_is_read_whole() -> None:
    """Children are cut within sentences; what matched is one of them, and the rest has no room."""
    tail = "goes out at night. " + "Otters swim in kelp all day. " * 40
    book = Book("b", [("A", ["Limpets clamp when the sea ", tail])])
    found = passage(book, 0, "Limpets clamp when the sea ")
    evidence = gathered(result_of(found), book, room=100)
    assert_verbatim(evidence, book)
    assert evidence.sentences[0].markdown == "Limpets clamp when the sea goes out at night."
    assert "[s1] Limpets clamp when the sea goes out at night." in evidence.grounded.context


def test_nor_does_what_matched_begin_within_a_sentence() -> None:
    """Of the child that matched only its best sentence has room, which began in the one before."""
    book = Book("b", [("A", ["Limpets clamp when the sea ", f"goes out at night. Otters {'swim ' * 200}."])])
    evidence = gathered(result_of(passage(book, 0, "goes out at night.")), book, room=100, sentences=1)
    assert_verbatim(evidence, book)
    assert evidence.grounded.context.endswith("]\n[s1] Limpets clamp when the sea goes out at night.")


def test_a_sentence_that_has_no_room_is_pointed_at_whole_and_read_in_part() -> None:
    book = Book("b", [("A", ["Limpets clamp " + "and clamp " * 40, "when the sea goes out."])])
    evidence = gathered(result_of(passage(book, 0, "when the sea goes out.")), book, room=60, sentences=1)
    assert_verbatim(evidence, book)
    assert evidence.sentences[0].markdown == book.markdown
    assert evidence.grounded.context.endswith(" clamp and clamp")
    assert evidence.tokens <= 60


def test_of_more_sources_than_ids_the_best_sentences_still_have_half_of_them() -> None:
    best = Book("best", [("A", ["One clamps. Two clamps. Three clamps. Four clamps.\n"])])
    others = [Book(f"b{n}", [("A", [f"Limpet {n} grazes.\n"])]) for n in range(6)]
    matched = passage(best, 0, "One clamps.", "Two clamps.", "Three clamps.", "Four clamps.")
    weaker = [
        found.model_copy(update={"matched_spans": [found.matched_spans[0].model_copy(update={"score": 0.5})]})
        for found in (passage(book, 0, book.markdown.strip()) for book in others)
    ]
    evidence = gathered(whole(matched, *weaker), sentences=4)
    assert pointed(evidence) == ["One clamps.", "Two clamps.", "Three clamps.", "Limpet 0 grazes."]


def test_of_a_pack_only_what_is_left_out_leaves_a_gap() -> None:
    """Its pieces have no white space around them; the rest of a passage goes with what matched in its order."""
    book = Book(
        "b", [("A", ["Crabs hide.\n\n", "Limpets clamp.\n\n", "Gulls fly. " * 90 + "\n\n", "Seals dive.\n"])]
    )
    evidence = gathered(result_of(passage(book, 0, "Limpets clamp.")), book)
    assert "[…]" not in evidence.grounded.context
    assert "Crabs hide.\n\n[s2] Limpets clamp." in evidence.grounded.context
    assert_verbatim(evidence, book)
    shorter = gathered(result_of(passage(book, 0, "Crabs hide.", "Seals dive.")), book, room=110, sentences=2)
    context = shorter.grounded.context
    assert (
        context.index("[s1] Crabs hide.")
        < context.index("fly.\n\n[…]\n\nGulls")
        < context.index("[s2] Seals dive.")
    )


def test_what_stands_around_under_another_heading_is_a_source_of_its_own() -> None:
    book = Book(
        "b", [("A", ["## A\n\nLimpets clamp.\n\n"]), ("B", ["Otters swim.\n\n"]), ("C", ["Seals dive.\n"])]
    )
    evidence = gathered(result_of(passage(book, 0, "Limpets clamp.")), book)
    assert evidence.grounded.context == (
        "[Source 1: b - A]\n## A\n\n[s1] Limpets clamp.\n\n[Source 2: b - B]\n[s2] Otters swim.\n\n"
        "[Source 3: b - C]\n[s3] Seals dive."
    )
    assert [one.section for one in evidence.grounded.citations] == ["A", "B", "C"]
    assert [chunk.section_heading for chunk in evidence.chunks] == ["A", "A", "A"]
    assert_verbatim(evidence, book)


def test_copies_share_one_id_and_short_ones_do_not() -> None:
    one = Book("one", [("A", ["Limpets *clamp* their shells to rock. Yes.\n"])])
    two = Book("two", [("B", ["Limpets clamp their shells to rock! Yes.\n"])])
    first = passage(one, 0)
    second = passage(two, 0, "Limpets clamp their shells to rock!")
    evidence = gathered(whole(first, second))
    context = evidence.grounded.context
    assert re.findall(r"\[(s\d)\] (\w+)", context) == [
        ("s1", "Limpets"),
        ("s2", "Yes"),
        ("s1", "Limpets"),
        ("s3", "Yes"),
    ]
    assert evidence.sentences[0].version_id == two.version
    assert_verbatim(evidence, one, two)


def test_the_weakest_are_left_out_and_counted() -> None:
    books = [Book(f"b{n}", [("A", [f"Number {n} says " + "a lot " * 40 + ".\n"])]) for n in range(4)]
    chunks = [passage(book, 0, rank=rank) for book, rank in zip(books, [0.2, 0.9, 0.1, 0.5], strict=True)]
    beyond = LeftOut(UUID(int=7), None, "u", 0.1, 0.1, None, NO_SCORES, (), "context_budget")
    folded = beyond._replace(chunk_id=UUID(int=8), reason="near_duplicate")
    result = whole(*chunks).model_copy(update={"left_out": [beyond, folded]})
    evidence = gathered(result, room=340)
    assert [chunk.title for chunk in evidence.chunks] == ["b1", "b3"]
    assert evidence.left_out == 3
    assert evidence.grounded.notices == [
        "The library is longer than the model reads at once: 3 of its passages were not sent."
    ]


def test_one_passage_larger_than_everything_is_cut_to_its_best_sentences_and_says_so() -> None:
    text = " ".join(f"Number {n} is here." for n in range(200))
    book = Book("b", [("A", [text])])
    for result in (
        whole(passage(book, 0, "Number 150 is here.")),
        result_of(passage(book, 0, "Number 150 is here.")),
    ):
        evidence = gathered(result, book, room=120)
        assert evidence.sentences[0].markdown == "Number 150 is here."
        assert "Number 150 is here." in evidence.grounded.context
        assert evidence.tokens <= 120
        assert evidence.grounded.notices == [
            "The best passage is longer than the model reads at once: only its best sentences were sent."
        ]
        assert_verbatim(evidence, book)


def test_a_single_sentence_larger_than_everything_is_cut_between_words() -> None:
    book = Book("b", [("A", ["word " * 2000])])
    evidence = gathered(whole(passage(book, 0)), room=100)
    assert 0 < evidence.tokens <= 100
    assert evidence.grounded.context.endswith(" word word")


def test_nothing_found_is_nothing_to_answer_from() -> None:
    result = result_of(degraded="Only words were searched.")
    stats = result.corpus_stats.model_copy(update={"total_parent_chunks": 9})
    evidence = gathered(result.model_copy(update={"corpus_stats": stats}))
    assert not evidence.grounded.sufficient_context
    assert evidence.grounded.notices == ["Only words were searched."]
    assert (evidence.sentences, evidence.marks) == ((), ())


TABLE = "<table><tr><th colspan='2'>Who</th></tr><tr><td>limpets</td><td>clamp</td></tr></table>"
MARKDOWN = "| Who |  |\n|---|---|\n| limpets | clamp |\n\nLet $x2$ be.\n"


def with_html(book: Book, html: str, *sentences: str) -> RetrievedChunk:
    return passage(book, 0, *sentences).model_copy(
        update={"selected_text": html, "surface": "html", "has_math": True, "has_table": True}
    )


def test_html_is_read_where_markdown_is_lossy_with_ids_at_the_same_sentences() -> None:
    book = Book("b", [("A", [MARKDOWN])])
    math = "<p>Let <math><msup><mi>x</mi><mn>2</mn></msup></math> be.</p>"
    evidence = gathered(whole(with_html(book, TABLE + math, "| limpets | clamp |")))
    assert evidence.grounded.context.partition("]\n\n")[2] == (
        '[Source 1: b - A]\n<table>\n<tr><th colspan="2">[s1] Who</th></tr>\n'
        "<tr><td>[s2] limpets</td><td>clamp</td></tr>\n</table>\n[s3] Let $x^{2}$ be."
    )
    assert evidence.sentences[0].markdown == "| limpets | clamp |"
    assert_verbatim(evidence, book)


def test_markdown_is_read_where_the_html_lacks_a_sentence_that_has_an_id() -> None:
    book = Book("b", [("A", [MARKDOWN])])
    math = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
    evidence = gathered(whole(with_html(book, f"{TABLE}<p>Other words {math}.</p>")))
    assert "[s2] | limpets | clamp |\n\n[s3] Let $x^{2}$ be." in evidence.grounded.context
    few = gathered(
        whole(with_html(book, f"{TABLE}<p>Other words {math}.</p>", "| limpets | clamp |")), sentences=1
    )
    assert "<td>[s1] limpets</td>" in few.grounded.context


def test_formulas_of_a_pack_are_latex_too() -> None:
    book = Book("b", [("A", ["Let $x2$ be. Limpets clamp.\n"])])
    html = "<p>Let <math><msup><mi>x</mi><mn>2</mn></msup></math> be. Limpets clamp.</p>"
    evidence = gathered(result_of(with_html(book, html, "Limpets clamp.")), book)
    assert evidence.grounded.context == "[Source 1: b - A]\n[s1] Let $x^{2}$ be. [s2] Limpets clamp."
    assert_verbatim(evidence, book)


def selected(
    text: str, place: SelectedFrom | None = None, *, room: int = 1000, sentences: int = 30
) -> AnswerEvidence:
    def never(*_: object) -> RetrievalResult:
        raise AssertionError

    by = Gathering(never, never, WORDS, room, sentences)  # type: ignore[arg-type]
    query = Query(question=QUESTION, mode="selected_text_only", selected_text=text)
    return gather_evidence(query, by, selected_from=place, document_id=UUID(int=2) if place else None)


def test_a_selected_text_is_all_there_is_and_its_words_say_which_is_best() -> None:
    text = "Otters swim. A limpet [s9] clamps, and so it survives. Seals dive."
    evidence = selected(text, sentences=2)
    assert (
        evidence.grounded.context
        == "[s1] Otters swim. [s2] A limpet (s9) clamps, and so it survives. Seals dive."
    )
    assert [(one.id, one.char_start) for one in evidence.sentences] == [("s2", 13), ("s1", 0)]
    assert evidence.sentences[0].score > evidence.sentences[1].score == 0


def test_a_selection_of_the_library_counts_in_its_version() -> None:
    evidence = selected("Otters swim. Seals dive.", SelectedFrom(UUID(int=1), 100, 124))
    assert {(one.version_id, one.document_id) for one in evidence.sentences} == {(UUID(int=1), UUID(int=2))}
    assert sorted((one.char_start, one.char_end) for one in evidence.sentences) == [(100, 112), (113, 124)]


def test_a_selection_larger_than_everything_is_cut_and_says_so() -> None:
    text = " ".join(f"Number {n} is here." for n in range(200)) + " Limpets survive."
    evidence = selected(text, room=120)
    assert evidence.sentences[0].markdown == "Limpets survive."
    assert evidence.tokens <= 120
    assert evidence.grounded.notices == [
        "The selected text is longer than the model reads at once: only its best sentences were sent."
    ]


def test_no_selection_is_refused() -> None:
    with pytest.raises(InputError, match="No text is selected"):
        selected("  ")
