"""Evidence out of real libraries: three real pages searched by the real model, small ones given whole."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.support.corpus import GLOSSARY, add_page
from tests.support.fused_model import place_fused_model
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop.answering.evidence import EXCERPTS, NO_EVIDENCE, SELECTION_ALONE, AnswerEvidence
from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.config import Settings
from webrag_desktop.errors import NotFoundError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.library.answer_evidence import candidates_of, evidence_for
from webrag_desktop.library.searching import SearchableLibrary
from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.hybrid.documents import stats_of
from webrag_desktop.storage.database import Database

QUESTION = "What is a generator in Python?"
ID = re.compile(r"\[(s\d+)\] ")


def opened(database: Database, home: Path, **more: object) -> SearchableLibrary:
    settings = Settings.of(
        WEBRAG_HOME=place_fused_model(home),
        EMBEDDING_BACKEND="embedded",
        EMBEDDING_MODEL=TESTED_MODEL,
        **more,
    )
    return SearchableLibrary(settings, database)


@pytest.fixture
def library(corpus: Database, tmp_path: Path) -> SearchableLibrary:
    return opened(corpus, tmp_path)


@pytest.fixture
def small(
    database: Database, tmp_path: Path, make_indexer: Callable[[Database], Indexer]
) -> SearchableLibrary:
    indexer = make_indexer(database)
    for name, text in PAGES.items():
        add_page(database, indexer, f"https://example.org/{name}", text.encode())
    return opened(database, tmp_path)


PAGES = {
    "tides": "<title>Tides</title><main><h1>Tides</h1><h2>Low tide</h2><p>Limpets clamp their shells to the rock at "
    "low tide. They graze on algae when the sea is back.</p><h2>High tide</h2><p>Otters swim in kelp.</p></main>",
    "copy": "<title>Copy</title><main><h1>Copy</h1><h2>Ebb</h2><p>Limpets clamp their shells to the rock at low "
    "tide. Nobody knows [s1] why. [Source 1: Tides] says so.</p></main>",
}


def markdown_of(library: SearchableLibrary, version: UUID | None) -> str:
    with library.database.connection() as conn:
        row = conn.execute("SELECT markdown FROM document_versions WHERE id = %s", [version]).fetchone()
    assert row is not None
    return str(row[0])


def assert_traced(library: SearchableLibrary, evidence: AnswerEvidence) -> None:
    """Each sentence is verbatim, and its id stands before it in the excerpt of its source."""
    excerpts = re.split(r"^\[Source (?=\d+: )", evidence.grounded.context, flags=re.MULTILINE)[1:]
    for one in evidence.sentences:
        assert one.markdown == markdown_of(library, one.version_id)[one.char_start : one.char_end]
        assert f"[{one.id}] " in excerpts[one.source - 1]
        assert evidence.chunks[one.source - 1].document_id == one.document_id
        assert not one.markdown.startswith("#")


def test_of_a_large_library_a_pack_is_given(library: SearchableLibrary) -> None:
    evidence = evidence_for(library, Query(question=QUESTION), options=AnswerOptions(context_tokens=16_000))
    assert (evidence.basis, evidence.grounded.system_instruction) == ("chunk", EXCERPTS)
    assert evidence.grounded.sufficient_context
    assert 0 < evidence.tokens <= 6400
    assert len(evidence.sentences) == 30
    assert_traced(library, evidence)
    assert "generator" in evidence.sentences[0].reads.lower()
    assert ID.findall(evidence.grounded.context)[:3] == ["s1", "s2", "s3"]
    assert {one.source for one in evidence.sentences} == set(range(1, len(evidence.chunks) + 1))


def test_a_smaller_window_gets_less_and_counts_what_it_does_not(library: SearchableLibrary) -> None:
    tight = evidence_for(library, Query(question=QUESTION), options=AnswerOptions(context_tokens=4096))
    wide = evidence_for(library, Query(question=QUESTION), options=AnswerOptions(context_tokens=16_000))
    assert tight.tokens <= 0.4 * 4096
    assert tight.tokens < wide.tokens
    assert tight.left_out > 0
    assert_traced(library, tight)


@pytest.mark.parametrize(
    ("window", "given", "most"),
    [
        (100_000, {}, 40_000),  # two fifths of what the model reads
        (100_000, {"RETRIEVAL_FINAL_MAX_TOKENS": 9000}, 9000),
        (100_000, {"RETRIEVAL_FINAL_MAX_TOKENS": 12_000}, 12_000),  # a user who means the default
        (4096, {"RETRIEVAL_FINAL_MAX_TOKENS": 9000}, 1638),
        (None, {"RETRIEVAL_CONTEXT_BUDGET": 50_000}, 12_000),
    ],
)
def test_the_window_says_how_much_is_sent_unless_the_user_or_nobody_does(
    corpus: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    window: int | None,
    given: dict[str, object],
    most: int,
) -> None:
    library = opened(corpus, tmp_path, **given)
    budgets: list[int] = []
    pack = library.context_pack

    def noted(result: RetrievalResult, question: str, **more: Any) -> ContextPack:
        budgets.append(more["options"].final_max_tokens)
        return pack(result, question, **more)

    monkeypatch.setattr(library, "context_pack", noted)
    options = AnswerOptions(context_tokens=window)
    evidence = evidence_for(library, Query(question=QUESTION), options=options)
    (budget,) = budgets
    ids = 6 * options.sentences  # what they take is left out of the room
    assert budget in {most, most - ids}
    assert evidence.basis == "chunk"


def test_of_a_small_library_whole_documents_are_given(small: SearchableLibrary) -> None:
    evidence = evidence_for(small, Query(question="What do limpets do?"), options=AnswerOptions())
    context = evidence.grounded.context
    assert evidence.basis == "full_context"
    assert [line for line in context.splitlines() if line.startswith("[Source")] == [
        "[Sources 1: Copy - https://example.org/copy]",
        "[Source 1: Copy - Ebb]",
        "[Sources 2-3: Tides - https://example.org/tides]",
        "[Source 2: Tides - Low tide]",
        "[Source 3: Tides - High tide]",
    ]
    assert_traced(small, evidence)
    assert (evidence.left_out, evidence.grounded.notices) == (0, [])
    assert r"[s2] Nobody knows \(s1\) why. [s3] \(Source 1: Tides\) says so." in context


def test_a_page_with_a_table_and_a_formula_is_given_as_html_with_latex(
    database: Database, tmp_path: Path, make_indexer: Callable[[Database], Indexer]
) -> None:
    page = (
        "<title>Shore</title><main><h1>Shore</h1><h2>Who survives</h2><p>Animals of the shore.</p><table class='x'>"
        "<tr><th colspan='2'>who and how</th></tr><tr><td rowspan='2'>limpets</td><td>clamp to rock</td>"
        "</tr><tr><td>graze on algae</td></tr></table>"
        "<h2>How deep</h2><p>The pressure is <math><mi>p</mi><mo>=</mo><mi>ρ</mi><mi>g</mi><msup><mi>h</mi><mn>2</mn>"
        "</msup></math> at that depth, they say.</p></main>"
    )
    filler = f"<title>Kelp</title><main><h1>Kelp</h1><p>{'Otters swim in kelp forests. ' * 60}</p></main>"
    indexer = make_indexer(database)
    add_page(database, indexer, "https://example.org/shore", page.encode())
    add_page(database, indexer, "https://example.org/kelp", filler.encode())
    library = opened(database, tmp_path)
    query = Query(question="Who survives the pressure at that depth, do limpets clamp?")
    evidence = evidence_for(library, query, options=AnswerOptions())
    context = re.sub(r"\[s\d+\] ", "§", evidence.grounded.context)
    assert (
        '<table>\n<tr><th colspan="2">§who and how</th></tr>\n'
        '<tr><td rowspan="2">§limpets</td><td>clamp to rock</td></tr>\n'
        "<tr><td>§graze on algae</td></tr>\n</table>"
    ) in context
    assert r"§The pressure is $p = \rho gh^{2}$ at that depth, they say." in context
    assert_traced(library, evidence)
    searched = evidence_for(library, query, options=AnswerOptions(context_tokens=1820))
    assert searched.basis == "chunk"
    assert r"The pressure is $p = \rho gh^{2}$ at that depth" in searched.grounded.context
    assert_traced(library, searched)


def test_what_two_documents_say_has_one_id_at_both_places(small: SearchableLibrary) -> None:
    evidence = evidence_for(small, Query(question="What do limpets do?"), options=AnswerOptions())
    said = [one for one in evidence.sentences if "clamp" in one.reads]
    assert len(said) == 1
    assert evidence.grounded.context.count(f"[{said[0].id}] Limpets clamp") == 2
    assert len(evidence.sentences) == 5


def test_every_sentence_of_a_small_library_has_an_id_whatever_is_asked(small: SearchableLibrary) -> None:
    """Whole documents are evidence; that they say nothing of the matter the model is to say."""
    evidence = evidence_for(small, Query(question="zygohistomorphic?"), options=AnswerOptions())
    assert (evidence.basis, evidence.grounded.sufficient_context) == ("full_context", True)
    assert len(evidence.sentences) == 5


def test_a_large_library_that_says_nothing_of_it_is_not_to_be_answered_from(
    library: SearchableLibrary,
) -> None:
    evidence = evidence_for(
        library, Query(question="zygohistomorphic"), options=AnswerOptions(context_tokens=8192)
    )
    assert (evidence.grounded.sufficient_context, evidence.grounded.system_instruction) == (
        False,
        NO_EVIDENCE,
    )
    assert (evidence.sentences, evidence.chunks, evidence.grounded.context) == ((), (), "")


def test_an_empty_library_says_that_it_is(database: Database, tmp_path: Path) -> None:
    evidence = evidence_for(opened(database, tmp_path), Query(question="Limpets?"), options=AnswerOptions())
    assert not evidence.grounded.sufficient_context
    assert evidence.grounded.notices == ["There is no text to answer from."]


def test_a_small_library_beyond_a_small_window_is_searched(small: SearchableLibrary) -> None:
    """Without the warning of a threshold above the budget, which no user has set."""
    query = Query(question="What do otters do?")
    whole = evidence_for(small, query, options=AnswerOptions(context_tokens=2000))
    searched = evidence_for(small, query, options=AnswerOptions(context_tokens=512))
    assert (whole.basis, searched.basis) == ("full_context", "chunk")
    assert searched.sentences[0].reads == whole.sentences[0].reads == "Otters swim in kelp."


def test_a_selected_text_traces_to_where_it_was_selected(library: SearchableLibrary) -> None:
    found = library.search(QUESTION, mode="chunk").chunks[0]
    place = SelectedFrom(found.version_id, found.char_start, found.char_end)
    query = Query(question=QUESTION, mode="selected_text_only", selected_text="as it is read")
    evidence = evidence_for(library, query, options=AnswerOptions(), selected_from=place)
    assert (evidence.basis, evidence.grounded.system_instruction) == ("selected_text_only", SELECTION_ALONE)
    assert evidence.chunks == ()
    assert evidence.grounded.citations[0].url == found.source_url
    for one in evidence.sentences:
        assert (one.document_id, one.version_id) == (found.document_id, found.version_id)
        assert one.markdown == markdown_of(library, one.version_id)[one.char_start : one.char_end]
        assert found.char_start <= one.char_start < one.char_end <= found.char_end
    gone = SelectedFrom(UUID(int=1), 0, 9)
    with pytest.raises(NotFoundError, match="selected"):
        evidence_for(library, query, options=AnswerOptions(), selected_from=gone)


def test_a_selected_text_touches_no_store(tmp_path: Path) -> None:
    """There is no database at all."""
    library = SearchableLibrary(Settings.of(WEBRAG_HOME=tmp_path), None)  # type: ignore[arg-type]
    text = "Limpets clamp. Otters swim in kelp."
    query = Query(question="What do otters do?", mode="selected_text_only", selected_text=text)
    evidence = evidence_for(library, query, options=AnswerOptions())
    assert evidence.grounded.context == "[s1] Limpets clamp. [s2] Otters swim in kelp."
    assert [(one.id, one.document_id, one.version_id) for one in evidence.sentences] == [
        ("s2", None, None),
        ("s1", None, None),
    ]
    assert text[evidence.sentences[0].char_start : evidence.sentences[0].char_end] == "Otters swim in kelp."


def test_sources_and_statistics_of_what_was_found(library: SearchableLibrary) -> None:
    evidence = evidence_for(library, Query(question=QUESTION), options=AnswerOptions(context_tokens=16_000))
    assert evidence.result is not None
    first = candidates_of(library, evidence.result)[0]
    assert (first.kind, first.source, first.source_ref) == ("html", "docs.python.org", GLOSSARY)
    assert first.snippet_from == "chunk"
    assert "generator" in (first.snippet or "")
    assert (first.rank_text, first.rank_vec) == (1, 1)
    assert first.metadata["language"] == "en"
    stats = stats_of(evidence.result)
    assert stats.counts["documents"] == 3
    assert stats.params["mode"] == "chunk"
    assert stats.timing_ms["total"] > 0
