"""Each adapter with the real framework, on a real library: it answers as `search` does.

The frameworks are imported within tests, since every worker collects this module and they take seconds.
"""

import asyncio
import logging
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from tests.conftest import Address
from tests.support.blocking import wait_until_blocked
from tests.support.corpus import GLOSSARY, SKLEARN
from tests.support.found_chunks import best_chunks
from webrag_desktop import Library
from webrag_desktop.adapters.passages import metadata_of
from webrag_desktop.errors import Cancelled, InputError, WebragError
from webrag_desktop.retrieval.contracts.filters import SearchFilters

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexRetriever
    from llama_index.core.schema import NodeWithScore

ROOT = Path(__file__).parents[3]
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUESTION = "How does early stopping keep a gradient boosted model from growing too large?"
PATIENCE = 30.0
Given = tuple[str, str, dict[str, Any]]  # id, text, metadata


def from_document(document: "Document") -> Given:
    assert document.id is not None
    return document.id, document.page_content, document.metadata


def from_node(node: "NodeWithScore") -> Given:
    return node.node.node_id, node.node.get_content(), node.node.metadata


class LangChain:
    """How a program uses LangChain's retriever."""

    limit = "k"

    @staticmethod
    def retriever(library: Library, **given: Any) -> "BaseRetriever":
        from webrag_desktop.adapters.langchain import WebragRetriever

        return WebragRetriever(library, **given)

    @staticmethod
    def ask(retriever: Any, question: str) -> list[Given]:
        return [from_document(document) for document in retriever.invoke(question)]

    @staticmethod
    async def ask_async(retriever: Any, question: str) -> list[Given]:
        return [from_document(document) for document in await retriever.ainvoke(question)]


class LlamaIndex:
    """How a program uses LlamaIndex's retriever."""

    limit = "similarity_top_k"

    @staticmethod
    def retriever(library: Library, **given: Any) -> "LlamaIndexRetriever":
        from webrag_desktop.adapters.llama_index import WebragRetriever

        return WebragRetriever(library, **given)

    @staticmethod
    def ask(retriever: Any, question: str) -> list[Given]:
        return [from_node(node) for node in retriever.retrieve(question)]

    @staticmethod
    async def ask_async(retriever: Any, question: str) -> list[Given]:
        return [from_node(node) for node in await retriever.aretrieve(question)]


Framework = type[LangChain] | type[LlamaIndex]
FRAMEWORKS: tuple[Framework, ...] = (LangChain, LlamaIndex)


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Framework:
    chosen: Framework = request.param
    return chosen


