"""The worker uses keys that nobody can read in its environment, which reports of crashes quote."""

import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.support.embedding_server import EmbeddingServer, hashed_vector
from tests.support.gui_library import Address, settings_for
from webrag_desktop.library.data_folder import DataFolder

MODEL, KEYS = "text-embedding-3-small", ("sk-of-the-embedding", "sk-of-the-chat", "sk-of-the-reranker")


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere no process shows another's environment as a file"
)
def test_a_started_worker_embeds_with_a_key_that_its_environment_does_not_hold(
    clone: Callable[[str], Address], migrated_template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUTF8", "1")  # so that it is started as a program, not forked
    shown: list[bytes] = []

    def looking(text: str, dimensions: int) -> list[float]:
        workers = [one for one in psutil.Process().children() if "--background" in one.cmdline()]
        shown.extend(Path(f"/proc/{one.pid}/environ").read_bytes() for one in workers)
        shown.extend(Path(f"/proc/{one.pid}/cmdline").read_bytes() for one in workers)
        return hashed_vector(text, dimensions)

    page = tmp_path / "rhine.md"
    page.write_text("# Rhine\n\nThe Rhine rises in the Alps.", encoding="utf-8")
    with EmbeddingServer({MODEL: 1536}, key=KEYS[0], vector=looking) as server:
        settings = settings_for(
            clone(migrated_template),
            tmp_path / "home",
            EMBEDDING_BACKEND="openai",
            EMBEDDING_MODEL=MODEL,
            EMBEDDING_BASE_URL=server.url,
            EMBEDDING_API_KEY=KEYS[0],
            CHAT_API_KEY=KEYS[1],
            RETRIEVAL_RERANK_API_KEY=KEYS[2],
        )
        with DataFolder(settings).open() as library:
            library.add([str(page)])
            library.worker.start().wait(120)
            assert [one.state for one in library.documents.all()] == ["ready"]
    assert any(b"WEBRAG_HOME=" in one for one in shown)
    assert not [key for key in KEYS for one in shown if key.encode() in one]
    assert not [one for one in shown if b"WEBRAG_DATABASE_URL" in one]
