"""A quoted phrase of a question leads, whatever the index of the words and the model make of it."""

from collections.abc import Callable
from hashlib import sha256

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.models.questions import LEXICAL_SCORES
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever

Ask = Callable[..., RetrievalResult]
HOLDS = "The oath says to do good and not evil, whoever asks."
# The same lexemes at the same distance, several times and near by meaning.
LACKS = "Is it good but never evil? Good or no evil: good, or else evil."


def add(library: SyntheticLibrary, *texts: str, similarity: float = 0.05, language: str = "en") -> None:
    for text in texts:
        url = f"https://site/{sha256(text.encode()).hexdigest()}"
        library.add(url, [Section([Passage(text, similarity)])], language=language)


def found(result: RetrievalResult) -> list[str]:
    return [chunk.chunk_text.strip() for chunk in result.chunks]


@pytest.mark.parametrize(
    "query",
    [
        '"do good and not evil"',
        '"Do good, and not evil"',
        '"DO GOOD\nAND  NOT EVIL."',
        "“do good and not evil”",
        "„do good and not evil“",
        'What does "do good and not evil" mean, good or evil?',
        '"never seen anywhere" and "do good and not evil"',
        '"evil" "do good and not evil"',
    ],
)
def test_what_holds_a_quoted_phrase_leads(ask: Ask, library: SyntheticLibrary, query: str) -> None:
    text = HOLDS if "good, and" not in query else HOLDS.replace("good and", "good, and")
    add(library, text)
    add(library, LACKS, similarity=0.95)
    for lexical_score in LEXICAL_SCORES:
        result = ask(query, options=RetrievalOptions(lexical_score=lexical_score))
        best = max(result.chunks, key=lambda chunk: chunk.rank_score)
        assert best.chunk_text.strip() == text
        assert found(result)[0] == text


@pytest.mark.parametrize(
    "text",
    [
        "Always do *good* and not evil.",
        "Always do **good and not** `evil`.",
        "Always do good\nand not evil.",
        "> Always do good\n> and not evil.",
        "Always do [good](https://example.org/some/page.html) and not evil.",
        "Always “do good” and not evil.",
        "ALWAYS DO GOOD AND NOT EVIL.",
    ],
)
def test_markup_line_breaks_and_marks_are_no_part_of_it(
    ask: Ask, library: SyntheticLibrary, text: str
) -> None:
    add(library, text)
    add(library, LACKS, similarity=0.95)
    query = '"do good" "and not evil"' if "“" in text else '"do good and not evil"'
    assert found(ask(query))[0] == text


@pytest.mark.parametrize("mode", ["bm25", "ts_rank"])
def test_it_is_found_behind_more_texts_than_are_proposed(
    ask: Ask, library: SyntheticLibrary, mode: str
) -> None:
    decoys = [Passage(f"Good but never evil, good but never evil {n}.", 0.9) for n in range(30)]
    library.add("https://decoys/", [Section([one]) for one in decoys])
    add(library, f"{HOLDS} {'Many other words follow here. ' * 20}")
    options = RetrievalOptions(top_k_children_limit=5, lexical_children_limit=5, lexical_score=mode)  # type: ignore[arg-type]
    assert found(ask('"do good and not evil"', options=options))[0].startswith(HOLDS)


def test_filters_and_exclusions_hold_for_it(ask: Ask, library: SyntheticLibrary) -> None:
    library.add("https://one/", [Section([Passage(HOLDS, 0.05)])])
    library.add(
        "https://two/", [Section([Passage(LACKS, 0.9), Passage("They do good and not evil here.", 0.0)])]
    )
    query = '"do good and not evil"'
    within = ask(query, source_urls=["https://two/"])
    assert {chunk.source_url for chunk in within.chunks} == {"https://two/"}
    assert "good and not" in within.chunks[0].chunk_text
    assert found(ask(f"{query} -oath"))[0].endswith("do good and not evil here.")
    assert HOLDS not in found(ask(f"{query} -oath"))


def test_a_phrase_that_nothing_holds_changes_nothing(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, LACKS, similarity=0.8)
    add(library, "Something else is here.", similarity=0.5)
    plain, quoted = ask("good evil"), ask('"evil does good"')
    assert found(quoted) == found(plain)
    assert [chunk.rank_score for chunk in quoted.chunks] == [chunk.rank_score for chunk in plain.chunks]
    for query in ('""', '"…"', 'a 5" disk', '"unclosed good evil', '"\\" "%" "(" good'):
        assert found(ask(query)) is not None


@pytest.mark.parametrize(
    ("query", "holds", "lacks"),
    [
        ('"limits"', "They set limits.", "A limit, the limit: limited to a limit."),
        ('"C++"', "Written in C++ once.", "C, C, and C."),
        ('"to be or not to be"', "He said to be or not to be.", "Hamlet is not one to be sure of."),
        ('"max_depth"', "Set max\\_depth first.", "max depth max depth max_depths"),
        ('"known"', "It is well-known.", "It was knowingly unknown."),
    ],
)
def test_phrases_of_one_word_and_of_function_words_count_as_they_are_written(
    ask: Ask, library: SyntheticLibrary, query: str, holds: str, lacks: str
) -> None:
    add(library, holds)
    add(library, lacks, similarity=0.9)
    assert found(ask(query))[0] == holds


def test_phrases_of_writing_without_spaces_count(ask: Ask, library: SyntheticLibrary) -> None:
    add(library, "彼は東京都に住む。", language="simple")
    add(library, "京都と東京に住む。", similarity=0.9, language="simple")
    assert found(ask('"東京都"'))[0] == "彼は東京都に住む。"
    assert found(ask("「東京都」"))[0] == "彼は東京都に住む。"


def test_more_phrases_are_ahead_of_fewer_and_depth_comes_after_them(
    ask: Ask, library: SyntheticLibrary
) -> None:
    library.add("https://far/", [Section([Passage("Red foxes and grey wolves.", 0.0)])], depth=9)
    add(library, "Grey wolves alone.", similarity=0.9)
    add(library, "Wolves are grey, foxes red.", similarity=0.95)
    result = ask('"red foxes" "grey wolves"')
    ranked = sorted(result.chunks, key=lambda chunk: -chunk.rank_score)
    assert [chunk.chunk_text.strip() for chunk in ranked] == [
        "Red foxes and grey wolves.",
        "Grey wolves alone.",
        "Wolves are grey, foxes red.",
    ]
    assert all(0 <= chunk.rank_score <= 1 for chunk in result.chunks)


def test_documents_are_ranked_by_it_too(library: SyntheticLibrary) -> None:
    library.add("https://holds/", [Section([Passage(HOLDS, 0.05)])])
    library.add("https://lacks/", [Section([Passage(LACKS, 0.9)])])
    with library.database.connection() as conn:
        bundle = HybridRetriever(conn, None).search(RetrievalPrefs(query_text='"do good and not evil"'))
    assert bundle.candidates[0].source_ref == "https://holds/"
    assert bundle.evidence[0].text.strip() == HOLDS


def test_a_question_without_quotation_marks_asks_the_server_for_no_phrase(
    ask: Ask, library: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(library, HOLDS)

    def unwanted(*_given: object) -> None:
        pytest.fail("a phrase was asked for")

    monkeypatch.setattr("webrag_desktop.storage.searching.postings.ask_phrased", unwanted)
    assert found(ask("do good and not evil")) == [HOLDS]
