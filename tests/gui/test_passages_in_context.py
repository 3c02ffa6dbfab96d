"""A quote is one text everywhere: in the results, as a citation and marked in the reader, wherever a chunk is cut."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, heard, open_operations, settings_for
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.gui.data.view_data import Passage, ReaderDocument, SearchResults
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.reader.operations.reader_document import reader_document
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.research.operations.passages import search_results
from webrag_desktop.gui.research.operations.text_parts import MOST_VERSIONS, Readings
from webrag_desktop.gui.research.results_pane import ResultsView
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.indexing.chunking import ChunkingOptions, chunk_document
from webrag_desktop.library.citing import _record
from webrag_desktop.models.documents import DocumentVersion
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    MatchedSpan,
    RetrievalResult,
    RetrievedChunk,
    TimingInfo,
)
from webrag_desktop.storage.database import Database
from webrag_desktop.text import plain_text
from webrag_desktop.text.plain_text import PlainText, project
from webrag_desktop.text.sentences import split_sentences

Clone = Callable[[str], Address]
_LINE = "def area_{0}(a, b):\n    return 2*a*b + __base__  # scale by *{0}* or `{0}`\n\n"
_CODE = "".join(_LINE.format(i) for i in range(40))
_ROWS = "".join(f"| wire {i} | a\\|b *{i}* | [load][{i}] |\n" for i in range(60))
_LISTED = "".join(
    f"- outer **{i}** of [it][1]\n  1. inner {i}\n\n         x = *{i}*\n\n     - inmost __{i}__ end.\n"
    for i in range(15)
)
DOCUMENTS = {
    "fence": f"# Guide\n\nIt begins.\n\n```python\n{_CODE}```\n\nThen **bold** [prose](https://e.example/x).\n",
    "unclosed fence": f"Before.\n\n~~~\n{_CODE}",
    "fence in a list": "- item\n\n" + "".join(f"  {line}\n" for line in f"```\n{_CODE}```".split("\n")),
    "table": f"Intro.\n\n| wire | note | load |\n|---|:-:|--:|\n{_ROWS}\nAfter &amp; beyond.\n",
    "references": "See [the *guide*][g] and [g].\nIt [says][1] so. " * 30
    + "\n\n[g]: https://e.example/g\n[1]: https://e.example/1\n",
    "lists": f"# Lists\n\n{_LISTED}\n> - quoted *{{1}}*\n>   more\n\n[1]: https://e.example/1\n",
    "indented": "Text.\n\n" + "".join(f"    x = a*{i}*b + __c__\n" for i in range(80)) + "\nEnd of *it*.\n",
}


def version_of(markdown: str) -> DocumentVersion:
    return DocumentVersion(
        id=uuid4(),
        document_id=uuid4(),
        source_url="https://e.example/page",
        title="Page",
        markdown=markdown,
        html=None,
        content_hash="",
        fetched_at=datetime(2026, 10, 3, tzinfo=UTC),
        blocks=(),
    )


def found_in(version: DocumentVersion, size: int) -> list[Passage]:
    """Every sentence of every passage that a document is cut into, as if each were the best of one."""
    options = ChunkingOptions(size, size, 2 * size)
    chunks = []
    for chunk in chunk_document(version.markdown, (), WordTokenizer(), options):
        for sentence in split_sentences(chunk.chunk_text):
            start, end = chunk.char_start + sentence.start, chunk.char_start + sentence.end
            span = MatchedSpan(char_start=start, char_end=end, text=version.markdown[start:end], score=0.5)
            chunks.append(_retrieved(version, chunk.char_start, chunk.char_end, span))
    return shown_of(version, chunks)


def shown_of(version: DocumentVersion, chunks: list[RetrievedChunk]) -> list[Passage]:
    """What the window shows of chunks found in one document."""
    return [passage for group in answer_of(version, chunks).groups for passage in group.passages]


def answer_of(
    version: DocumentVersion, chunks: list[RetrievedChunk], doc_type: str = "html"
) -> SearchResults:
    """The answer that consists of chunks found in one document."""
    result = RetrievalResult(
        mode="chunk",
        chunks=chunks,
        query_embedding=[],
        corpus_stats=CorpusStats(
            total_documents=1, total_parent_chunks=1, total_tokens=1, documents_matched=[]
        ),
        timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
    )
    source = cast("SourceRow", _Source(version.document_id, doc_type))
    return search_results("q", result, {source.id: source}, {version.id: project(version.markdown)}, 1)


class _Source:
    """As much of a source's row as a group of results shows."""

    title, url, source_url, parent_chunks = "Page", "", "https://e.example/page", 1

    def __init__(self, id_: UUID, doc_type: str) -> None:
        self.id, self.doc_type = id_, doc_type


