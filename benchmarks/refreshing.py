"""Looking at a page again: first indexing, unchanged, and with one paragraph more, by worker, database and model."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import psutil

from benchmarks.indexing import Clocked
from benchmarks.measuring import EMBEDDED, indexer, library, table
from tests.support.pages import Page, PageServer, RequestHandler, Responder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.reading_process.process import ReadingProcess
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Accepted
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

PAGES, PARTS, PARAGRAPHS = 12, 20, 5
WORDS = "tide rock pool crab limpet anemone wave shore salt hollow moon sand gull weed spray ledge".split()
OPTIONS = FetchOptions(retry_seconds=0)


def _page(number: int, *, more: int = 0, around: str = "", headings: bool = True) -> str:
    """A page like documentation; ``more`` is a paragraph that it had not, near its beginning."""
    chance = random.Random(number)
    body = []
    for at in range(PARTS * PARAGRAPHS):
        if headings and at % PARAGRAPHS == 0:
            body.append(f"<h2>Part {at // PARAGRAPHS}</h2>")
        words = chance.choices(WORDS, k=chance.randrange(15, 130))
        body.append(f"<p>Paragraph {number}-{at} tells of {' '.join(words)}.</p>")
        if more and at == 1:
            body.append(f"<p>New in round {more}: {' '.join(random.Random(more).choices(WORDS, k=70))}.</p>")
    return (
        f"<html><head><title>Shore {number}</title></head><body><!-- {around} --><main>"
        f"<h1>Shore {number}</h1>{''.join(body)}</main></body></html>"
    )


def _tagged(text: str) -> Responder:
    """A page whose server answers 304 to whoever has it."""
    tag = f'"{hash(text)}"'

    def answer(handler: RequestHandler) -> None:
        if handler.headers.get("If-None-Match") == tag:
            handler.send_page(Page(status=304, headers=(("Content-Length", "0"),)))
        else:
            headers = (("Content-Type", "text/html; charset=utf-8"), ("ETag", tag))
            handler.send_page(Page(text, headers=headers))

    return answer


class _Meter:
    """CPU seconds of this process, its reader and the database's server, and texts given to the model."""

    def __init__(self, database: Database, clocked: Clocked) -> None:
        self._clocked = clocked
        with database.connection() as conn:
            row = conn.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        parent = psutil.Process(row[0]).parent()
        assert parent is not None
        self._server = parent

    def _now(self) -> tuple[float, float, float, int]:
        ours = time.process_time() + sum(map(_cpu, psutil.Process().children(recursive=True)))
        theirs = sum(map(_cpu, [self._server, *self._server.children(recursive=True)]))
        return ours, theirs, self._clocked.cpu_seconds, self._clocked.texts

    def measured(self, work: Callable[[], object]) -> tuple[float, float, float, int]:
        """What ``work`` took: worker without model, database, model, and texts."""
        before = self._now()
        work()
        worker, server, model, texts = (now - then for now, then in zip(self._now(), before, strict=True))
        return worker - model, server, model, int(texts)


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _drain(database: Database, into: Indexer, reading: ReadingProcess) -> None:
    with database.dedicated() as lock:
        if not jobs.become_runner(lock):
            raise RuntimeError("somebody else works on this library")
        Runner(database, lambda: into, OPTIONS, reading.read).drain(lock, CancelToken())
        jobs.resign(lock)


def _run(headings: bool, spool: Path) -> list[tuple[object, ...]]:
    real = open_embedder(resolve(EMBEDDED), EMBEDDED)
    real.embed_query("warm")
    clocked = Clocked(real)
    with library() as database, ReadingProcess() as reading, PageServer({}) as server:
        into = indexer(database, clocked)
        shown = StoredLibrary(database, Spool(spool), OPTIONS)

        def serve(**how: object) -> None:
            for number in range(PAGES):
                text = _page(number, headings=headings, **how)  # type: ignore[arg-type]
                server.pages[f"/{number}"] = _tagged(text) if "around" not in how else text

        def add() -> None:
            given = shown.add([server.url(f"/{number}") for number in range(PAGES)])
            ids.extend(one.source_id for one in given if isinstance(one, Accepted))
            _drain(database, into, reading)

        def refresh() -> None:
            shown.documents.refresh(ids)
            _drain(database, into, reading)

        def reextract() -> None:
            shown.documents.reextract(shown.documents.read_by_older())
            _drain(database, into, reading)

        ids: list[UUID] = []
        serve()
        meter = _Meter(database, clocked)
        rows = [("first", *meter.measured(add))]
        rows.append(("unchanged, 304", *meter.measured(refresh)))
        serve(around="answered just now")
        rows.append(("other bytes, same text", *meter.measured(refresh)))
        serve(more=1)
        rows.append(("one paragraph more", *meter.measured(refresh)))
        with database.connection() as conn:
            conn.execute("UPDATE document_versions SET extractor_version = extractor_version - 1")
        rows.append(("by a newer reader, same text", *meter.measured(reextract)))
    first = sum(rows[0][1:4])
    return [
        (label, *(cpu * 1000 / PAGES for cpu in cpus[:3]), cpus[3], sum(cpus[:3]) / first)
        for label, *cpus in rows
    ]


def run() -> str:
    """Pages with headings, and pages without, whose text is undivided."""
    import tempfile

    head = (
        "refresh", "worker CPU ms per page", "database CPU ms per page", "model CPU ms per page",
        "texts sent", "share of the first",
    )  # fmt: skip
    tables = []
    for headings, title in ((True, "with headings"), (False, "without headings")):
        with tempfile.TemporaryDirectory() as folder:
            rows = _run(headings, Path(folder))
        tables.append(table(f"Looking at {PAGES} pages again ({title})", head, rows))
    return "\n".join(tables)


if __name__ == "__main__":
    print(run())
