"""Who answers is settled before anything of the library is touched."""

from typing import Any, NoReturn

import pytest

from tests.support.answer_chunks import scored_chunk
from webrag_desktop.errors import WebragError
from webrag_desktop.retrieval.answer_context import answer_context
from webrag_desktop.retrieval.answer_search import AnswerSearch
from webrag_desktop.retrieval.contracts.answers import AnswerContext, Query


class Untouchable:
    """A store that cannot bear being looked at."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(name)

    def __call__(self, *given: object, **named: object) -> NoReturn:
        raise AssertionError(given, named)


STORE: Any = Untouchable()
SEARCH = AnswerSearch(retrieve=STORE, connection=STORE).context


def test_a_selected_text_is_answered_from_without_a_store() -> None:
    query = Query(question="What?", mode="selected_text_only", selected_text="Limpets clamp.")
    assert answer_context(query, STORE).chunks[0].chunk_id == "selection"
    assert answer_context(query, SEARCH).chunks[0].text == "Limpets clamp."


def test_the_normal_mode_does_search_whatever_is_selected() -> None:
    found = AnswerContext(mode="normal", chunks=[scored_chunk("Found.")], citations=[])
    asked: list[Query] = []

    def search(query: Query) -> AnswerContext:
        asked.append(query)
        return found

    query = Query(question="What?", selected_text="Limpets clamp.")
    assert answer_context(query, search) is found
    assert asked == [query]
    with pytest.raises(AssertionError):
        answer_context(query, SEARCH)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (Query(question=""), "no question"),
        (Query(question=" \n"), "no question"),
        (Query(question="", mode="selected_text_only", selected_text="t"), "no question"),
        (Query(question="What?", mode="selected_text_only"), "No text is selected"),
        (Query(question="What?", mode="selected_text_only", selected_text=" "), "No text is selected"),
        (Query(question="What?", mode="selected"), "no mode 'selected'"),  # type: ignore[arg-type]
        (Query(question="What?", top_k=0), "no number of passages"),
        (Query(question="What?", top_k=True), "no number of passages"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_store_is_touched(query: Query, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        answer_context(query, SEARCH)
    assert isinstance(caught.value, WebragError)
    assert caught.value.hint


def test_a_path_is_cited_below_the_base_that_is_given() -> None:
    query = Query(question="q", mode="selected_text_only", selected_text="t", source_doc_path="a/index.md")
    assert answer_context(query, STORE, base_url="/book").citations[0].url == "/book/a/"