def _retrieved(version: DocumentVersion, start: int, end: int, span: MatchedSpan) -> RetrievedChunk:
    text = version.markdown[start:end]
    return RetrievedChunk(
        chunk_id=uuid4(),
        document_id=version.document_id,
        parent_id=None,
        source_url=version.source_url,
        title=version.title,
        selected_text=text,
        surface="markdown",
        section_heading=None,
        chunk_index=0,
        char_start=start,
        char_end=end,
        token_start=0,
        token_end=1,
        score=0.5,
        raw_similarity=None,
        depth=0,
        has_table=False,
        has_code=False,
        has_math=False,
        has_definition_list=False,
        has_admonition=False,
        has_steps=False,
        fetched_at=version.fetched_at,
        version_id=version.id,
        chunk_text=text,
        selected_tokens=1,
        rank_score=0.5,
        matched_spans=[span],
    )


def test_no_more_sentences_are_marked_in_the_reader_than_a_passage_is_cut_to() -> None:
    version = version_of(" ".join(f"Sentence number {number}." for number in range(20)))
    spans = [
        MatchedSpan(char_start=start, char_end=start + 8, text="Sentence", score=start / 1000)
        for start in range(0, 200, 10)
    ]
    chunk = _retrieved(version, 0, len(version.markdown), spans[0]).model_copy(
        update={"matched_spans": spans}
    )
    (passage,) = shown_of(version, [chunk])
    assert [span.char_start for span in passage.all_spans] == list(range(190, 110, -10))


NOTES = (
    "---\ntitle: Page\ntags: [tides]\n---\n\n# Page\n\n## *The* gauge\n\n"
    "It floats in a well. The gauge\nis read at noon.\n\n## Noon\n\nThe gauge\n\nThen it is cleaned.\n"
)


def row_of(qtbot: QtBot, evidence: str, *, doc_type: str = "markdown", titled: str | None = "Page") -> str:
    """The text of the open row of a passage that is all of the notes, found by some words of it."""
    version = version_of(NOTES).model_copy(update={"title": titled})
    start = NOTES.index(evidence)
    span = MatchedSpan(
        char_start=start,
        char_end=start + len(evidence),
        text=evidence,
        score=0.5,
        heading="*The* gauge",
        heading_path=("*The* gauge",),
    )
    chunk = _retrieved(version, 0, len(NOTES), span)
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(644, 790)
    view.show()
    view.show_results(answer_of(version, [chunk], doc_type))
    qtbot.waitUntil(lambda: any(view.list.results.passage_indexes()))
    (index,) = view.list.results.passage_indexes()
    view.list.setCurrentIndex(index)
    laid = view.list.delegate.layout(index).text
    assert isinstance(laid, LaidText)
    (marked,) = [laid.text[mark.start : mark.end] for mark in laid.marks if mark.kind == "active"]
    assert " ".join(marked.split()) == " ".join(project(evidence).text.split())
    return " ".join(laid.text.split())


def test_a_row_names_the_section_of_its_evidence_and_not_its_neighbour() -> None:
    version = version_of("### The easy case\n\nIt is moved.\n\n### The hard case\n\nIt is changed.\n")
    start = version.markdown.index("It is changed.")
    span = MatchedSpan(
        char_start=start,
        char_end=start + 14,
        text="It is changed.",
        score=0.5,
        heading="The hard case",
        heading_path=("Recovering", "The hard case"),
    )
    chunk = _retrieved(version, 0, len(version.markdown), span).model_copy(
        update={"section_heading": "Recovering", "heading_path": ["Recovering", "The easy case"]}
    )
    (passage,) = shown_of(version, [chunk])
    assert passage.place == "Recovering › The hard case"
    assert passage.text.startswith("The easy case"), "what is not named stays"


def test_a_row_says_the_headings_of_its_passage_once(qtbot: QtBot) -> None:
    """They stand above the passage; only those are left out that nothing but other such headings stands before."""
    shown = row_of(qtbot, "It floats in a well.")
    assert shown == ("It floats in a well. The gauge is read at noon. Noon The gauge Then it is cleaned.")


def test_a_heading_that_is_the_evidence_or_of_another_name_stays(qtbot: QtBot) -> None:
    assert row_of(qtbot, "*The* gauge").startswith("The gauge It floats")
    assert row_of(qtbot, "It floats in a well.", titled="Another").startswith("Page The gauge It floats")


def test_front_matter_is_shown_in_a_row_only_where_it_is_the_evidence(qtbot: QtBot) -> None:
    assert row_of(qtbot, "tags: [tides]").startswith("title: Page tags: [tides] Page The gauge It floats")
    assert row_of(qtbot, "It floats in a well.", doc_type="html").startswith("title: Page")


@pytest.fixture
def reader(qtbot: QtBot, application: object) -> ReaderView:
    view = ReaderView()
    qtbot.addWidget(view)
    return view


