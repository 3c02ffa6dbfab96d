"""``python -m benchmarks.backup``: saving, checking and restoring a library, and the memory that takes.

The library is made up by the database itself: chunks of random words, random vectors, kept copies that do not compress.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

from benchmarks.measuring import EMBEDDED, library, table
from webrag_desktop.orchestration import backup
from webrag_desktop.orchestration.corpus_space import ChunkTargets, settle_space
from webrag_desktop.progress import Step
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database

ResultT = TypeVar("ResultT")
MEGABYTE = 1_000_000

_FILL = """
    CREATE TEMPORARY TABLE made AS
    SELECT gen_random_uuid() AS id, gen_random_uuid() AS version, gen_random_uuid() AS copy, number
      FROM generate_series(1, {documents}) AS number;
    INSERT INTO sources (id, kind, state) SELECT id, 'url', 'ready' FROM made;
    INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
    SELECT id, 'given', 'https://example.org/' || number, number::text, sha256(id::text::bytea) FROM made;
    INSERT INTO captures (id, source_id, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)
    SELECT copy, id, 'u', 'u',
           (SELECT string_agg(sha512((part || id::text)::bytea), '') FROM generate_series(1, 800) part),
           sha256(''), 51200, now() FROM made;
    INSERT INTO document_versions (id, document_id, capture_id, source_url, markdown, plain_text, content_hash,
                                   raw_hash, extractor_version, fetched_at)
    SELECT version, id, copy, 'https://example.org/' || number, m.words, m.words, md5(m.words), sha256(''), 1, now()
      FROM made, LATERAL (SELECT string_agg(md5((part || id::text)::text), ' ') AS words
                            FROM generate_series(1, 600) part) m;
    INSERT INTO documents (id, active_version, url, source_url, doc_type, content_hash, fetched_at)
    SELECT m.id, v.id, v.source_url, v.source_url, 'html', v.content_hash, now()
      FROM made m JOIN document_versions v ON v.id = m.version;
    INSERT INTO chunks (id, document_id, version_id, chunking_id, chunk_level, chunk_index, chunk_text, has_table,
                        has_code, has_math, has_definition_list, has_admonition, has_steps, char_start, char_end,
                        token_start, token_end, source_url)
    SELECT gen_random_uuid(), v.document_id, v.id, '{chunking}', 'parent', n, substr(v.markdown, n * 990 + 1, 990),
           false, false, false, false, false, false, n * 990, n * 990 + 990, n, n + 1, v.source_url
      FROM document_versions v, generate_series(0, 19) n;
    INSERT INTO chunks (id, document_id, version_id, parent_id, chunking_id, chunk_level, chunk_index, chunk_text,
                        has_table, has_code, has_math, has_definition_list, has_admonition, has_steps, char_start,
                        char_end, token_start, token_end, source_url, search_vector)
    SELECT gen_random_uuid(), document_id, version_id, id, chunking_id, 'child', chunk_index, chunk_text, false, false,
           false, false, false, false, char_start, char_end, token_start, token_end, source_url,
           webrag_search_vector('en', '', chunk_text, '{{}}') FROM chunks;
    INSERT INTO {vectors} (chunk_id, document_id, text_hash, embedding)
    SELECT c.id, c.document_id, sha256(c.id::text::bytea), l2_normalize(
               (SELECT array_agg(random() - 0.5) FROM generate_series(1, 384) WHERE c.id IS NOT NULL)::vector)
      FROM chunks c WHERE c.chunk_level = 'child';
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--documents", type=int, default=1000, help="of 20 passages and 51 kB of kept copy each"
    )
    arguments = parser.parse_args()
    with library() as database, library() as other, tempfile.TemporaryDirectory() as folder:
        _fill(database, arguments.documents)
        print(_measured(database, other, Path(folder)))


def _fill(database: Database, documents: int) -> None:
    space = settle_space(database, EMBEDDED, ChunkTargets())
    with database.connection() as conn:
        index = f"{space.table}_hnsw_idx"
        made = conn.execute("SELECT pg_get_indexdef(to_regclass(%s))", [index]).fetchone()
        assert made is not None
        conn.execute(f"DROP INDEX {index}")
        filled = _FILL.format(documents=documents, chunking=space.space.chunking_id, vectors=space.table)
        conn.execute(filled)
        conn.execute(made[0])


def _measured(database: Database, other: Database, folder: Path) -> str:
    path, spool = folder / "library.webrag", Spool(folder / "spool")
    saving, restoring = _Watch(), _Watch()
    saved, save_row = _timed(
        "save", lambda: backup.save(database.unmanaged, path, "benchmark", progress=saving.note)
    )
    manifest, check_row = _timed("check", lambda: backup.check_backup(path))
    _restored, restore_row = _timed(
        "restore",
        lambda: backup.restore_library(other.unmanaged, path, folder, spool, progress=restoring.note),
    )
    held = sum(member.size for member in manifest.members) / MEGABYTE
    rows: list[tuple[object, ...]] = [(*row, held / row[1]) for row in (save_row, check_row, restore_row)]
    title = (
        f"Backup: {manifest.rows('documents'):,} documents, {manifest.rows('chunks'):,} chunks, {held:,.0f} MB in "
        f"a file of {saved.size / MEGABYTE:,.0f} MB; memory grew by {saving.growth:,.0f} and {restoring.growth:,.0f} MB"
    )
    rows += [(f"    {name}", seconds, "", "") for name, seconds in restoring.phases()]
    return table(title, ("step", "wall s", "CPU s of our process", "MB/s"), rows)


class _Watch:
    """Notes when each phase begins, and how much memory the process takes meanwhile."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._before = self._most = self._process.memory_info().rss
        self._begun: dict[str, float] = {}

    def note(self, step: Step) -> None:
        self._begun.setdefault(step.name, time.perf_counter())
        self._most = max(self._most, self._process.memory_info().rss)

    @property
    def growth(self) -> float:
        return (self._most - self._before) / MEGABYTE

    def phases(self) -> list[tuple[str, float]]:
        ends = [*list(self._begun.values())[1:], time.perf_counter()]
        return [(name, end - at) for (name, at), end in zip(self._begun.items(), ends, strict=True)]


def _timed(name: str, work: Callable[[], ResultT]) -> tuple[ResultT, tuple[str, float, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, (name, time.perf_counter() - wall, time.process_time() - cpu)


if __name__ == "__main__":
    main()
