"""Each invariant is checked, and each check notices when its invariant is broken."""

import pytest

from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.storage.checks.statements import TABLES
from webrag_desktop.storage.database import Database

CHILD = "(SELECT id FROM chunks WHERE chunk_level = 'child' ORDER BY id LIMIT 1)"
PARENT = "(SELECT id FROM chunks WHERE chunk_level = 'parent' AND chunk_index = 1 ORDER BY id LIMIT 1)"
VECTORS = "DO $$ BEGIN EXECUTE (SELECT format({}, table_name) FROM embedding_spaces); END $$"
UNACCOUNTED = (  # beside a space that nobody knows of
    "CREATE TABLE embeddings_0123456789ab (chunk_id uuid)",
    "DO $$ BEGIN EXECUTE (SELECT format('DROP INDEX %I', table_name || '_hnsw_idx') FROM embedding_spaces); END $$",
    f"""
    WITH strayed AS (SELECT * FROM chunks WHERE id = {PARENT})
    INSERT INTO chunks (id, document_id, version_id, chunking_id, chunk_level, chunk_index, chunk_text, has_table,
                        has_code, has_math, has_definition_list, has_admonition, has_steps, char_start, char_end,
                        token_start, token_end, source_url)
    SELECT gen_random_uuid(), document_id, version_id, 'stray', chunk_level, chunk_index, chunk_text, has_table,
           has_code, has_math, has_definition_list, has_admonition, has_steps, char_start, char_end,
           token_start, token_end, source_url FROM strayed
    """,
)

DAMAGE = {
    "tables-there": "DROP TABLE lexical_postings",
    "chunks-verbatim": f"UPDATE chunks SET chunk_text = 'x' || substr(chunk_text, 2) WHERE id = {CHILD}",
    "parents-partition": f"UPDATE chunks SET char_end = char_end + 1 WHERE id = {PARENT}",
    "children-partition": f"DELETE FROM chunks WHERE id = {CHILD}",
    "chunks-current": f"UPDATE chunks SET source_url = 'https://elsewhere.org/' WHERE id = {CHILD}",
    "words-indexed": f"UPDATE chunks SET search_vector = NULL WHERE id = {CHILD}",
    "words-scored": "DELETE FROM lexical_segments",
    "texts-unaltered": "UPDATE document_versions SET markdown = markdown || ' '",
    "blocks-inside": 'UPDATE document_versions SET blocks = \'[{"char_start": 5, "char_end": 5}]\'',
    "queue-legal": "UPDATE sources SET state = 'fetching'",
    "no-orphans": "DELETE FROM captures",
    "subresources-complete": "INSERT INTO subresource_bodies VALUES (sha256('x'), 'x', 1)",
    "figures-true": "UPDATE corpus SET tokens = tokens + 1",
    "space-known": "UPDATE embedding_spaces SET definition = '{}'",
    "spaces-accounted": """
        INSERT INTO embedding_spaces (fingerprint, definition, chunking_id, dimensions, storage, table_name)
        VALUES ('f', '{}', 'c', 3, 'vector', 'embeddings_0')
    """,
    "citations-verbatim": """
        INSERT INTO citations (id, position, document_id, version_id, char_start, char_end, verbatim, quote, source_url)
        SELECT gen_random_uuid(), 1, document_id, id, 0, 4, 'wrong', 'wrong', source_url FROM document_versions
    """,
    "vectors-complete": VECTORS.format(
        "'DELETE FROM %I WHERE chunk_id = (SELECT min(chunk_id::text)::uuid FROM %1$I)'"
    ),
}


def broken(database: Database) -> set[str]:
    with database.connection() as conn:
        return {finding.check for finding in run_checks(conn) if not finding.ok}


def test_a_sound_library_passes_every_check(corpus: Database) -> None:
    with corpus.connection() as conn:
        findings = run_checks(conn)
    assert {finding.check for finding in findings} == set(DAMAGE)
    assert [finding for finding in findings if not finding.ok] == []


@pytest.mark.parametrize("check", DAMAGE)
def test_damage_is_noticed(corpus: Database, check: str) -> None:
    with corpus.connection() as conn:
        conn.execute(DAMAGE[check])
    assert check in broken(corpus)


def test_the_tables_that_are_looked_for_are_those_of_the_schema(corpus: Database) -> None:
    with corpus.connection() as conn:
        rows = conn.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
            " AND relname !~ '^embeddings_'"
        ).fetchall()
    assert {row[0] for row in rows} == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_without_a_table_everything_else_is_checked(corpus: Database, table: str) -> None:
    with corpus.connection() as conn:
        conn.execute(f"DROP TABLE {table} CASCADE")
    with corpus.connection() as conn:
        findings = run_checks(conn)
    assert [(one.check, one.examples) for one in findings if one.check == "tables-there"] == [
        ("tables-there", (table,))
    ]
    assert {one.check for one in findings} <= set(DAMAGE), "the checks of a sound library"
    assert all(one.ok for one in findings if one.check in ("texts-unaltered", "queue-legal", "space-known"))
    assert len(findings) > 1


@pytest.mark.parametrize("damage", UNACCOUNTED, ids=("table", "index", "chunk"))
def test_what_belongs_to_no_space_is_noticed(corpus: Database, damage: str) -> None:
    with corpus.connection() as conn:
        conn.execute(damage)
    assert "spaces-accounted" in broken(corpus)


def test_a_vector_that_is_not_of_length_one_is_noticed(corpus: Database) -> None:
    with corpus.connection() as conn:
        conn.execute(VECTORS.format("'UPDATE %I SET embedding = l2_normalize(embedding) + embedding'"))
    assert broken(corpus) == {"vectors-complete"}


def test_a_library_that_forgot_its_space_is_noticed(corpus: Database) -> None:
    with corpus.connection() as conn:
        conn.execute("UPDATE corpus SET active_space = NULL")
    assert broken(corpus) == {"vectors-complete", "spaces-accounted"}


def test_an_empty_library_is_sound(database: Database) -> None:
    assert broken(database) == set()
