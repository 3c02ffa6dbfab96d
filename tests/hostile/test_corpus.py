"""Every case of the corpus, through the real fetch and the real reading process with its usual limits."""

import socket
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import httpcore
import pytest
import turbohtml
from markdown_it import MarkdownIt

from tests.hostile.beyond_reading import SECTIONS
from tests.hostile.cases import BytesCase, Case, Fails, Gives, SiteCase
from tests.hostile.corpus import CORPUS
from tests.hostile.table import DOCUMENT, table
from tests.support.captures import check_document
from tests.support.pages import PageServer
from webrag_desktop.ingestion.fetching.fetch import fetch
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.ingestion.reading_process.process import Reading, ReadingProcess
from webrag_desktop.ingestion.sanitizing import sanitize
from webrag_desktop.models.documents import Capture

TESTS = Path(__file__).parents[1]
WHEN = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
SECONDS = 60.0  # the usual limit: a case that needs longer fails
FORBIDDEN = frozenset(
    (
        *("script", "style", "iframe", "object", "embed", "form", "button", "input", "svg", "base", "link", "meta"),
        *("noscript", "template", "frame", "frameset", "video", "audio", "annotation-xml", "foreignobject", "mglyph"),
    )
)  # fmt: skip
SMALL = 20_000  # characters
SCHEMES = ("http://", "https://", "mailto:", "tel:", "doi:")


@pytest.fixture(scope="module")
def reading() -> Iterator[ReadingProcess]:
    with ReadingProcess(ReadingOptions(seconds=SECONDS)) as process:
        yield process


class _PublicSockets(httpcore.NetworkBackend):
    """Connects every address to one local port, as if the site were there."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        return self._real.connect_tcp("127.0.0.1", self._port, timeout, local_address, socket_options)


def fetched(case: SiteCase) -> Capture:
    """The page of a case's site."""
    names = {"public.test": ("93.184.216.34",), **case.names}

    def resolve(host: str, port: int) -> Sequence[str]:
        if host in names:
            return names[host]
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)]

    with PageServer(case.serve()) as server:
        return fetch(case.start, case.options, network=Network(resolve, _PublicSockets(server.port)))


def captured(case: Case) -> Capture:
    """What is read of a case."""
    if isinstance(case, SiteCase):
        return fetched(case)
    headers = (("Content-Type", case.content_type),) if case.content_type else ()
    return Capture(
        url=case.url,
        final_url=case.url,
        status_code=200,
        headers=headers,
        body=case.make(),
        fetched_at=WHEN,
        filename=case.filename,
    )


def read(case: Case, usual: ReadingProcess) -> Reading:
    """The case's document, or its error."""
    capture = captured(case)
    if isinstance(case, BytesCase) and case.memory_mb != 1024:
        with ReadingProcess(ReadingOptions(case.memory_mb * MEGABYTE, SECONDS)) as process:
            return process.read(capture)
    return usual.read(capture)


def check_stored_html(html: str) -> None:
    """Nothing in it runs, loads from elsewhere than it says, or changes when it is read again."""
    for element in turbohtml.parse_fragment(html).iter_elements():
        assert element.tag not in FORBIDDEN
        for name, value in element.attrs.items():
            assert not name.startswith("on")
            assert name not in {"style", "action", "formaction", "srcset", "background", "ping", "xlink:href"}
            assert name not in {"href", "src"} or str(value).startswith(SCHEMES)
    assert sanitize(html) == html


def check_markdown_links(markdown: str) -> None:
    """Whoever renders the markdown gets no link or image of another kind."""
    for token in MarkdownIt("commonmark").disable("html_block").parse(markdown):
        for inner in token.children or ():
            address = inner.attrGet("href") or inner.attrGet("src")
            assert address is None or str(address).startswith((*SCHEMES, "#")), address


@pytest.mark.parametrize("case", CORPUS, ids=[case.name for case in CORPUS])
def test_it_comes_out_as_it_must(case: Case, reading: ReadingProcess) -> None:
    outcome = case.outcome
    if isinstance(outcome, Fails):
        with pytest.raises(outcome.family) as failure:
            read(case, reading)
        assert type(failure.value) is outcome.family
        assert outcome.message in failure.value.message
        assert failure.value.message
        assert failure.value.hint
        return
    assert isinstance(outcome, Gives)
    result = read(case, reading)
    document = result.document
    check_document(document)
    local = document.url.startswith("file:")
    if document.html and not local:
        check_stored_html(document.html)
    for word in outcome.words:
        assert word in document.markdown
    stored = (
        f"{document.markdown}\n{document.html}\n{document.title}\n{document.description}\n{document.links}"
    )
    for word in outcome.without:
        assert word not in stored
    assert not [word for word in outcome.not_in_html if word in (document.html or "")]
    if document.doc_type != "text" and len(document.markdown) < SMALL:
        check_markdown_links(document.markdown)
    assert outcome.check is None or outcome.check(result)


def test_the_corpus_is_large_and_every_name_its_own() -> None:
    assert len(CORPUS) >= 80
    assert [name for name, count in Counter(case.name for case in CORPUS).items() if count > 1] == []
    assert all(case.what for case in CORPUS)


def test_the_document_tells_of_every_case() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == table(), "write it again: python -m tests.hostile.table"


def test_tests_that_the_document_names_are_there() -> None:
    for row in chain.from_iterable(SECTIONS.values()):
        file, _, name = row.test.partition("::")
        assert f"\ndef {name}(" in (TESTS / file).read_text(encoding="utf-8"), row.test
