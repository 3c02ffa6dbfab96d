"""The embedded server on Linux and macOS: a Unix socket in a private folder, no TCP."""

from collections.abc import Mapping
from pathlib import Path

from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.postgres.binaries import Binaries
from webrag_desktop.stack.postgres.identity import Identity
from webrag_desktop.stack.processes import ServerProcess, child_environment, start_detached
from webrag_desktop.stack.sockets import socket_folder

_PORT = 5432  # only part of the socket's file name


def choose_address(layout: Layout) -> tuple[str, int]:
    """The folder for the socket, cleared of what a killed server left there, and the port in its name."""
    folder = socket_folder(layout)
    for leftover in folder.glob(".s.PGSQL.*"):
        leftover.unlink()
    return str(folder), _PORT


def start(
    layout: Layout, binaries: Binaries, identity: Identity, settings: Mapping[str, str], host: str, port: int
) -> int:
    """Start the server and return its pid; it may still fail, with the reason in the log."""
    own = {
        "listen_addresses": "",
        "port": str(port),
        # A list of names in double quotes: a folder may hold spaces and commas.
        "unix_socket_directories": '"' + host.replace('"', '""') + '"',
        "unix_socket_permissions": "0700",
    }
    options = [word for name, value in (own | dict(settings)).items() for word in ("-c", f"{name}={value}")]
    command = identity.command([binaries.program("postgres"), "-D", str(layout.data), *options])
    return start_detached(command, layout.log, child_environment())


def is_reachable(server: ServerProcess) -> bool:
    """Whether a ready server still has its socket; cleanup programs and ended logins may have deleted it."""
    return not server.ready or (Path(server.host) / f".s.PGSQL.{server.port}").exists()
