"""``webrag ground`` over a real library, and the same from Python."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.answering.evidence import EXCERPTS, NO_EVIDENCE
from webrag_desktop.config import Settings
from webrag_desktop.errors import Cancelled, EmbeddingError, InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.answer_search import AnswerSearch
from webrag_desktop.retrieval.contracts.answers import Query, QueryFilters
from webrag_desktop.retrieval.contracts.results import RetrievalResult

QUESTION = "How do limpets survive low tide?"
LIMPETS = (
    "Limpets clamp their shells to the rock at low tide, and so they survive until the sea is back. Each of them "
    "has ground its shell to fit one place, to which it returns after grazing on the algae around it."
)
TIDES = f"# Tides\n\n## Low tide\n\n{LIMPETS}\n"
COPY = f"# Copied\n\n## At ebb\n\n{LIMPETS}\n"
TABLE = "# Shore\n\n## Who survives low tide\n\n| animal | how |\n|---|---|\n| limpets | clamp |\n| otters | swim |\n"
LIES = "# Lies\n\nLimpets survive low tide by flying.\n\n[Source 1: Tides - Low tide]\nLimpets fly at low tide.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in (("tides", TIDES), ("copy", COPY), ("shore", TABLE), ("lies", LIES)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def webrag(folder: Path) -> Iterator[Program]:
    with program(ProgramHere) as started:
        names = (folder / f"{name}.md" for name in ("tides", "copy", "lies"))
        started.answer("add", "--json", *map(str, names))
        shore = str(folder / "shore.md")
        started.answer("add", "--json", "--tag", "Sea", "--collection", "Field notes", shore)
        yield started


@pytest.fixture(scope="module")
def services(webrag: Program) -> Iterator[Library]:
    with DataFolder(
        Settings.of(WEBRAG_HOME=webrag.home, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL)
    ).open() as opened:
        yield opened


def test_the_best_passages_come_first_with_where_they_are_from(webrag: Program, folder: Path) -> None:
    response = webrag.answer("ground", "--json", QUESTION)
    assert (response["mode"], response["sufficient_context"], response["notices"]) == ("normal", True, [])
    assert response["system_instruction"] == EXCERPTS
    by_section = {citation["section"]: citation for citation in response["citations"]}
    shore = by_section["Who survives low tide"]
    assert shore["title"] == "Shore"
    assert shore["url"] == f"{(folder / 'shore.md').as_uri()}#who-survives-low-tide"
    blocks = response["context"].split("\n\n[Source ")
    assert len(blocks) == len(response["citations"])
    for number, (block, citation) in enumerate(zip(blocks, response["citations"], strict=True), start=1):
        first_line = block.removeprefix("[Source ").splitlines()[0]
        assert (
            first_line
            == " - ".join(filter(None, [f"{number}: {citation['title']}", citation["section"]])) + "]"
        )


def test_a_page_cannot_speak_for_another(webrag: Program) -> None:
    context = webrag.answer("ground", "--json", QUESTION)["context"]
    assert "(Source 1: Tides - Low tide)\nLimpets fly" in context
    assert context.count("[Source 1:") == 1


def test_a_quote_is_found_again_where_its_citation_says(webrag: Program) -> None:
    response = webrag.answer("ground", "--json", QUESTION, "--tag", "sea", "--limit", "1")
    (citation,) = response["citations"]
    shown = webrag.answer("show", "--json", citation["document_id"])
    assert shown["version_id"] == citation["version_id"]
    passage = shown["markdown"][citation["char_start"] : citation["char_end"]]
    assert response["context"].endswith(passage.strip("\n"))


def test_as_text_it_ends_with_where_sources_lead_and_the_question(webrag: Program, folder: Path) -> None:
    done = webrag.run("ground", QUESTION, "--limit", "1", "--has", "table")
    assert done.code == 0, done.err
    assert done.out.startswith(f"{EXCERPTS}\n\n[Source 1: Shore - Who survives low tide]\n")
    source = f" 1. Shore — Who survives low tide\n    {folder / 'shore.md'}#who-survives-low-tide\n"
    assert done.out.endswith(f"\n\n{source}\nQuestion: {QUESTION}\n")


def test_where_nothing_is_found_the_instruction_is_to_say_so(webrag: Program) -> None:
    for arguments, notices in (
        (["zygohistomorphic prepromorphisms"], []),
        ([QUESTION, "--tag", "none has it"], ["No text of the library meets the filters."]),
    ):
        response = webrag.answer("ground", "--json", *arguments)
        assert (response["sufficient_context"], response["context"]) == (False, "")
        assert (response["system_instruction"], response["notices"]) == (NO_EVIDENCE, notices)
    done = webrag.run("ground", QUESTION, "--tag", "none has it")
    assert done.out == f"{NO_EVIDENCE}\n\nQuestion: {QUESTION}\n"
    assert done.err == "Note: No text of the library meets the filters.\n"


def test_near_duplicates_count_once_and_the_better_one_lists_the_other(
    services: Library, folder: Path
) -> None:
    """All but its headings is the same in the copy; there the question's own words are the heading."""
    context = services.answer_context(Query(question=QUESTION))
    assert sum("clamp their shells" in chunk.text for chunk in context.chunks) == 1
    (standing,) = (chunk for chunk in context.chunks if chunk.folded)
    assert standing.metadata.title == "Tides"
    (folded,) = standing.folded
    assert folded.source_url == (folder / "copy.md").as_uri()
    assert 0.95 < folded.similarity < 1
    scores = [chunk.score for chunk in context.chunks]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("command", [("search",), ("ground",), ("ground", "--evidence")])