@pytest.fixture(autouse=True)
def _nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Frameworks may trace to a server of theirs where the environment says so; nothing may say so by itself."""
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    asked_for: list[object] = []

    def refuse(*address: object, **_how: object) -> None:
        asked_for.append(address)
        raise OSError("no connections in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    yield
    assert asked_for == []


def searched(library: Library, question: str, limit: int | None = None, **asked: Any) -> list[Given]:
    chunks = best_chunks(library.search(question, **asked).chunks, limit)
    return [(str(chunk.chunk_id), chunk.chunk_text, metadata_of(chunk)) for chunk in chunks]


@pytest.mark.parametrize(
    ("limit", "asked"),
    [
        (None, {}),
        (None, {"mode": "chunk"}),
        (3, {"mode": "chunk"}),
        (2, {"filters": SearchFilters(source_urls=(GLOSSARY,))}),
        (None, {"filters": SearchFilters(content_flags=("has_code",)), "mode": "chunk"}),
        (5, {"mode": "full_context"}),
    ],
)
def test_it_answers_what_search_answers_in_its_order(
    framework: Framework, library: Library, limit: int | None, asked: dict[str, Any]
) -> None:
    expected = searched(library, QUESTION, limit, **asked)
    assert expected
    retriever = framework.retriever(library, **{framework.limit: limit}, **asked)
    assert framework.ask(retriever, QUESTION) == expected
    assert asyncio.run(framework.ask_async(retriever, QUESTION)) == expected


def test_each_passage_stands_word_for_word_where_it_says(framework: Framework, library: Library) -> None:
    for _, text, metadata in framework.ask(framework.retriever(library, mode="chunk"), QUESTION):
        place = library.cited.place(metadata["cite_id"])
        assert (place.text, place.title, place.source_url) == (
            text,
            metadata["title"],
            metadata["source_url"],
        )
        assert str(place.document_id) == metadata["document_id"]
        assert (place.char_start, place.char_end) == (metadata["char_start"], metadata["char_end"])
        assert library.cited.place(metadata["link"]) == place


def test_nothing_found_is_an_empty_answer(framework: Framework, library: Library) -> None:
    nowhere = SearchFilters(source_urls=("https://example.org/never-added",))
    assert framework.ask(framework.retriever(library, filters=nowhere), QUESTION) == []


def test_errors_are_the_library_s_own(framework: Framework, library: Library) -> None:
    retriever = framework.retriever(library)
    with pytest.raises(InputError) as raised:
        framework.ask(retriever, "   ")
    with pytest.raises(InputError) as in_async:
        asyncio.run(framework.ask_async(retriever, "   "))
    assert (in_async.value.message, in_async.value.hint) == (raised.value.message, raised.value.hint)
    for wrong in ({framework.limit: 0}, {"mode": "fast"}):
        with pytest.raises(WebragError):
            framework.retriever(library, **wrong)


def test_why_there_may_be_less_goes_to_the_log(
    framework: Framework, library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "webrag_desktop.adapters"):
        framework.ask(framework.retriever(library, mode="chunk"), "gradeint")
    notice = library.search("gradeint", mode="chunk").correction_notice
    assert notice is not None
    assert notice in caplog.messages


def test_a_cancelled_task_stops_its_search_and_the_event_loop_goes_on(
    framework: Framework, library: Library, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    raised: list[BaseException] = []
    search = library.search

    def watched(*given: Any, **asked: Any) -> Any:
        try:
            return search(*given, **asked)
        except BaseException as error:
            raised.append(error)
            raise
        finally:
            ended.set()

    monkeypatch.setattr(library, "search", watched)

    async def cancel_in_mid_search(conn: psycopg.Connection[Any]) -> None:
        task = asyncio.ensure_future(framework.ask_async(framework.retriever(library), QUESTION))
        await asyncio.to_thread(conn.execute, wait_until_blocked("chunks"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, PATIENCE)

    with psycopg.connect(**address) as conn:  # type: ignore[arg-type]
        conn.execute("SET idle_in_transaction_session_timeout = '30s'")  # what hangs shall fail
        conn.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        asyncio.run(cancel_in_mid_search(conn))
    assert [type(error) for error in raised] == [Cancelled]


def test_langchain_s_own_ways_work(library: Library) -> None:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableLambda

    heard: list[str] = []

    class Heard(BaseCallbackHandler):
        def on_retriever_end(self, documents: Any, **_more: Any) -> None:
            heard.extend(document.metadata["source_url"] for document in documents)

    def cite_ids_of(documents: "list[Document]") -> list[str]:
        return [document.metadata["cite_id"] for document in documents]

    retriever = LangChain.retriever(library, k=2, mode="chunk", tags=["notes"])
    chain = retriever | RunnableLambda(cite_ids_of)
    cite_ids = chain.invoke(QUESTION, config={"callbacks": [Heard()]})
    assert cite_ids == [metadata["cite_id"] for *_, metadata in searched(library, QUESTION, 2, mode="chunk")]
    assert SKLEARN in heard
    assert len(heard) == 2
    both = retriever.batch([QUESTION, "What is a generator?"])
    assert both == [retriever.invoke(QUESTION), retriever.invoke("What is a generator?")]


def test_llama_index_gets_place_and_score_and_models_read_how_to_cite(library: Library) -> None:
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
    from llama_index.core.schema import MetadataMode, QueryBundle, TextNode

    retriever = LlamaIndex.retriever(library, similarity_top_k=2, mode="chunk")
    chunks = best_chunks(library.search(QUESTION, mode="chunk").chunks, 2)
    for given, chunk in zip(retriever.retrieve(QueryBundle(QUESTION)), chunks, strict=True):
        node = given.node
        assert isinstance(node, TextNode)
        assert given.score == chunk.rank_score
        assert node.ref_doc_id == str(chunk.document_id)
        assert (node.start_char_idx, node.end_char_idx) == (chunk.char_start, chunk.char_end)
        read = node.get_content(MetadataMode.LLM)
        assert f"cite_id: {node.metadata['cite_id']}" in read
        assert f"source_url: {chunk.source_url}" in read
        assert read.endswith(chunk.chunk_text.strip())
        assert "rank_score" not in read
        assert "page" not in read.partition("\n\n")[0]
    answering = get_response_synthesizer(MockLLM(), response_mode=ResponseMode.COMPACT)
    engine = RetrieverQueryEngine(retriever, answering)
    assert [node.node_id for node in engine.query(QUESTION).source_nodes] == [
        str(chunk.chunk_id) for chunk in chunks
    ]


def test_the_examples_of_the_document_do_what_they_say(library: Library) -> None:
    text = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    examples = EXAMPLE.findall(text)
    assert len(examples) == len(FRAMEWORKS)
    for number, example in enumerate(examples, start=1):
        assert len(example.splitlines()) <= 6
        names: dict[str, Any] = {"library": library}
        exec(compile(example, f"docs/integrations.md, example {number}", "exec"), names)
