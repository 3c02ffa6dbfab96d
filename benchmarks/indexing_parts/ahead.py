"""What it brings to fetch, read and cut the next page while one is embedded: the worker with and without it."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.measuring import library, table, timed
from tests.support.embedding_server import EmbeddingServer, Received, Reply
from tests.support.moving import MODEL, embedding
from tests.support.pages import Page, PageServer, RequestHandler
from tests.support.queue_work import OPTIONS, article, drain_queue
from webrag_desktop.indexing.open_spaces import OpenSpaces
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.jobs.prefetch import JobPrefetcher
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.captures.spool import Spool


class _SlowModel(EmbeddingServer):
    """Answers every request some time later."""

    seconds = 0.0

    def reply(self, request: Received) -> Reply:
        time.sleep(self.seconds)
        return super().reply(request)


def _drained(pages: int, site_seconds: float, model_seconds: float) -> float:
    """Seconds from an open queue to an empty one, of a worker that has the model and the reading process at hand."""

    def answer(handler: RequestHandler) -> None:
        handler.wait(site_seconds)
        handler.send_page(Page(article(handler.path)))

    with (
        library() as database,
        TemporaryDirectory() as folder,
        PageServer({f"/{number}": answer for number in range(pages + 1)}) as site,
        _SlowModel({MODEL: 1536}) as models,
    ):
        spaces = OpenSpaces(database, embedding(models, 256), ChunkTargets())
        added = StoredLibrary(database, Spool(Path(folder)), OPTIONS)
        added.add([site.url(f"/{pages}")])
        drain_queue(database, spaces.indexer)  # what is only begun once is begun
        models.seconds = model_seconds
        added.add([site.url(f"/{number}") for number in range(pages)])
        seconds = timed(lambda: drain_queue(database, spaces.indexer))
        spaces.close()
        assert {source.state for source in added.documents.all()} == {"ready"}
    return seconds


def run(pages: int) -> str:
    """Pages from a stand-in site, embedded by a stand-in server, each with latency."""
    rows: list[tuple[object, ...]] = []
    for site_seconds, model_seconds in ((0.0, 0.0), (1.0, 1.0), (0.5, 2.0), (2.0, 0.5)):
        ahead = _drained(pages, site_seconds, model_seconds)
        with patch.object(JobPrefetcher, "begin", lambda _self, _indexer: None):
            one_by_one = _drained(pages, site_seconds, model_seconds)
        rows.append(
            (f"site {site_seconds:g} s, model {model_seconds:g} s", ahead, one_by_one, ahead / one_by_one)
        )
    head = ("latency of each request", "ahead (s)", "one by one (s)", "ahead / one by one")
    return table(f"{pages} pages fetched, read, cut, embedded and written by the worker", head, rows)
