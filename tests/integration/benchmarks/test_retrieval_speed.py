"""The benchmark of retrieval asks a library that is a library, and every question finds something."""

import pytest

from benchmarks import retrieval_speed
from benchmarks.retrieval_speed_parts import hardships
from benchmarks.retrieval_speed_parts.filling import fill
from benchmarks.retrieval_speed_parts.vectors import clustered
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.database import Database

CHILDREN = 80
OF_CHUNKS = (
    "chunks-verbatim",
    "words-indexed",
    "words-scored",
    "chunks-current",
    "vectors-complete",
)


def test_a_filled_library_is_sound_and_answers(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval_speed, "ROUNDS", 1)
    vectors = clustered(CHILDREN)
    bench = retrieval_speed.Bench(database, fill(database, vectors, None), vectors)
    try:
        children, whole, *_others, recall = bench.row()
        sizes, spent = bench.sizes(), bench.processor()
        halves = bench.halfvec()
        with database.connection() as conn:
            assert offenders_of(conn, *OF_CHUNKS) == []
        monkeypatch.setattr(hardships, "DELETED", 10)
        _children, deleted, share = bench.after_deleting()
    finally:
        bench.close()
    assert (children, sizes[0]) == (CHILDREN, CHILDREN)
    assert isinstance(whole, float)
    assert recall == 1.0
    assert spent[0] == CHILDREN
    assert isinstance(spent[1], float)
    assert spent[1] > 0
    assert halves[4] == 1.0
    assert isinstance(deleted, int)
    assert 10 <= deleted <= 30
    assert share == 1.0
    with database.connection() as conn:
        assert conn.execute("SELECT sum(children) FROM lexical_segments").fetchone() == (CHILDREN,)


def test_the_nearest_of_what_is_left_are_found_beside_deleted_neighbours(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardships, "DELETED", 400)
    vectors = clustered(4_000)
    bench = retrieval_speed.Bench(database, fill(database, vectors, None), vectors)
    try:
        assert bench.after_deleting()[2] == 1.0
    finally:
        bench.close()
