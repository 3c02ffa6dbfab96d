"""What a budget leaves of a context pack, what it cuts, and how that is reported."""

from tests.support.context_books import Book, result_of, surroundings
from tests.support.tide_packs import TIDES, WORDS, pack, read
from tests.support.tokenizers import ByteTokenizer
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack


def test_only_so_many_passages_make_a_pack_and_the_others_are_reported() -> None:
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
    reported = packed_tightly(two)
    assert (len(reported.chunks), reported.explanation.budget.min_primary_hits_to_keep) == (3, 3)


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
