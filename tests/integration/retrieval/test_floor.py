"""Questions whose words the library holds find something, also below the floor; foreign ones find nothing."""

from collections.abc import Callable

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.retrieval.contracts.results import RetrievalResult

Ask = Callable[..., RetrievalResult]
UNRELATED = 0.1
REVISION = "A revision in git names a commit."


@pytest.fixture
def git_pages(library: SyntheticLibrary) -> SyntheticLibrary:
    """Pages that all hold one of the question's words, which therefore is worth nothing."""
    texts = [REVISION, "Git shows each revision.", "Any revision of git stays.", "You see git and it works."]
    texts += [
        f"Page {name} of git is here." for name in "one two three four five six seven eight nine ten".split()
    ]
    for number, text in enumerate(texts):
        library.add(f"https://git/{number}", [Section([Passage(text, UNRELATED)])])
    return library


def found(result: RetrievalResult) -> list[str]:
    return [chunk.chunk_text.strip() for chunk in result.chunks]


@pytest.mark.usefixtures("git_pages")
@pytest.mark.parametrize(
    "query",
    [
        "what does the revision say about git",
        "what is told about the revision of git",
        "page with a revision of git",
        'page with a "revision" of git',
    ],
)
def test_a_question_whose_words_are_all_there_finds_something(ask: Ask, query: str) -> None:
    result = ask(query)
    assert REVISION in found(result)
    assert result.degraded is None


@pytest.mark.usefixtures("git_pages")
def test_words_that_are_there_one_by_one_are_enough_in_a_small_library(ask: Ask) -> None:
    assert set(found(ask("see how each revision of git stays there"))) == {
        "Git shows each revision.",
        "Any revision of git stays.",
        "You see git and it works.",
    }


@pytest.mark.usefixtures("git_pages")
def test_words_outside_of_the_scope_are_not_there(ask: Ask) -> None:
    query = "see how each revision of git stays there"
    assert found(ask(query, source_urls=["https://git/3", "https://git/4"])) == []


@pytest.mark.usefixtures("git_pages")
@pytest.mark.parametrize(
    "query",
    [
        "who won the tennis final of Wimbledon",
        "how do limpets say git",
        "is a revision of tax law legal in Peru",
    ],
)
def test_a_question_foreign_to_the_library_finds_nothing(ask: Ask, query: str) -> None:
    assert found(ask(query)) == []


def test_a_hyphenated_word_is_two_words_with_or_without_the_hyphen(
    ask: Ask, library: SyntheticLibrary
) -> None:
    texts = ["A well known limpet.", "A well-known whelk.", "Well, a tide.", "It is known as kelp."]
    texts += [f"Other text {name}." for name in "one two three four five six".split()]
    for number, text in enumerate(texts):
        library.add(f"https://shore/{number}", [Section([Passage(text, UNRELATED)])])
    assert set(found(ask("what is well-known"))) == set(texts[:2])
    best_first = sorted(ask("well-known limpet xylophone").chunks, key=lambda chunk: -chunk.rank_score)
    assert (
        best_first[0].chunk_text.strip() == texts[0]
    )  # most of its words are held, and no phrase is asked for
    alone = ask("well-known").chunks
    assert [chunk.chunk_text.strip() for chunk in alone if "identifier" in chunk.found_by] == texts[1:2]
