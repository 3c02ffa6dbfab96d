"""Window, worker, server and commands are killed at random points, in any combination; nothing is lost or doubled.

The points are statements and commits, drawn from a seed: ``WEBRAG_TEST_FAULTS`` and ``WEBRAG_TEST_SEED`` ask for more
faults, or others. The record of what was killed where is shown when something is not as it should be.
"""

import os
from pathlib import Path

import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.driver import Driver, driven, texts
from webrag_desktop.bootstrap import Services

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
COUNT = int(os.environ.get("WEBRAG_TEST_FAULTS", "25"))
SEED = int(os.environ.get("WEBRAG_TEST_SEED", "20260211"))
MODEL = "nomic-embed-text"


def test_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    with EmbeddingServer({MODEL: 768}) as models:
        environment = {
            "EMBEDDING_BACKEND": "ollama",
            "EMBEDDING_BASE_URL": models.url,
            "EMBEDDING_MODEL": MODEL,
            "WEBRAG_STACK": "embedded",
        }
        with driven(tmp_path / "home", tmp_path, environment, SEED) as driver:
            print(f"seed {SEED}")
            driver.run(COUNT, driver.assert_sound)
            print("\n".join(driver.killed))
            assert len(driver.killed) >= COUNT
            driver.settle()
            driver.look(lambda services: assert_all_there(services, driver))


def assert_all_there(services: Services, driver: Driver) -> None:
    """Every document is ready with the text its page holds, once; doctor looks closely and finds nothing."""
    found = texts(services)
    assert found.keys() == driver.wanted.keys()
    for address, text in driver.wanted.items():
        assert text in found[address], (address, found[address])
    with services.database.connection() as conn:
        doubled = conn.execute(
            "SELECT document_id FROM document_versions GROUP BY document_id, content_hash HAVING count(*) > 1"
        ).fetchall()
        held = conn.execute("SELECT count(*) FROM document_versions").fetchone()
    assert doubled == []
    assert held is not None
    assert held[0] <= sum(len(versions) for versions in driver.held.values())
    assert [finding for finding in services.check(deep=True) if not finding.ok] == []
