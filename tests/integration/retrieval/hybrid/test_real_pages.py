"""The real pages with the real model: documents, evidence and snippets as they are given to a reader."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.support.corpus import GLOSSARY, SKLEARN
from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs, SnippetPrefs
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever
from webrag_desktop.storage.database import Connection, Database


@pytest.fixture
def conn(corpus: Database) -> Iterator[Connection]:
    with corpus.connection() as lent:
        yield lent


@pytest.fixture
def retriever(conn: Connection, embedder: Embedder, tokenizer: Tokenizer) -> HybridRetriever:
    return HybridRetriever(conn, embedder, tokenizer=tokenizer)


@pytest.mark.parametrize(
    ("question", "address"),
    [("how are random forests parallelised", SKLEARN), ("what is a context manager", GLOSSARY)],
)
def test_the_document_about_it_comes_first_with_its_own_words(
    conn: Connection, retriever: HybridRetriever, question: str, address: str
) -> None:
    bundle = retriever.search(RetrievalPrefs(query_text=question))
    rows = conn.execute("SELECT document_id, markdown FROM document_versions")
    texts = {str(id_): markdown for id_, markdown in rows}
    best = bundle.candidates[0]
    assert (best.source_ref, best.snippet_from) == (address, "chunk")
    assert best.source == urlsplit(address).hostname
    assert best.snippet
    assert best.snippet in texts[best.item_id]
    assert len(best.snippet) <= 360
    assert bundle.evidence[0].item_id == best.item_id
    assert bundle.evidence[0].anchors
    assert all(one.text == texts[one.item_id][one.start_idx : one.end_idx] for one in bundle.evidence)


def test_a_description_goes_first_where_it_is_wished(retriever: HybridRetriever) -> None:
    snippet = SnippetPrefs(prefer_chunk_snippet=False, max_chars=60)
    best = retriever.search(RetrievalPrefs(query_text="gradient boosting", snippet=snippet)).candidates[0]
    assert best.snippet_from == "doc"
    assert best.summary
    assert best.snippet
    assert best.summary.startswith(best.snippet)
    assert len(best.snippet) <= 60
    assert best.summary[len(best.snippet)].isspace()


def test_equal_questions_get_equal_answers(retriever: HybridRetriever) -> None:
    prefs = RetrievalPrefs(query_text="trees and forests")
    assert retriever.search(prefs) == retriever.search(prefs)
