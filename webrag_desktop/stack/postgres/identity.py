"""The user that runs the server: our own or, where PostgreSQL refuses that, an unprivileged one."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webrag_desktop.errors import StackError
from webrag_desktop.stack.postgres import launcher
from webrag_desktop.stack.processes import child_environment

if sys.platform != "win32":
    import pwd

_PROBE_SECONDS = 30
LauncherMode = Literal["namespace", "user"]


@dataclass(frozen=True)
class Identity:
    """What to put before a command, and the uid (as we see it) that must own the cluster (None: ourselves)."""

    prefix: tuple[str, ...] = ()
    owner: tuple[int, int] | None = None

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command that runs ``arguments`` with this identity."""
        return [*self.prefix, *arguments]

    def hand_over(self, folder: Path) -> None:
        """Make the whole folder belong to this identity (after a move between machines or ways to run)."""
        if sys.platform == "win32" or os.geteuid() != 0:
            return
        uid, gid = self.owner or (os.geteuid(), os.getegid())
        if folder.stat().st_uid == uid:
            return
        for root, _, files in os.walk(folder):
            for path in (root, *(os.path.join(root, name) for name in files)):  # noqa: PTH118 - thousands of files
                os.chown(path, uid, gid, follow_symlinks=False)


def choose_identity() -> Identity:
    """Our own where PostgreSQL accepts that; raises StackError when root cannot become another user."""
    if sys.platform == "win32" or (os.geteuid() != 0 and _has_account(os.geteuid())):
        return Identity()
    modes: tuple[LauncherMode, ...] = ("namespace", "user") if os.geteuid() == 0 else ("namespace",)
    for mode in modes:
        identity = launched_identity(mode)
        if identity is not None and _works(identity):
            return identity
    if os.geteuid() != 0:
        return Identity()
    raise StackError(
        "PostgreSQL refuses to run as root, and on this machine root cannot become another user. Nothing was changed.",
        "Start WebRAG as an ordinary user, or set WEBRAG_DATABASE_URL to a PostgreSQL server with pgvector.",
    )


def launched_identity(mode: LauncherMode) -> Identity | None:
    """An identity that uses the launcher, untested; None where there is no account to use."""
    account = _unprivileged_account()
    if account is None or not sys.platform.startswith("linux"):
        return None
    python = (sys.executable, "-I", "-S", launcher.__file__)
    prefix = (*python, mode, str(account[0]), str(account[1]))
    return Identity(prefix, account if mode == "user" else None)


def _works(identity: Identity) -> bool:
    probe = subprocess.run(
        identity.prefix, env=child_environment(), capture_output=True, timeout=_PROBE_SECONDS, check=False
    )
    return probe.returncode == 0


def _unprivileged_account() -> tuple[int, int] | None:
    """uid and gid of an account that exists (``initdb`` reads its name), preferably one for this purpose."""
    accounts = {entry.pw_name: (entry.pw_uid, entry.pw_gid) for entry in pwd.getpwall() if entry.pw_uid != 0}
    preferred = [accounts[name] for name in ("postgres", "nobody") if name in accounts]
    return next(iter([*preferred, *accounts.values()]), None)


def _has_account(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True
