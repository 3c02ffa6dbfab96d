"""The server as root, as an ordinary user, and where only one way to stop being root is left."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.stack_processes import StackUser, copy_cluster
from webrag_desktop.errors import StackError
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.postgres import identity as identity_module
from webrag_desktop.stack.postgres import server as server_module
from webrag_desktop.stack.postgres.identity import Identity, LauncherMode, choose_identity, launched_identity
from webrag_desktop.stack.processes import running_server

MakeStack = Callable[..., EmbeddedStack]

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="identities are changed on Linux"
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
_NOT_IN_PASSWD = 54321


def launched(mode: LauncherMode) -> Identity:
    identity = launched_identity(mode)
    assert identity is not None
    return identity


def uid_of_server(home: Path) -> int:
    server = running_server(Layout.of(home))
    assert server is not None
    return int(psutil.Process(server.pid).uids().effective)


def test_the_current_user_owns_the_files_and_the_server(home: Path, make_stack: MakeStack) -> None:
    make_stack().open()
    assert uid_of_server(home) == os.geteuid()
    owners = {path.stat().st_uid for path in home.rglob("*")}
    assert owners == {os.geteuid()}


@as_root
def test_root_with_a_folder_only_root_may_enter(
    tmp_path: Path, cluster_template: Path, make_stack: MakeStack
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    stack = make_stack(copy_cluster(cluster_template, closed / "home"))
    with psycopg.Connection.connect(**stack.open().keywords()) as connection:  # type: ignore[arg-type]
        assert connection.execute("SELECT 1").fetchone() == (1,)


@as_root
def test_root_where_user_namespaces_are_forbidden(
    home: Path, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster changes hands, twice, and root can use it throughout."""
    other = launched("user")
    assert other.owner is not None
    with monkeypatch.context() as patch:
        patch.setattr(server_module, "choose_identity", lambda: other)
        stack = make_stack()
        stack.open()
        assert uid_of_server(home) == other.owner[0]
        assert Layout.of(home).data.stat().st_uid == other.owner[0]
        stack.stop()
    stack.open()
    assert uid_of_server(home) == 0
    assert Layout.of(home).data.stat().st_uid == 0


@as_root
def test_root_creates_a_cluster_without_user_namespaces(
    tmp_path: Path, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = launched("user")
    assert other.owner is not None
    monkeypatch.setattr(server_module, "choose_identity", lambda: other)
    make_stack(tmp_path / "new").open()
    assert Layout.of(tmp_path / "new").data.stat().st_uid == other.owner[0]


@as_root
def test_root_that_can_become_nobody_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity_module, "launched_identity", lambda _mode: None)
    with pytest.raises(StackError, match="refuses to run as root"):
        choose_identity()


@as_root
def test_the_launcher_is_tried_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def launched_or_broken(mode: LauncherMode) -> Identity:
        broken = (sys.executable, "-c", "raise SystemExit(1)")
        return Identity(broken) if mode == "namespace" else launched("user")

    assert choose_identity().owner is None
    monkeypatch.setattr(identity_module, "launched_identity", launched_or_broken)
    assert choose_identity() == launched("user")


@as_root
@pytest.mark.parametrize("account", ["without privileges", "another account", "an account without a name"])
def test_an_ordinary_user(account: str, tmp_path: Path, cluster_template: Path) -> None:
    """As root this becomes an ordinary user first; everybody else is one and ran all other tests as such."""
    prefix, owner = ordinary_user(account)
    home = copy_cluster(cluster_template, tmp_path / "home")
    for path in (home, *home.rglob("*")):
        os.chown(path, owner, -1)
    with StackUser(home, prefix=prefix) as user:
        greeting = user.hear()
        assert greeting["uid"] != 0
        assert user.count() == 1
        server = psutil.Process(greeting["server"])
        assert server.uids().effective == owner
        user.kill()
    server.wait(60)


def ordinary_user(account: str) -> tuple[tuple[str, ...], int]:
    """How to become it, and the uid that its files have, seen from here."""
    if account == "without privileges":
        return launched("namespace").prefix, 0
    other = launched("user")
    assert other.owner is not None
    if account == "another account":
        return other.prefix, other.owner[0]
    unnamed = str(_NOT_IN_PASSWD)
    return (*other.prefix[:-2], unnamed, unnamed), _NOT_IN_PASSWD
