"""The trace of a context pack in words."""

from uuid import UUID

from tests.support.context_books import Book, result_of, surroundings
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.cli.commands.context import explanation
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.results import NO_SCORES, LeftOut, LeftOutFor

BOOK = Book(
    "Tides", [("Low", ["Limpets hold on.\n\n", "They graze.\n\n"]), ("Storms\x1b[1m", ["Gauges.\n\n"])]
)


def reported(budget: int = 12000, **judgement: object) -> list[str]:
    found = result_of(BOOK.found(0, [0]).model_copy(update=judgement))
    options = ContextOptions(final_max_tokens=budget)
    pack = assembled(found, "q", surroundings(BOOK), tokenizer=WordTokenizer(), options=options)
    return [line for line, _ in explanation(pack)]


def test_every_piece_is_reported_with_its_place_extent_tokens_and_reason() -> None:
    lines = reported()
    assert lines[0].endswith(" of 12000 tokens, counted by words.")
    assert "[1] passage 1, what matched: Tides > Low (0-16)" in lines
    reason = lines[lines.index("[2] passage 1, the rest of the passage: Tides > Low (18-29)") + 1]
    assert reason.startswith("    In the pack (")
    assert reason.endswith(" tokens). It is the rest of passage 1.")
    held = lines[lines.index(" -  passage 1, beside it: Tides > Low (18-31)") + 1]
    assert held == "    In the pack already. All of its text is in other pieces of the pack already."
    assert "Beside it: 1 looked at, 0 in the pack (0 tokens), 1 in it already, 0 left out." in lines
    assert not any("\x1b" in line for line in lines)


def test_a_budget_that_is_not_held_is_said_first() -> None:
    assert "Even a few first words" in reported(2)[0]


def test_a_rerankers_work_is_reported() -> None:
    judged = reported(relevance_score=70.0, answerability=True, key_evidence="Limpets")
    assert any("1 of them were judged again" in line for line in judged)
    assert not any("judged again" in line for line in reported())


def test_what_the_search_left_out_is_reported_with_the_reason() -> None:
    found = result_of(BOOK.found(0, [0]))
    reasons: list[LeftOutFor] = ["near_duplicate", "context_budget", "return_top_n", "context_budget"]
    left_out = [
        LeftOut(UUID(int=n), None, "https://example.org/", 0.1, 0.1, None, NO_SCORES, (), reason)
        for n, reason in enumerate(reasons)
    ]
    found = found.model_copy(update={"left_out": left_out})
    pack = assembled(found, "q", surroundings(BOOK), tokenizer=WordTokenizer())
    lines = [line for line, _ in explanation(pack)]
    assert lines[1] == "5 passages were found; at most the best 15 go into the pack."
    assert lines[2:5] == [
        "The search itself left out 1, since a better one says nearly the same.",
        "The search itself left out 1, since a model judged enough others to be better.",
        "The search itself left out 2, since it gives only so much text.",
    ]
    assert not any("left out" in line for line in reported()[:3])