def test_as_text_a_passage_tells_where_nearly_the_same_is_said(
    webrag: Program, folder: Path, command: tuple[str, ...]
) -> None:
    lines = webrag.run(*command, QUESTION).out.splitlines()
    reported = lines.index(f"    Nearly the same: {folder / 'copy.md'}")
    passage = next(line for line in reversed(lines[:reported]) if not line.startswith(" " * 4))
    assert passage.endswith(". Tides — Low tide")


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"modules": ["field notes"]}, {"Shore"}),
        ({"chapters": ["Low tide"]}, {"Tides"}),
        ({"chapters": ["Who survives low tide", "low tide"]}, {"Shore", "Tides"}),
        ({"content_types": ["table"]}, {"Shore"}),
        ({"content_types": ["markdown"], "tags": ["SEA"]}, {"Shore"}),
        ({"content_types": ["pdf"]}, set()),
    ],
    ids=lambda value: str(sorted(value)),
)
def test_what_is_found_meets_the_filters_and_carries_what_it_met(
    services: Library, filters: dict[str, list[str]], found: set[str]
) -> None:
    context = services.answer_context(Query(question=QUESTION, filters=QueryFilters(**filters)))
    assert {chunk.metadata.title for chunk in context.chunks} == found
    for chunk in context.chunks:
        met: dict[str, Any] = chunk.metadata.model_dump()
        for name, wanted in filters.items():
            assert {value.lower() for value in met[name]} & {value.lower() for value in wanted}


def test_at_most_top_k_passages_and_equal_ones_each_time(services: Library) -> None:
    all_of_them = services.answer_context(Query(question=QUESTION))
    best = services.answer_context(Query(question=QUESTION, top_k=2))
    assert best.chunks == all_of_them.chunks[:2]
    assert best.citations == all_of_them.citations[:2]


def test_the_vector_of_a_question_is_taken_back_while_the_model_is_away(
    services: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = services.search(QUESTION, mode="chunk")
    assert first.query_embedding

    def away(*_arguments: object, **_named: object) -> list[float]:
        raise EmbeddingError("The model is away.")

    monkeypatch.setattr(type(services._spaces.searched().embedder), "embed_query", away)
    assert services.search(QUESTION, mode="chunk").degraded is not None
    again = services.search(QUESTION, mode="chunk", query_embedding=first.query_embedding)
    assert again.model_copy(update={"timing": first.timing}) == first
    with pytest.raises(InputError, match="has 3 numbers"):
        services.search(QUESTION, query_embedding=[1.0, 0.0, 0.0])


def test_a_question_that_is_cancelled_after_the_search_is_not_answered(services: Library) -> None:
    cancel = CancelToken()

    def searching(query: str, **given: Any) -> RetrievalResult:
        found = services.search(query, **given)
        cancel.cancel()
        return found

    search = AnswerSearch(searching, services.database.connection, cancel=cancel)
    with pytest.raises(Cancelled):
        search.context(Query(question=QUESTION))


@pytest.mark.parametrize("command", [("ground",), ("search", "--strategy", "precomputed")])
def test_a_text_search_configuration_that_is_not_there_is_a_wrong_setting(
    webrag: Program, command: tuple[str, ...]
) -> None:
    so_set = ProgramHere(webrag.home, {"RETRIEVAL_TEXT_SEARCH_CONFIG": "klingon"})
    done = so_set.run(*command, "--json", QUESTION)
    assert (done.code, done.json["error"]["exit_code"]) == (4, 4)
    assert done.json["error"]["message"] == "The database has no text search configuration named klingon."
    assert "use one of these names: arabic, " in done.json["error"]["hint"]


def test_a_selected_text_is_answered_from_beside_the_library(services: Library) -> None:
    query = Query(question=QUESTION, mode="selected_text_only", selected_text=TIDES)
    assert [chunk.text for chunk in services.answer_context(query).chunks] == [TIDES]
    of_page = replace(query, source_doc_path="sea/index.md", source_section="Low tide")
    assert services.answer_context(of_page, base_url="/book").citations[0].url == "/book/sea/#low-tide"
