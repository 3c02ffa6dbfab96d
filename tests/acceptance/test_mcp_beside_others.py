"""``webrag mcp`` beside windows, other clients and restores, while the database works, and when something is killed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import psutil
import psycopg
import pytest
from anyio import to_thread
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from psycopg import sql
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program, ProgramHere, program
from tests.support.mcp_client import asked, client_of, data_of, text_of
from tests.support.mcp_library import CLAMP, QUESTION, Shelf, filled
from tests.support.pages import PageServer
from tests.support.window_under_test import Opener, settings_of, wait_ready
from webrag_desktop import DataFolder
from webrag_desktop.mcp.shared_library import SharedLibrary
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.storage.backups.restore import alone
from webrag_desktop.storage.database import Database

IMPATIENT = "import webrag_desktop.mcp.shared_library as it; it.OPENING_SECONDS = 0.5"
TRUSTING = "import webrag_desktop.ingestion.fetching.network as it; it._leads_inside = lambda *_: False"
SEARCH = {"query": QUESTION, "mode": "chunk", "max_tokens": 2000}
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    with program(ProgramHere) as webrag:
        yield filled(webrag, webrag.home.parent / "texts")


@contextmanager
def database_of(webrag: Program) -> Iterator[psycopg.Connection[Any]]:
    """A connection to the library's database, whose server is kept running by it."""
    stack = EmbeddedStack(StackOptions(home=webrag.home))
    conn = Database.plain_connection(stack.open().keywords())
    try:
        yield conn
    finally:
        conn.close()
        stack.close()


def hold(conn: psycopg.Connection[Any]) -> None:
    """Let nobody read chunks or texts until the transaction ends."""
    for table in ("chunks", "document_versions"):
        conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(table)))


async def until(conn: psycopg.Connection[Any], waiting: int) -> None:
    """Return once so many wait for a lock; half a minute is too long."""
    with anyio.fail_after(30):
        while conn.execute(WAITING).fetchone() != (waiting,):
            await anyio.sleep(0.01)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("search", SEARCH), ("context_pack", {"query": QUESTION}), ("verify_quote", {"quote": CLAMP})],
)
def test_a_call_is_cancelled_while_the_database_works_on_it(
    shelf: Shelf, tool: str, arguments: dict[str, Any], mode: str
) -> None:
    async def use(client: Client) -> None:
        await data_of(client, "search", SEARCH)  # opens the library
        with database_of(shelf.webrag) as conn:
            hold(conn)
            async with anyio.create_task_group() as calls:
                calls.start_soon(client.call_tool, tool, arguments)
                await until(conn, 1)
                calls.cancel_scope.cancel()
            await until(conn, 0)  # though the lock is still held
            conn.rollback()
        assert (await data_of(client, tool, arguments))["notice"]

    asked(shelf.webrag, use, mode=mode)


def test_a_database_killed_in_mid_call_is_reported_and_the_next_call_works(shelf: Shelf) -> None:
    async def use(client: Client) -> None:
        await data_of(client, "search", SEARCH)
        failed: list[str] = []

        async def call() -> None:
            result = await client.call_tool("search", SEARCH)
            assert result.is_error
            failed.append(text_of(result))

        with database_of(shelf.webrag) as conn:
            hold(conn)
            async with anyio.create_task_group() as calls:
                calls.start_soon(call)
                await until(conn, 1)
                pid_file = shelf.webrag.home / "database" / "data" / "postmaster.pid"
                psutil.Process(int(pid_file.read_text(encoding="utf-8").split()[0])).kill()
        message, hint = failed[0].splitlines()
        assert "does not answer" in message
        assert "Try again" in hint
        assert (await data_of(client, "search", SEARCH))["chunks"]

    asked(shelf.webrag, use)


def test_a_server_killed_in_mid_call_is_reported_and_a_new_one_works(shelf: Shelf) -> None:
    async def use(client: Client) -> None:
        await data_of(client, "search", SEARCH)
        with database_of(shelf.webrag) as conn:
            hold(conn)

            async def call() -> None:
                with pytest.raises(MCPError, match="Connection closed"):
                    await client.call_tool("search", SEARCH)

            async with anyio.create_task_group() as calls:
                calls.start_soon(call)
                await until(conn, 1)
                (server,) = [one for one in shelf.webrag.processes() if one.cmdline()[-1] == "mcp"]
                server.kill()
            conn.rollback()

    asked(shelf.webrag, use)
    assert asked(shelf.webrag, lambda client: data_of(client, "search", SEARCH))["chunks"]


