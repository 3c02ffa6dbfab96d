"""Pictures of evidence: fetched on request alone, no further than their page may lead, for a model that sees."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.corpus import add_page
from tests.support.fused_model import place_fused_model
from tests.support.pages import Page, PageServer
from tests.support.shore import Model as TellingModel
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import Library
from webrag_desktop.answering.images import MOST_BYTES, MOST_IMAGES, ImageReference, get_image
from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.answering.prompt import messages_of
from webrag_desktop.config import Settings
from webrag_desktop.errors import FetchError, UnsafeAddressError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library.answer_evidence import evidence_for
from webrag_desktop.library.searching import SearchableLibrary
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.answer_events import Started
from webrag_desktop.retrieval.contracts.answers import Query
from webrag_desktop.servers.chat import ChatPiece, ChatRequest
from webrag_desktop.servers.listing import Sight
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library.sources import note_reached

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (200).to_bytes(4, "big") + (100).to_bytes(4, "big")
PICTURE = Page(
    PNG, headers=(("Content-Type", "text/html"),)
)  # known by its content, whatever the server says
QUERY = Query(question="Where do limpets graze?")
OPTIONS = FetchOptions()


class Model:
    """A model that sees, or does not; it is asked for nothing else here."""

    name = "eyes"

    def __init__(self, sight: Sight) -> None:
        self._sight = sight

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        return 16_000

    def sight(self, cancel: CancelToken | None = None) -> Sight:
        return self._sight

    def stream(
        self, request: ChatRequest, *, seconds: float, cancel: CancelToken | None = None
    ) -> Iterator[ChatPiece]:
        raise AssertionError(request)


@pytest.fixture
def site() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@pytest.fixture
def library(
    database: Database, tmp_path: Path, make_indexer: Callable[[Database], Indexer], site: PageServer
) -> SearchableLibrary:
    body = (
        "<title>Tides</title><main><h1>Tides</h1><p>Limpets graze on algae at high tide, each around its own scar.</p>"
        "<p><img src='/limpet.png' alt='a limpet that grazes'></p><p><img src='/logo.png' alt='logo'></p>"
        "<p>Otters swim in kelp.</p><p><img src='/gone.png' alt='an otter in kelp'></p></main>"
    )
    site.pages |= {"/limpet.png": PICTURE, "/logo.png": PICTURE}
    source = add_page(database, make_indexer(database), site.url("/tides"), body.encode())
    with database.connection() as conn:
        note_reached(conn, source, "loopback")
    return SearchableLibrary(
        Settings.of(
            WEBRAG_HOME=place_fused_model(tmp_path),
            EMBEDDING_BACKEND="embedded",
            EMBEDDING_MODEL=TESTED_MODEL,
        ),
        database,
    )


def asked_for(site: PageServer) -> Sequence[str]:
    return [request.path for request in site.requests]


def test_nothing_is_fetched_unless_it_is_asked_for(library: SearchableLibrary, site: PageServer) -> None:
    for options, model in (
        (AnswerOptions(), Model("sees")),
        (AnswerOptions(images=True), Model("blind")),
        (AnswerOptions(images=True), Model("unknown")),
        (AnswerOptions(images=True), None),
    ):
        evidence = evidence_for(library, QUERY, options=options, model=model)
        assert evidence.images == ()
        assert f"![a limpet that grazes]({site.url('/limpet.png')})" in evidence.grounded.context
    assert asked_for(site) == []


def test_a_model_that_does_not_see_is_reported(library: SearchableLibrary) -> None:
    evidence = evidence_for(library, QUERY, options=AnswerOptions(images=True), model=Model("blind"))
    assert evidence.grounded.notices == ["The chat model is not known to take pictures, so none were sent."]


def test_pictures_that_may_help_go_along_and_what_fails_is_reported(
    library: SearchableLibrary, site: PageServer
) -> None:
    evidence = evidence_for(library, QUERY, options=AnswerOptions(images=True), model=Model("sees"))
    assert [(image.content, image.media_type) for image in evidence.images] == [(PNG, "image/png")]
    assert asked_for(site) == ["/limpet.png", "/gone.png"]
    (notice,) = evidence.grounded.notices
    assert notice == (
        f"The picture “an otter in kelp” ({site.url('/gone.png')}) was not sent: "
        "The site has no page at this address (404)."
    )
    said = messages_of(evidence)[1].content
    assert f"in this order: 1. “a limpet that grazes” ({site.url('/limpet.png')})\n\nQuestion: " in said


def test_pictures_reach_the_model_where_the_question_asks_for_them(
    library: SearchableLibrary, site: PageServer
) -> None:
    teller = TellingModel()
    teller.claims(("They graze on algae.", ["Limpets graze"]))
    teller.server.sees = True
    with teller.server:
        settings = Settings.of(
            WEBRAG_HOME=library.settings.webrag_home,
            EMBEDDING_BACKEND="embedded",
            EMBEDDING_MODEL=TESTED_MODEL,
            CHAT_BASE_URL=teller.server.url,
            CHAT_MODEL="teller",
            CHAT_CHECK_AGAIN=False,
        )
        asked = Library(settings, None, library.database)  # type: ignore[arg-type]  # no server is started
        reported = [list(asked.answer(QUERY, images=images, keep=False)) for images in (True, None)]
        teller.server.sees = False
        reported.append(list(asked.answer(QUERY, keep=False)))
    assert [events[-1].type for events in reported] == ["answer.ended"] * 3
    started = [event for events in reported for event in events if isinstance(event, Started)]
    assert [(one.pictures, one.pictures_sent) for one in started] == [(2, 1), (2, 0), (0, 0)]
    seen, unseen, _blind = (json.dumps(payload["messages"]) for payload in teller.server.payloads)
    assert f"data:image/png;base64,{base64.b64encode(PNG).decode()}" in seen
    assert "data:image" not in unseen
    assert asked_for(site) == ["/limpet.png", "/gone.png"]


def reference(url: str, page: str) -> ImageReference:
    return ImageReference(url, "", None, page, 1.0)


def test_a_public_page_leads_to_no_picture_inside(site: PageServer) -> None:
    site.pages["/p.png"] = PICTURE
    inside = site.url("/p.png")
    for page, reached in (
        ("https://example.org/a", "public"),
        ("https://example.org/a", "loopback"),
        (site.url("/a"), "public"),
        (site.url("/a"), "unknown"),
        (site.url("/a"), "never"),
        (site.url("/a"), None),
    ):
        with pytest.raises(UnsafeAddressError):
            get_image(reference(inside, page), OPTIONS, reached)
    assert asked_for(site) == []
    assert get_image(reference(inside, site.url("/a")), OPTIONS, "loopback").content == PNG


def test_too_large_a_picture_is_not_read_to_its_end(site: PageServer) -> None:
    site.pages["/large.png"] = Page(PNG + b"\0" * MOST_BYTES)
    with pytest.raises(FetchError, match="larger than 4 MB"):
        get_image(reference(site.url("/large.png"), site.url("/a")), OPTIONS, "loopback")


@pytest.mark.parametrize("body", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html>", b"", b"BM\0\0"])
def test_what_is_no_picture_by_its_content_is_not_sent(site: PageServer, body: bytes) -> None:
    site.pages["/p.png"] = Page(body, headers=(("Content-Type", "image/png"),))
    with pytest.raises(FetchError, match="no PNG, JPEG, GIF or WebP"):
        get_image(reference(site.url("/p.png"), site.url("/a")), OPTIONS, "loopback")


def test_only_a_few_pictures_are_sent(
    database: Database, tmp_path: Path, make_indexer: Callable[[Database], Indexer], site: PageServer
) -> None:
    shown = "".join(
        f"<p>Limpets graze.<img src='/{n}.png' alt='limpet number {n} grazes'></p>" for n in range(9)
    )
    site.pages |= {f"/{n}.png": PICTURE for n in range(9)}
    source = add_page(
        database, make_indexer(database), site.url("/many"), f"<main><h1>M</h1>{shown}</main>".encode()
    )
    with database.connection() as conn:
        note_reached(conn, source, "loopback")
    library = SearchableLibrary(
        Settings.of(
            WEBRAG_HOME=place_fused_model(tmp_path),
            EMBEDDING_BACKEND="embedded",
            EMBEDDING_MODEL=TESTED_MODEL,
        ),
        database,
    )
    evidence = evidence_for(library, QUERY, options=AnswerOptions(images=True), model=Model("sees"))
    assert len(evidence.images) == len(site.requests) == MOST_IMAGES
