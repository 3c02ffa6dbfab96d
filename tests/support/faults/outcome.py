"""What must be true of a library when the killing has ended."""

from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.driver import Driver, texts
from webrag_desktop import Library

MODEL = "nomic-embed-text"


def settings_for(models: EmbeddingServer) -> dict[str, str]:
    """Settings of a program that embeds by the stand-in server."""
    return {
        "EMBEDDING_BACKEND": "ollama",
        "EMBEDDING_BASE_URL": models.url,
        "EMBEDDING_MODEL": MODEL,
        "WEBRAG_STACK": "embedded",
    }


def assert_all_there(services: Library, driver: Driver) -> None:
    """Every document is ready with the text its page holds, once; doctor looks closely and finds nothing."""
    found = texts(services)
    lost, returned = driver.wanted.keys() - found.keys(), found.keys() - driver.wanted.keys()
    assert not lost, lost
    assert not returned, {address: found[address][:60] for address in returned}
    for address, text in driver.wanted.items():
        assert text in found[address], (address, found[address])
    with services.database.connection() as conn:
        versions = conn.execute(
            "SELECT document_id FROM document_versions GROUP BY document_id, content_hash HAVING count(*) > 1"
        ).fetchall()
        held = conn.execute("SELECT count(*) FROM document_versions").fetchone()
    assert versions == []
    assert held is not None
    assert held[0] <= sum(len(versions) for versions in driver.held.values())
    assert [finding for finding in services.doctor.check(deep=True) if not finding.ok] == []