def test_two_clients_ask_at_once(shelf: Shelf) -> None:
    async def main() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []

        async def ask(client: Client) -> None:
            found.append(await data_of(client, "search", SEARCH))

        async with (
            client_of(shelf.webrag) as one,
            client_of(shelf.webrag) as other,
            anyio.create_task_group() as calls,
        ):
            for client in (one, other) * 8:
                calls.start_soon(ask, client)
        return found

    found = anyio.run(main)
    assert len(found) == 16
    assert all(one == found[0] for one in found)


def test_a_window_and_a_client_see_what_the_other_adds(opened: Opener, qtbot: QtBot, shelf: Shelf) -> None:
    page = "<title>{0}</title><main><h1>{0}</h1><p>{0} moult each August, all of them.</p></main>"
    with PageServer({"/seals": page.format("Seals"), "/walruses": page.format("Walruses")}) as site:
        seen = opened(settings_of(shelf.webrag.home))
        wait_ready(qtbot, seen, 2)
        seen.window.operations.documents.add((site.url("/seals"),))
        wait_ready(qtbot, seen, 3)

        async def use(client: Client) -> None:
            verified = await data_of(client, "verify_quote", {"quote": "Seals moult each August"})
            assert verified["verified"]
            added = await data_of(client, "add", {"urls": [site.url("/walruses")]})
            assert added["added"][0]["state"] == "ready"

        asked(shelf.webrag, use, code=TRUSTING, MCP_ALLOW_WRITES="true")
        wait_ready(qtbot, seen, 4)
        assert len([one for one in shelf.webrag.processes() if "--background" in one.cmdline()]) <= 1


def test_a_library_that_is_being_restored_says_so(shelf: Shelf) -> None:
    async def use(client: Client) -> None:
        with database_of(shelf.webrag) as conn:
            with alone(conn):
                result = await client.call_tool("status", {})
            assert result.is_error
            assert "restoring or updating it" in text_of(result)
            assert (await data_of(client, "status", {}))["document_count"] == 2

    asked(shelf.webrag, use, code=IMPATIENT)


def test_a_restore_takes_the_library_from_a_server_that_nobody_asks(shelf: Shelf) -> None:
    backup = shelf.webrag.home.parent / "saved.webrag"
    shelf.webrag.answer("backup", "--json", str(backup))
    shelf.webrag.answer("remove", "--yes", "--json", shelf.paths["tides"])

    async def use(client: Client) -> None:
        assert (await data_of(client, "status", {}))["document_count"] == 1
        restored = await to_thread.run_sync(
            shelf.webrag.run, "restore", "--replace", "--yes", "--json", str(backup)
        )
        assert restored.code == 0, restored.err
        assert (await data_of(client, "search", SEARCH))["chunks"]
        assert (await data_of(client, "status", {}))["document_count"] == 2

    asked(shelf.webrag, use)


def test_a_library_that_was_moved_says_so_and_is_served_again_when_it_is_back(shelf: Shelf) -> None:
    home = shelf.webrag.home
    elsewhere = home.with_name("elsewhere")

    async def use(client: Client) -> None:
        await data_of(client, "status", {})
        home.rename(elsewhere)
        try:
            for _ in range(2):
                result = await client.call_tool("status", {})
                assert result.is_error
                assert "was moved or removed" in text_of(result)
                assert not home.exists()  # no empty library is made in its place
        finally:
            elsewhere.rename(home)
        assert (await data_of(client, "status", {}))["document_count"] == 2

    asked(shelf.webrag, use)


def test_a_library_that_nobody_asks_is_let_go_of(shelf: Shelf) -> None:
    folder = DataFolder.at(shelf.webrag.home, embedding_backend="embedded")
    shared = SharedLibrary(folder, idle_seconds=0.01)
    with database_of(shelf.webrag) as conn:
        for _ in range(2):
            with shared.lent() as library:
                assert library.status().corpus.documents == 2
            others_leave(conn)
        with alone(conn):  # as restoring is
            pass
    shared.close()


def others_leave(conn: psycopg.Connection[Any]) -> None:
    conn.execute("SET statement_timeout = '30s'")
    conn.execute(
        """
        DO $$ BEGIN
            WHILE EXISTS (SELECT FROM pg_stat_activity
                           WHERE application_name = 'webrag-desktop' AND pid <> pg_backend_pid()) LOOP
                PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
            END LOOP;
        END $$
        """
    )
    conn.rollback()


def test_a_setting_that_cannot_be_used_is_reported_before_anything_is_served(tmp_path: Path) -> None:
    ended = ProgramHere(tmp_path, {"MCP_ALLOW_WRITES": "perhaps"}).run("mcp")
    assert ended.code == 4
    assert "MCP_ALLOW_WRITES" in ended.err
    assert ended.out == ""
