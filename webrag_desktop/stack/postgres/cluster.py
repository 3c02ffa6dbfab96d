"""Creating the database cluster: all or nothing, with a random password only the owner can read."""

import os
import secrets
import shutil
import subprocess
from pathlib import Path

from webrag_desktop.errors import DatabaseError, StackError
from webrag_desktop.progress import ProgressCallback, Step, reported_when_long
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.locks import disk_full
from webrag_desktop.stack.postgres.binaries import Binaries
from webrag_desktop.stack.postgres.identity import Identity
from webrag_desktop.stack.processes import child_environment

USER = "webrag"
MAJOR_VERSION = "18"
_UNFINISHED = "data.unfinished-"
_INITDB_SECONDS = 300


def read_password(path: Path) -> str:
    """The stored password; raises DatabaseError when it is gone."""
    try:
        return path.read_text("ascii").strip()
    except FileNotFoundError as error:
        raise DatabaseError(
            f"The password of the database is missing: {path}. Your library is untouched, but locked.",
            "Bring the file back from a backup of the data folder.",
        ) from error


def ensure_password(path: Path) -> str:
    """The stored password; generated and stored (mode 0600) when there is none."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_password(path)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32))
        file.flush()
        os.fsync(descriptor)
    return read_password(path)


def ensure_cluster(
    layout: Layout, binaries: Binaries, identity: Identity, progress: ProgressCallback
) -> None:
    """Create the cluster in ``layout.data`` if missing, and check its version; the caller holds the startup lock."""
    if layout.data.exists():
        _check_version(layout.data)
    else:
        _create(layout, binaries, identity, progress)
    identity.hand_over(layout.data)


def _check_version(data: Path) -> None:
    try:
        version = (data / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError as error:
        raise DatabaseError(
            f"The folder {data} is no database: its PG_VERSION is missing. Nothing was changed.",
            "Bring the folder back from a backup, or move it away to begin with an empty library.",
        ) from error
    if version != MAJOR_VERSION:
        raise DatabaseError(
            f"The library was made by PostgreSQL {version}, and this program brings PostgreSQL "
            f"{MAJOR_VERSION}, which cannot open it. Your library is untouched.",
            "Use the WebRAG version that made it, or move the folder "
            f"{data} away and add your sources again.",
        )


def _create(layout: Layout, binaries: Binaries, identity: Identity, progress: ProgressCallback) -> None:
    """Create it under another name and rename it, so that a crash leaves no incomplete cluster."""
    progress(Step("Creating the database"))
    for leftover in layout.folder.glob(_UNFINISHED + "*"):
        shutil.rmtree(leftover, ignore_errors=True)
    # Without a cluster a stored password locks nothing, and an interrupted start may have left half of one.
    layout.password.unlink(missing_ok=True)
    ensure_password(layout.password)
    unfinished = layout.folder / f"{_UNFINISHED}{secrets.token_hex(4)}"
    with reported_when_long("the database is being created"):
        finished = _run(identity.command(_initdb(binaries, unfinished, layout.password)), layout.folder)
    if finished.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise creation_failed(layout.folder, (finished.stderr + finished.stdout).decode(errors="replace"))
    unfinished.rename(layout.data)


def _run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=child_environment(),
            cwd=folder,
            timeout=_INITDB_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise creation_failed(folder, f"error: it took longer than {_INITDB_SECONDS} seconds") from error


def _initdb(binaries: Binaries, data: Path, password: Path) -> list[str]:
    return [
        *(binaries.program("initdb"), "-D", str(data), "-U", USER),
        *("-A", "scram-sha-256", "--pwfile", str(password), "-E", "UTF8"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions"),
    ]


def creation_failed(folder: Path, output: str) -> StackError:
    """The error for a failed ``initdb``, from what it printed."""
    if "No space left on device" in output:
        return disk_full(folder)
    reason = next((line for line in output.splitlines() if "error:" in line or "FATAL" in line), "")
    return StackError(
        f"The database could not be created in {folder}. {reason}".strip(),
        "Choose another data folder with WEBRAG_HOME, or run 'webrag doctor' for details.",
    )
