"""The schema of a database as text, for comparing and for writing ``schema.sql``."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from webrag_desktop.stack.postgres.binaries import find_binaries

SCHEMA_FILE = Path(__file__).parents[2] / "webrag_desktop" / "storage" / "schema.sql"


def dump_schema(address: Mapping[str, str | int]) -> str:
    """``pg_dump --schema-only`` without what changes from run to run."""
    conninfo = " ".join(f"{key}='{value}'" for key, value in address.items() if key != "password")
    done = subprocess.run(
        [
            find_binaries().program("pg_dump"),
            "--schema-only",
            "--no-owner",
            "--no-privileges",
            "--no-comments",
            conninfo,
        ],
        env={"PGPASSWORD": str(address["password"])},
        capture_output=True,
        text=True,
        check=True,
    )
    kept = [
        line
        for line in done.stdout.splitlines()
        if not line.startswith(("--", "\\", "SET ", "SELECT pg_catalog."))
    ]
    return "\n".join(line for n, line in enumerate(kept) if line or (n and kept[n - 1])).strip() + "\n"
