"""What doctor finds broken is mended from what was kept, once, and what cannot be mended is reported."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Timer
from typing import Any

import pytest

from tests.support.corpus import add_page
from tests.support.library_content import content
from tests.support.small_library import page
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import Cancelled, ConfigurationError, EmbeddingError, StackError
from webrag_desktop.indexing import splitting
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.maintenance import checkup
from webrag_desktop.maintenance.checking import DeepCheck, Mending
from webrag_desktop.maintenance.checks import CHECKS
from webrag_desktop.maintenance.checkup import mend_library, run_checks
from webrag_desktop.models.checks import Repair
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.storage import document_columns
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import citations
from webrag_desktop.storage.queue import jobs

CHILD = "(SELECT id FROM chunks WHERE chunk_level = 'child' ORDER BY id LIMIT 1)"
PARENT = "(SELECT id FROM chunks WHERE chunk_level = 'parent' AND chunk_index = 1 ORDER BY id LIMIT 1)"
SHOWN = "id IN (SELECT active_version FROM documents)"
IN_SPACE = "DO $$ BEGIN EXECUTE (SELECT format({}, table_name) FROM embedding_spaces); END $$"

# Damage by the check that finds it; everything of it can be mended, and the library is then what it was.
MENDED = {
    "chunks-verbatim": f"UPDATE chunks SET chunk_text = 'x' || substr(chunk_text, 2) WHERE id = {CHILD}",
    "parents-partition": f"UPDATE chunks SET char_end = char_end + 1 WHERE id = {PARENT}",
    "children-partition": f"DELETE FROM chunks WHERE id = {CHILD}",
    "chunks-current": f"UPDATE chunks SET source_url = 'https://elsewhere.org/' WHERE id = {CHILD}",
    "words-indexed": f"UPDATE chunks SET search_vector = NULL WHERE id = {CHILD}",
    "words-scored": "DELETE FROM lexical_segments",
    "words-scored removals": """
        INSERT INTO lexical_removals (chunking_id, language, ordinals, lengths)
        SELECT chunking_id, language, ordinals[1:1], '{9}' FROM lexical_segments
    """,
    "word-index-true": "DELETE FROM lexical_postings",
    "texts-unaltered": "UPDATE document_versions SET markdown = markdown || ' '",
    "texts-unaltered hash": "UPDATE document_versions SET content_hash = 'x'",
    "texts-unaltered document": "UPDATE documents SET content_hash = 'x'",
    "blocks-inside": 'UPDATE document_versions SET blocks = \'[{"char_start": 5, "char_end": 5}]\'',
    "blocks-inside no list": "UPDATE document_versions SET blocks = '{}'",
    "blocks-inside no blocks": "UPDATE document_versions SET blocks = '[\"a\", [1], null]'",
    "blocks-inside no numbers": 'UPDATE document_versions SET blocks = \'[{"char_start": "x", "char_end": null}]\'',
    "no-orphans unindexed": "DELETE FROM chunks",
    "no-orphans cache": """
        INSERT INTO vector_cache SELECT e.id, sha256(''), s.id, '' FROM embedding_spaces e, sources s
    """,
    "no-orphans cut late": """
        INSERT INTO chunk_cache (document_id, content_hash, chunker, space_id, spans, vectors, seal, size)
        SELECT d.id, 'another text', 'c', e.id, '', '', sha256(''), 0 FROM embedding_spaces e, documents d
    """,
    "figures-true": "UPDATE corpus SET tokens = tokens + 1",
    "figures-true document": "UPDATE documents SET tokens = tokens + 1",
    "citations-verbatim": "UPDATE citations SET char_start = char_start + 1",
    "citations-verbatim document": """
        UPDATE citations SET document_id = (SELECT id FROM sources WHERE id <> document_id ORDER BY id LIMIT 1)
    """,
    "vectors-complete": IN_SPACE.format(
        "'DELETE FROM %I WHERE chunk_id = (SELECT min(chunk_id::text)::uuid FROM %1$I)'"
    ),
    "vectors-complete length": IN_SPACE.format(
        "'UPDATE %I SET embedding = l2_normalize(embedding) + embedding'"
    ),
    "chunks-placed vector": IN_SPACE.format("'UPDATE %I SET text_hash = sha256(text_hash)'"),
    "vectors-complete space": "UPDATE corpus SET active_space = NULL",
    "spaces-accounted orphan": "CREATE TABLE embeddings_0123456789ab (chunk_id uuid)",
    "spaces-accounted index": IN_SPACE.format("'DROP INDEX ' || table_name || '_hnsw_idx'"),
    "spaces-accounted table": IN_SPACE.format("'DROP TABLE %I CASCADE'"),
    "spaces-accounted row": """
        INSERT INTO embedding_spaces (fingerprint, definition, chunking_id, dimensions, storage, table_name)
        VALUES ('f', '{}', 'c', 3, 'vector', 'embeddings_0')
    """,
    "spaces-accounted chunk": f"""
        INSERT INTO chunks (id, document_id, version_id, chunking_id, chunk_level, chunk_index, chunk_text, has_table,
                            has_code, has_math, has_definition_list, has_admonition, has_steps, char_start, char_end,
                            token_start, token_end, source_url)
        SELECT gen_random_uuid(), document_id, version_id, 'stray', chunk_level, 0, chunk_text, has_table,
               has_code, has_math, has_definition_list, has_admonition, has_steps, char_start, char_end,
               token_start, token_end, source_url FROM chunks WHERE id = {PARENT}
    """,
    "plain-text-true": "UPDATE document_versions SET plain_text = 'x' || plain_text",
    "plain-text-true map": "UPDATE document_versions SET plain_map = '[]'",
    "plain-text-true no map": "UPDATE document_versions SET plain_map = '{\"a\": [1]}'",
    "plain-text-true no runs": "UPDATE document_versions SET plain_map = '[[1], 2]'",
    "plain-text-true packed": "UPDATE document_versions SET plain_map = '\"AAAA\"'",
    "html-safe chunk": f"UPDATE chunks SET html_text = '<script>steal()</script>' WHERE id = {PARENT}",
    "no-orphans copy": "UPDATE document_versions SET capture_id = NULL",
    "chunks-placed": f"UPDATE chunks SET heading_path = '{{Elsewhere}}' WHERE id = {CHILD}",
    "chunks-placed anchor": f"UPDATE chunks SET anchor = 'elsewhere', page = 7 WHERE id = {PARENT}",
    "chunks-placed flags": f"UPDATE chunks SET has_code = NOT has_code WHERE id = {CHILD}",
    "chunks-placed places": f"UPDATE chunks SET places = '[]' WHERE id = {CHILD}",
    "chunks-placed html": f"UPDATE chunks SET html_text = '<p>Other</p>' WHERE id = {PARENT}",
    "chunks-placed html tokens": f"UPDATE chunks SET html_tokens = 99999 WHERE id = {PARENT}",
    "chunks-placed words": f"UPDATE chunks SET search_vector = to_tsvector('other') WHERE id = {CHILD}",
    "chunks-placed heading": f"UPDATE chunks SET section_heading = 'Elsewhere' WHERE id = {PARENT}",
}
# These mean work for the queue, so that the library is another one until that is done.
QUEUED = {
    "queue-legal": "UPDATE sources SET state = 'fetching'",
    "queue-legal open": "INSERT INTO jobs (source_id) SELECT id FROM sources",
    "no-orphans lost": "DELETE FROM documents",
}
LEFT = {
    "no-orphans": "DELETE FROM captures",
    "citations-verbatim": "UPDATE citations SET verbatim = 'nowhere'",
    "captures-unaltered": "UPDATE captures SET body_zstd = '\\x00'",
    "captures-unaltered hash": "UPDATE captures SET body_sha256 = sha256('')",
}


@dataclass(frozen=True)
class Patient:
    """A library, and who mends it."""

    database: Database
    mending: Mending

    def damage(self, statement: str) -> None:
        with self.database.connection() as conn:
            conn.execute(statement)

    def broken(self) -> set[str]:
        with self.database.connection() as conn:
            found = run_checks(conn)
        found += DeepCheck(self.database, CHECKS, self.mending.indexer).run()
        return {finding.check for finding in found if not finding.ok}

    def repair(self) -> list[Repair]:
        return mend_library(self.mending)


@pytest.fixture
def patient(small: Database, make_indexer: Callable[[Database], Indexer]) -> Patient:
    indexer = make_indexer(small)
    return Patient(small, Mending(small, lambda: indexer, lambda capture, _cancel: extract(capture)))


def derived(found: dict[str, Any]) -> dict[str, Any]:
    """The rows of all tables, without what tells when a source changed, where counters stand and postings lie."""
    left_out = ("sources", "objects", "lexical_segments", "lexical_postings", "lexical_removals")
    return {name: rows[:2] for name, rows in found.items() if name not in left_out}


def test_a_sound_library_is_left_alone(patient: Patient) -> None:
    before = content(patient.database)
    assert patient.broken() == set()
    assert patient.repair() == []
    assert content(patient.database) == before


def test_a_text_that_was_once_cut_within_a_character_is_left_alone(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(splitting, "between_characters", lambda _text, _at: True)
        earlier.setattr(splitting, "fairest_between", lambda _text, places: places[0])
        families = page("Families", "👩\u200d👩\u200d👧" * 2000)
        add_page(patient.database, patient.mending.indexer(), "https://example.org/families", families)
    with patient.database.connection() as conn:
        torn = conn.execute("SELECT 1 FROM chunks WHERE chunk_text LIKE %s", ["\u200d%"]).fetchall()
    assert torn
    before = content(patient.database)
    assert patient.broken() == set()
    assert patient.repair() == []
    assert content(patient.database) == before


@pytest.mark.parametrize("damage", MENDED)
def test_damage_is_found_and_mended_for_good(patient: Patient, damage: str) -> None:
    before = content(patient.database)
    patient.damage(MENDED[damage])
    assert damage.split(maxsplit=1)[0] in patient.broken()
    repairs = patient.repair()
    assert patient.broken() == set()
    assert [repair for repair in repairs if not repair.mended] == []
    assert any(repair.mended for repair in repairs)
    assert derived(content(patient.database)) == derived(before)
    assert patient.repair() == []


def test_a_map_of_many_runs_is_packed_and_read_back(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with patient.database.connection() as conn:
        (version,) = conn.execute("SELECT id FROM document_versions LIMIT 1").fetchone() or ()
        before = citations.load_readable(conn, version)
    monkeypatch.setattr(document_columns, "MOST_LISTED", 0)
    patient.damage("UPDATE document_versions SET plain_map = '[]'")
    assert {repair.mended for repair in patient.repair()} == {True}
    assert patient.broken() == set()
    with patient.database.connection() as conn:
        assert conn.execute("SELECT DISTINCT jsonb_typeof(plain_map) FROM document_versions").fetchall() == [
            ("string",)
        ]
        assert citations.load_readable(conn, version) == before


@pytest.mark.parametrize("damage", [one for one in MENDED if one.startswith("plain-text-true")])
def test_texts_read_as_before_while_what_is_stored_of_it_is_damaged(patient: Patient, damage: str) -> None:
    with patient.database.connection() as conn:
        versions = [id_ for (id_,) in conn.execute("SELECT id FROM document_versions")]
        before = citations.load_plain_texts(conn, versions)
    patient.damage(MENDED[damage])
    with patient.database.connection() as conn:
        assert before == citations.load_plain_texts(conn, versions)
    assert before.keys() == set(versions)


def test_all_of_it_at_once_is_mended(patient: Patient) -> None:
    before = content(patient.database)
    for damage, statement in MENDED.items():
        # The first would drop the tables of all there is by then; with the second, nothing tells which text is right.
        if damage not in ("spaces-accounted table", "texts-unaltered hash"):
            patient.damage(statement)
    assert {repair.mended for repair in patient.repair()} == {True}
    assert patient.broken() == set()
    assert patient.repair() == []
    assert derived(content(patient.database)) == derived(before)


@pytest.mark.parametrize("damage", QUEUED)
def test_lost_work_is_queued_again(patient: Patient, damage: str) -> None:
    patient.damage(QUEUED[damage])
    assert damage.split(maxsplit=1)[0] in patient.broken()
    assert {repair.mended for repair in patient.repair()} == {True}
    assert patient.broken() == set()
    with patient.database.connection() as conn:
        assert len(jobs.open_sources(conn)) == 2
    assert patient.repair() == []


@pytest.mark.parametrize("damage", LEFT)
def test_what_cannot_be_mended_is_reported_and_left(patient: Patient, damage: str) -> None:
    patient.damage(LEFT[damage])
    before = content(patient.database)
    check = damage.split(maxsplit=1)[0]
    assert patient.broken() == {check}
    repairs = patient.repair()
    assert {(repair.check, repair.mended) for repair in repairs} == {(check, False)}
    assert patient.broken() == {check}
    assert content(patient.database) == before


def test_what_means_nothing_stops_neither_the_looking_nor_the_mending(patient: Patient) -> None:
    patient.damage("UPDATE document_versions SET blocks = '[\"a\"]', plain_text = ''")
    patient.damage("DELETE FROM captures")
    patient.damage(MENDED["figures-true"])
    repairs = patient.repair()
    assert [repair.check for repair in repairs if repair.mended] == ["figures-true"]
    assert patient.broken() == {"blocks-inside", "chunks-placed", "no-orphans", "plain-text-true"}


class Refusing:
    """An embedding model that does not answer."""

    def __init__(self, real: Embedder) -> None:
        self.model = real.model
        self.asked: list[str] = []

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self.asked += texts
        raise EmbeddingError("The model does not answer.", "Start it.")

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        raise AssertionError(text)

    def close(self) -> None:
        pass


def test_without_the_model_all_else_is_mended_and_no_vector_is_lost(
    small: Database, make_indexer: Callable[..., Indexer], embedder: Embedder
) -> None:
    refusing = Refusing(embedder)
    indexer = make_indexer(small, refusing)
    patient = Patient(small, Mending(small, lambda: indexer, lambda capture, _cancel: extract(capture)))
    patient.damage(MENDED["chunks-verbatim"])
    patient.damage(MENDED["vectors-complete"])
    patient.damage(MENDED["figures-true"])
    found = patient.repair()
    assert [
        (one.mended, "The model does not answer. Start it." in one.message) for one in found if not one.mended
    ] == [(False, True)]
    assert len(refusing.asked) == 1  # all other vectors were kept
    assert "figures-true" not in patient.broken()


def test_a_text_that_reads_differently_today_becomes_a_new_version(patient: Patient) -> None:
    def otherwise(capture: Capture, _cancel: CancelToken) -> NormalizedDocument:
        found = extract(capture)
        markdown = found.markdown + "More.\n"
        digest = hashlib.sha256(markdown.encode()).hexdigest()
        return replace(found, markdown=markdown, content_hash=digest)

    patient.damage(f"UPDATE document_versions SET markdown = replace(markdown, 'e', 'é') WHERE {SHOWN}")
    patient.damage("UPDATE chunks SET chunk_text = upper(chunk_text)")
    with patient.database.connection() as conn:
        stored = conn.execute("SELECT id, markdown FROM document_versions ORDER BY id").fetchall()
    repairs = mend_library(replace(patient.mending, read=otherwise))
    assert [one.mended for one in repairs if one.check == "texts-unaltered"] == [False, False]
    with patient.database.connection() as conn:
        assert len(jobs.open_sources(conn)) == 2
        assert conn.execute("SELECT id, markdown FROM document_versions ORDER BY id").fetchall() == stored


@pytest.mark.parametrize("damage", ["captures-unaltered", "captures-unaltered hash"])
def test_a_text_is_not_read_from_a_damaged_copy(patient: Patient, damage: str) -> None:
    patient.damage(f"UPDATE document_versions SET markdown = markdown || ' ' WHERE NOT {SHOWN}")
    patient.damage(LEFT[damage])
    repairs = patient.repair()
    assert {repair.mended for repair in repairs if repair.check == "texts-unaltered"} == {False}
    assert patient.broken() == {"texts-unaltered", "captures-unaltered"}


def test_a_text_is_put_together_from_its_passages_where_no_copy_is_kept(patient: Patient) -> None:
    before = content(patient.database)["document_versions"]
    patient.damage(f"UPDATE document_versions SET markdown = replace(markdown, 'e', 'é') WHERE {SHOWN}")
    patient.damage("UPDATE captures SET body_zstd = ''")
    repairs = patient.repair()
    assert [repair.mended for repair in repairs if repair.check == "texts-unaltered"] == [True, True]
    assert patient.broken() == {"captures-unaltered"}
    assert content(patient.database)["document_versions"] == before


def test_stored_html_is_made_harmless(patient: Patient) -> None:
    html = '<p onclick="steal()">Rivers<script>steal()</script></p>'
    patient.damage(
        f"UPDATE document_versions SET html = '{html}',"
        f" blocks = jsonb_set(blocks, '{{0,html}}', to_jsonb('{html}'::text)) WHERE {SHOWN}"
    )
    assert "html-safe" in patient.broken()
    assert {one.mended for one in patient.repair()} == {True}
    assert patient.broken() == set()
    with patient.database.connection() as conn:
        rows = conn.execute(
            f"SELECT html, blocks->0->>'html' FROM document_versions WHERE {SHOWN}"
        ).fetchall()
        assert set(rows) == {("<p>Rivers</p>", "<p>Rivers</p>")}


def test_an_address_that_leads_nowhere_is_no_damage(patient: Patient) -> None:
    html = '<p><a href="http://&lt;servername&gt;/x.git">Rivers</a></p>'  # as older versions stored it
    patient.damage(f"UPDATE document_versions SET html = '{html}' WHERE {SHOWN}")
    assert patient.broken() == set()
    assert patient.repair() == []


@pytest.mark.parametrize(("most", "seen"), [(1, 1), (2, 2), (None, 3)])
def test_a_deep_check_reads_some_or_all(patient: Patient, most: int | None, seen: int) -> None:
    patient.damage(MENDED["plain-text-true"])
    found = DeepCheck(patient.database, CHECKS, patient.mending.indexer, most).run()
    assert [finding.broken for finding in found if not finding.ok] == [seen]


def test_where_the_model_cannot_be_used_the_rest_is_looked_at(patient: Patient) -> None:
    def indexer() -> Indexer:
        raise ConfigurationError("No model.")

    patient.damage(MENDED["plain-text-true"])
    found = {finding.check: finding.ok for finding in DeepCheck(patient.database, CHECKS, indexer).run()}
    assert found == {
        "plain-text-true": False,
        "html-safe": True,
        "captures-unaltered": True,
        "subresources-unaltered": True,
        "word-index-true": True,
    }


@pytest.mark.parametrize("seconds", [0.2, 600.0], ids=["that stays", "that has something to do"])
def test_nothing_is_mended_beside_a_worker(
    patient: Patient, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkup, "LEAVING_SECONDS", seconds)
    patient.damage(MENDED["figures-true"])
    if seconds > 1:
        patient.damage("INSERT INTO jobs (source_id) SELECT id FROM sources")
    with patient.database.dedicated() as worker:
        assert jobs.become_runner(worker)
        with pytest.raises(StackError, match="being indexed"):
            patient.repair()
    assert "figures-true" in patient.broken()


def test_a_worker_that_has_nothing_left_to_do_is_waited_for(patient: Patient) -> None:
    patient.damage(MENDED["figures-true"])
    with patient.database.dedicated() as worker:
        assert jobs.become_runner(worker)
        leaving = Timer(0.5, jobs.resign, [worker])
        leaving.start()
        repairs = patient.repair()
        leaving.join()
    assert [repair.mended for repair in repairs] == [True]
    assert patient.broken() == set()


def test_waiting_for_a_worker_can_be_cancelled(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "LEAVING_SECONDS", 600.0)
    cancel = CancelToken()
    with patient.database.dedicated() as worker:
        assert jobs.become_runner(worker)
        stopping = Timer(0.3, cancel.cancel)
        stopping.start()
        with pytest.raises(Cancelled):
            mend_library(replace(patient.mending, cancel=cancel))


def test_cancelling_keeps_what_was_mended(patient: Patient) -> None:
    patient.damage(MENDED["no-orphans cache"])
    patient.damage(MENDED["figures-true"])
    cancel = CancelToken()

    def stop_at_the_queue(step: Step) -> None:
        if step.detail == "queue":
            cancel.cancel()

    with pytest.raises(Cancelled):
        mend_library(replace(patient.mending, progress=stop_at_the_queue, cancel=cancel))
    assert patient.broken() == {"figures-true"}
