"""Server settings for one person's computer: modest memory, few wake-ups, a log that stays small."""

from pathlib import Path

import psutil

_MEGABYTE = 1024 * 1024


def server_settings() -> dict[str, str]:
    """Settings to pass by ``-c``. Memory figures follow the machine: an eighth of it, within limits."""
    total = psutil.virtual_memory().total // _MEGABYTE
    maintenance = _within(64, total // 8, 1024)
    return _parallel_build_memory(maintenance) | {
        "cluster_name": "webrag",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "max_connections": "50",
        "shared_buffers": f"{_within(64, total // 16, 256)}MB",
        "effective_cache_size": f"{_within(128, total // 2, 16384)}MB",
        # HNSW indexes are built several times faster when the graph fits in here.
        "maintenance_work_mem": f"{maintenance}MB",
        "autovacuum_work_mem": "64MB",
        # Deleted neighbours starve an HNSW scan until VACUUM: look often, it costs nothing when idle.
        "autovacuum_naptime": "30s",
        "autovacuum_max_workers": "2",
        "random_page_cost": "1.1",
        "jit": "off",
        # No replicas here, so write-ahead log needs only what a crash needs; fills files half as fast.
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "max_logical_replication_workers": "0",
        "wal_compression": "on",
        "max_wal_size": "512MB",
        # Failing statements go to the caller; in the log they would pile up and hold what the user reads.
        "log_min_messages": "log",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_checkpoints": "off",
        "log_autovacuum_min_duration": "-1",
    }


def _within(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))


def _parallel_build_memory(megabytes: int) -> dict[str, str]:
    """Use files where ``/dev/shm`` is too small for a parallel index build, as it is in most containers."""
    shm = Path("/dev/shm")  # noqa: S108 - only asked for its size
    if not shm.is_dir() or psutil.disk_usage(str(shm)).total // _MEGABYTE >= megabytes:
        return {}
    return {"dynamic_shared_memory_type": "mmap"}
