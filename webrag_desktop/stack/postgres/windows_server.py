"""The embedded server on Windows: a free port on 127.0.0.1, run by ``pg_ctl``.

``pg_ctl`` gives up administrator rights, which ``postgres`` refuses, and is the one way to ask for a fast
shutdown where there are no signals.
"""

import socket
import subprocess
from collections.abc import Mapping

from webrag_desktop.errors import StackError
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.postgres.binaries import Binaries, find_binaries
from webrag_desktop.stack.postgres.identity import Identity
from webrag_desktop.stack.processes import ServerProcess, child_environment, running_server, wait_for_end

_LOOPBACK = "127.0.0.1"
_NO_WINDOW = 0x08000000
_START_SECONDS = 60


def choose_address(_layout: Layout) -> tuple[str, int]:
    """This computer only, and a port that is free now."""
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return _LOOPBACK, int(probe.getsockname()[1])


def start(
    layout: Layout, binaries: Binaries, _identity: Identity, settings: Mapping[str, str], host: str, port: int
) -> int:
    """Start the server and return its pid; raises StackError when ``pg_ctl`` reports a failure."""
    own = {"listen_addresses": host, "port": str(port)}
    words = [word for name, value in (own | dict(settings)).items() for word in ("-c", f"{name}={value}")]
    program = binaries.program("pg_ctl")
    command = [program, "start", "-w", "-t", str(_START_SECONDS), "-D", str(layout.data)]
    finished = _run([*command, "-l", str(layout.log), "-o", subprocess.list2cmdline(words)])
    server = running_server(layout)
    if finished.returncode != 0 or server is None:
        raise StackError(
            "The database server did not start. Your library is untouched.",
            f"Its messages are in {layout.log}.",
        )
    return server.pid


def end(layout: Layout, server: ServerProcess, timeout: float) -> bool:
    """Fast shutdown; False when the server still runs after ``timeout`` seconds."""
    program = find_binaries().program("pg_ctl")
    _run([program, "stop", "-w", "-m", "fast", "-t", str(int(timeout)), "-D", str(layout.data)])
    return wait_for_end(server.pid, 1.0)


def is_reachable(_server: ServerProcess) -> bool:
    """A port exists as long as its server."""
    return True


def end_orphans(_layout: Layout) -> None:
    """Nothing to do: on Windows the server's processes end with it."""


def _run(command: list[str]) -> "subprocess.CompletedProcess[bytes]":
    # No pipes: the server would inherit them and keep us waiting for their end.
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=child_environment(),
        creationflags=_NO_WINDOW,
        check=False,
    )