def read(reader: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    """Have a document shown to its end."""
    reader.show_document(document)
    heard(qtbot, lambda: reader._text.is_complete)


@pytest.mark.parametrize("size", [40, 60, 120])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_quote_reads_the_same_everywhere(reader: ReaderView, qtbot: QtBot, name: str, size: int) -> None:
    version = version_of(DOCUMENTS[name])
    read(reader, qtbot, reader_document(version, title="T", place="p", address="a"))
    passages = found_in(version, size)
    assert len(passages) > 3
    shown = 0
    for passage in passages:
        start, end = passage.span.char_start, passage.span.char_end
        assert passage.quote == _record(version, project(version.markdown), start, end, None, None).quote
        marked = [passage.text[mark.start : mark.end].strip() for mark in passage.marks]
        if not marked:  # markup only, such as a fence: there is nothing to mark
            assert passage.quote == version.markdown[start:end]
            continue
        assert marked == [passage.quote]
        reader.show_span(passage.span)
        assert reader.highlighted_text().strip() == passage.quote
        shown += 1
    assert shown > 3


def test_code_keeps_its_stars_and_its_indent() -> None:
    texts = [passage.text for passage in found_in(version_of(DOCUMENTS["fence"]), 60)]
    assert any("\n    return 2*a*b + __base__  # scale by *7* or `7`" in text for text in texts)
    assert texts[-1].endswith("Then bold prose.")


# -- Real pages ---------------------------------------------------------------------------------------------------


@pytest.fixture
def address(clone: Clone, corpus_template: str) -> Address:
    return clone(corpus_template)


@pytest.fixture
def do(address: Address, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(address, tmp_path), qtbot) as made:
        yield made


def asked(do: Operations, qtbot: QtBot, query: str) -> SearchResults:
    """All that a question finds, after its first page."""
    results, grown, whole = (
        Heard(signal) for signal in (do.searching.results, do.searching.grown, do.searching.found)
    )
    do.searching.search(query)
    heard(qtbot, lambda: len(whole) > 0)
    answer: SearchResults = (grown if len(grown) else results).last
    return answer


def test_real_pages_are_quoted_as_they_are_cited_and_read(
    do: Operations, qtbot: QtBot, reader: ReaderView
) -> None:
    cited = Heard(do.citing.citations)
    quotes: dict[tuple[UUID, int, int], str] = {}
    for query in ("gradient boosting example code", "table of types in Go", "what is an iterator"):
        for group in asked(do, qtbot, query).groups:
            for passage in group.passages:
                documents = Heard(do.reading.document)
                do.reading.open_span(passage.span)
                heard(qtbot, lambda documents=documents: len(documents) > 0)  # type: ignore[misc]
                read(reader, qtbot, documents.last)
                reader.show_span(passage.span)
                assert reader.highlighted_text().strip() == passage.quote
                span = passage.span
                quotes[span.version_id, span.char_start, span.char_end] = passage.quote
                do.citing.cite(passage.span)
    assert len(quotes) > 5
    heard(qtbot, lambda: bool(cited.all) and len(cited.last) == len(quotes))
    assert {(row.version_id, row.char_start, row.char_end): row.quote for row in cited.last} == quotes


def test_a_text_is_read_once_and_all_are_loaded_together(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    projected: list[int] = []
    loads: list[int] = []

    def counted(markdown: str) -> PlainText:
        projected.append(len(markdown))
        return project(markdown)

    monkeypatch.setattr(plain_text, "project", counted)
    from webrag_desktop.library.documents import Documents

    load = Documents.plain_texts

    def noted(library: Documents, version_ids: list[UUID]) -> dict[UUID, PlainText]:
        loads.append(len(version_ids))
        return load(library, version_ids)

    monkeypatch.setattr(Documents, "plain_texts", noted)
    first = asked(do, qtbot, "what is an iterator in a programming language")
    assert len(first.groups) > 1
    assert all(length < 100 for length in projected)  # headings alone: how texts read is stored
    assert sum(loads) == len(first.groups)
    assert len(loads) <= 2  # those of the first page, then the others
    before = len(loads)
    assert asked(do, qtbot, first.query).groups == first.groups
    assert len(loads) == before


def test_a_document_that_is_removed_meanwhile_is_left_out(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, address: Address
) -> None:
    from webrag_desktop.library.documents import Documents

    load = Documents.plain_texts
    gone = asked(do, qtbot, "what is an iterator").groups[0].document_id
    do.searching._readings = Readings()

    def after_removal(library: Documents, version_ids: list[UUID]) -> dict[UUID, PlainText]:
        database = Database(address)
        with database.connection() as conn:
            conn.execute("DELETE FROM sources WHERE id = %s", [gone])
        database.close()
        return load(library, version_ids)

    monkeypatch.setattr(Documents, "plain_texts", after_removal)
    assert gone not in {group.document_id for group in asked(do, qtbot, "what is an iterator").groups}


def test_the_texts_asked_for_last_are_kept() -> None:
    readings, loaded = Readings(), list[UUID]()

    def load(ids: list[UUID]) -> dict[UUID, PlainText]:
        loaded.extend(ids)
        return dict.fromkeys(ids, project("x" * 400_000))

    ids = [uuid4() for _ in range(MOST_VERSIONS + 1)]
    for id_ in ids[:MOST_VERSIONS]:
        readings.of([id_], load, CancelToken())
    readings.of([ids[0]], load, CancelToken())
    readings.of([ids[-1]], load, CancelToken())
    assert loaded == ids
    assert set(readings.of(ids, load, CancelToken())) == set(ids)
    assert loaded == [*ids, ids[1]]
