"""Run a program as an ordinary user although we are root: PostgreSQL refuses to run as root.

A script of its own, run by path in a fresh interpreter (``python -I -S launcher.py MODE UID GID [COMMAND…]``),
because entering a user namespace needs a process with one thread. Without a command it only tries.

``namespace``: a user namespace in which our uid is called UID. Files stay ours, the program has no privileges.
``user``: really become UID, keeping only the right to pass over file permissions, since the data folder may
be in a place that user may not read (``/root``). For containers that forbid user namespaces.
"""

import ctypes
import os
import sys
from pathlib import Path

_NEW_USER_NAMESPACE = 0x10000000
_PR_SET_KEEP_CAPABILITIES = 8
_PR_AMBIENT, _PR_AMBIENT_RAISE = 47, 2
_OVERRIDE_PERMISSIONS = 1  # CAP_DAC_OVERRIDE
_CAPABILITY_VERSION = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def enter_namespace(uid: int, gid: int) -> None:
    """Have the id ``uid`` from here on; every other user becomes nobody."""
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    _call("unshare", _NEW_USER_NAMESPACE)
    Path("/proc/self/setgroups").write_text("deny", "ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {outer_uid} 1", "ascii")
    Path("/proc/self/gid_map").write_text(f"{gid} {outer_gid} 1", "ascii")


def become_user(uid: int, gid: int) -> None:
    """Give up being root, keep the right to open files regardless of their permissions."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    _call("prctl", _PR_SET_KEEP_CAPABILITIES, 1, 0, 0, 0)
    os.setresuid(uid, uid, uid)
    kept = 1 << _OVERRIDE_PERMISSIONS
    sets = (_Sets * 2)(_Sets(kept, kept, kept), _Sets(0, 0, 0))
    _call("capset", ctypes.byref(_Header(_CAPABILITY_VERSION, 0)), ctypes.byref(sets))
    _call("prctl", _PR_AMBIENT, _PR_AMBIENT_RAISE, _OVERRIDE_PERMISSIONS, 0, 0)


def main(arguments: list[str]) -> None:
    """Change identity, then become the command; an OSError means that this machine forbids it."""
    mode, uid, gid, *command = arguments
    {"namespace": enter_namespace, "user": become_user}[mode](int(uid), int(gid))
    if command:
        os.execv(command[0], command)  # noqa: S606 - an argument list, no shell


def _call(name: str, *arguments: object) -> None:
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


if __name__ == "__main__":
    main(sys.argv[1:])
