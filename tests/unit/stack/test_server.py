from pathlib import Path

import pytest

from webrag_desktop.errors import DatabaseError
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.postgres.server import address_of, keep_log_small, server_settings, start_failed
from webrag_desktop.stack.processes import ServerProcess


def test_the_reason_in_the_log_is_reported(tmp_path: Path) -> None:
    said = (
        "2026-01-01 00:00:00.000 UTC [1] LOG:  starting\n"
        "2026-01-01 00:00:00.000 UTC [1] FATAL:  could not map anonymous shared memory\n"
        "2026-01-01 00:00:00.000 UTC [1] LOG:  shut down\n"
    )
    error = start_failed(Layout.of(tmp_path), said)
    assert "It said: could not map anonymous shared memory." in error.message
    assert str(Layout.of(tmp_path).log) in error.hint


def test_silence_is_no_reason(tmp_path: Path) -> None:
    error = start_failed(Layout.of(tmp_path), "")
    assert isinstance(error, DatabaseError)
    assert "It said" not in error.message


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    said = '[1] FATAL:  could not write lock file "postmaster.pid": No space left on device\n'
    assert "is full" in start_failed(Layout.of(tmp_path), said).message


@pytest.mark.parametrize(("size", "kept"), [(10, True), (3_000_000, False)])
def test_the_log_is_rotated_when_it_grows_large(tmp_path: Path, size: int, kept: bool) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"x" * size)
    keep_log_small(log)
    assert log.exists() == kept
    assert (tmp_path / "server.log.1").exists() != kept


def test_no_variable_of_the_user_decides_about_the_connection() -> None:
    keywords = address_of(ServerProcess(1, "/run/x", 5432, ready=True), "secret").keywords()
    assert keywords["require_auth"] == "scram-sha-256"
    assert {"options", "client_encoding", "sslmode", "gssencmode", "channel_binding"} <= keywords.keys()


@pytest.mark.parametrize("gigabytes", [0.5, 2, 8, 256])
def test_memory_settings_fit_the_machine(gigabytes: float, monkeypatch: pytest.MonkeyPatch) -> None:
    class Memory:
        total = int(gigabytes * 1024**3)

    monkeypatch.setattr("psutil.virtual_memory", Memory)
    settings = server_settings()
    megabytes = {
        name: int(settings[name].removesuffix("MB")) for name in ("shared_buffers", "maintenance_work_mem")
    }
    assert sum(megabytes.values()) <= gigabytes * 1024 / 3
    assert 64 <= megabytes["shared_buffers"] <= 256
    assert 64 <= megabytes["maintenance_work_mem"] <= 1024


@pytest.mark.parametrize(("shm_megabytes", "files"), [(64, True), (100_000, False)])
def test_a_small_shared_memory_folder_is_avoided(
    shm_megabytes: int, files: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        total = shm_megabytes * 1024**2

    monkeypatch.setattr("psutil.disk_usage", lambda _path: Usage)
    monkeypatch.setattr(Path, "is_dir", lambda _path: True)
    assert ("dynamic_shared_memory_type" in server_settings()) == files


def test_settings_need_no_quoting() -> None:
    assert not any(set(value) & set(" \"'\\") for value in server_settings().values())
