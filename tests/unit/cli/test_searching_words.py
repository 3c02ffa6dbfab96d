"""How ``search`` has words read, and says which were read as others."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.support.found_chunks import found_chunk, matched_span
from webrag_desktop.cli.commands import search as searching
from webrag_desktop.cli.main import run
from webrag_desktop.retrieval.contracts.results import CorpusStats, Correction, RetrievalResult, TimingInfo

FOUND = RetrievalResult(
    mode="chunk",
    chunks=[found_chunk("Glaciers carve valleys.", spans=[matched_span(0, "Glaciers carve valleys.")])],
    query_embedding=[],
    corpus_stats=CorpusStats(
        total_documents=1, total_parent_chunks=1, total_tokens=5, documents_matched=["x"]
    ),
    timing=TimingInfo(embed_ms=1, search_ms=1, total_ms=2),
    corrections=[Correction(word="galciers", read_as="glaciers")],
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the library is asked."""
    arguments: dict[str, object] = {}

    def search(question: str, **given: object) -> RetrievalResult:
        arguments.update(given, question=question)
        return FOUND

    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(search=search)

    monkeypatch.setattr(searching, "open_library", opened)
    return arguments


@pytest.mark.parametrize("syntax", [None, "web", "plain", "phrase", "strict"])
def test_words_are_read_as_it_is_said(asked: dict[str, object], syntax: str | None) -> None:
    assert run(["search", "galciers", *(["--syntax", syntax] if syntax else [])]) == 0
    assert asked["tsquery_mode"] == syntax


@pytest.mark.usefixtures("asked")
def test_a_syntax_that_there_is_not_is_refused() -> None:
    assert run(["search", "galciers", "--syntax", "sql"]) == 2


@pytest.mark.usefixtures("asked")
def test_a_word_that_was_read_as_another_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    run(["search", "galciers"])
    assert "No text holds “galciers”, so it was read as “glaciers”." in capsys.readouterr().err
    run(["search", "--json", "galciers"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["corrections"] == [{"word": "galciers", "read_as": "glaciers"}]
