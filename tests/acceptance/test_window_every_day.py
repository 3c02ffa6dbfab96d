"""Days with the window: real window, database and worker; pages and the model's server on loopback."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.drags import drop, uri_list
from tests.support.embedding_server import EmbeddingServer, status
from tests.support.pages import Page, PageServer
from tests.support.photographer import Photographing
from tests.support.window_under_test import LONG, Opener, Seen, ask
from webrag_desktop.config import Settings
from webrag_desktop.gui.shell.main_window import LIBRARY

LINKS = 200
SUBJECTS = (
    "limpets",
    "otters",
    "kelp",
    "gannets",
    "lugworms",
    "eelgrass",
    "sea slugs",
    "barnacles",
    "terns",
    "crabs",
)
PLACES = (
    "skerry",
    "estuary",
    "salt marsh",
    "harbour wall",
    "tide pool",
    "shingle bank",
    "sand flat",
    "sea cave",
)


def article(number: int) -> str:
    """A page with a text of its own, so that none is a copy of another."""
    subject, place = SUBJECTS[number % len(SUBJECTS)], PLACES[number // len(SUBJECTS) % len(PLACES)]
    return (
        f"<!doctype html><html lang=en><title>Survey {number}: {subject} of the {place}</title><main>"
        f"<h1>Survey {number}: {subject} of the {place}</h1><p>In survey {number} we saw {number * 7 + 3} {subject} "
        f"along the {place}, where the tide turns twice a day and the wardens keep a written log.</p>"
        f"<h2>Method</h2><p>Every quadrat of the {place} was photographed at low water, and the {subject} in it were "
        f"counted by two people who did not know of each other's figure {number}.</p></main>"
    )


def failing(number: int) -> Page | None:
    """What every tenth page has instead of a text."""
    if number % 10:
        return None
    kinds = (
        Page("gone", status=404),
        Page("no entry", status=403),
        Page(b"\x00\x01\x02\x03" * 64, headers=(("Content-Type", "application/octet-stream"),)),
        Page(""),
    )
    return kinds[number // 10 % len(kinds)]


@pytest.fixture
def model() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


def by_model(home: Program, model: EmbeddingServer) -> Settings:
    return Settings.of(
        WEBRAG_HOME=home.home,
        EMBEDDING_BACKEND="ollama",
        EMBEDDING_BASE_URL=model.url,
        EMBEDDING_MODEL="nomic-embed-text",
    )


def links(site: PageServer, count: int = LINKS) -> list[str]:
    return [site.url(f"/survey/{number}") for number in range(1, count + 1)]


def serve(site: PageServer, count: int = LINKS) -> int:
    """Put the pages up; tells how many cannot be read."""
    bad = 0
    for number in range(1, count + 1):
        page = failing(number)
        bad += page is not None
        site.pages[f"/survey/{number}"] = page or article(number)
    return bad


def settled(qtbot: QtBot, seen: Seen, ready: int, failed: int) -> None:
    def is_settled() -> bool:
        figures = seen.figures[-1] if seen.figures else None
        return figures is not None and (figures.ready, figures.failed, figures.waiting) == (ready, failed, 0)

    qtbot.waitUntil(is_settled, timeout=LONG)


def test_two_hundred_links_come_in_with_their_failures_named(
    opened: Opener,
    home: Program,
    model: EmbeddingServer,
    photographer: Photographing,
    qtbot: QtBot,
) -> None:
    seen = opened(by_model(home, model))
    qtbot.waitUntil(lambda: bool(seen.figures), timeout=LONG)
    camera = photographer(seen)
    with PageServer() as site:
        bad = serve(site)
        assert drop(seen.window.view, uri_list(*links(site)))
        qtbot.waitUntil(lambda: seen.figures[-1].ready >= 20, timeout=LONG)
        found = ask(qtbot, seen, "who counted the limpets of the skerry")  # nobody waits for the rest
        assert found.passages > 0
        seen.window.view.show_view(LIBRARY)
        settled(qtbot, seen, LINKS - bad, bad)
        camera.take("journey-two-hundred-links")
    failed = [row for row in seen.library.documents.all() if row.state == "failed"]
    assert len(failed) == bad
    assert all(row.state_reason for row in failed)
    assert len(seen.library.documents.all()) == LINKS


def test_a_model_that_is_lost_in_mid_import_loses_nothing(
    opened: Opener,
    home: Program,
    model: EmbeddingServer,
    photographer: Photographing,
    qtbot: QtBot,
) -> None:
    seen = opened(by_model(home, model))
    qtbot.waitUntil(lambda: bool(seen.figures), timeout=LONG)
    camera = photographer(seen)
    with PageServer() as site:
        serve(site, 9)
        assert drop(seen.window.view, uri_list(*links(site, 3)))
        settled(qtbot, seen, 3, 0)
        model.misbehave(status(503, "loading model"), times=10_000)
        assert drop(seen.window.view, uri_list(*links(site, 9)[3:]))
        qtbot.waitUntil(
            lambda: [row.searchable for row in seen.library.documents.all()] == [True] * 9, timeout=LONG
        )
    camera.take("journey-model-lost")
    # The pages' server is gone and the model away: what came is found by its words, and waits.
    found = ask(qtbot, seen, "how were the sea slugs counted in survey 6")
    assert found.passages > 0
    model.recover()
    seen.window.operations.documents.retry(
        [row.id for row in seen.library.documents.all() if row.state != "ready"]
    )
    settled(qtbot, seen, 9, 0)
    assert ask(qtbot, seen, "how were the sea slugs counted in survey 6").degraded is None
