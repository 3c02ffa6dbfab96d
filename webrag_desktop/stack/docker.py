"""Docker Compose, called as a program, and what its complaints mean."""

import json
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from webrag_desktop.errors import StackError

PROJECT = "webrag"
_STATUS_SECONDS = 20
_TAIL = 40

# What Docker prints, lower case, to what it means and what to do. The first that occurs wins.
_COMPLAINTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("permission denied while trying to connect",),
        "You may not use Docker on this computer.",
        "Add yourself to the group 'docker' and log in again, or use the embedded database.",
    ),
    (
        (
            "cannot connect to the docker daemon",
            "failed to connect to the docker api",
            "error during connect",
        ),
        "Docker is installed but not running.",
        "Start Docker Desktop or the Docker service, then try again.",
    ),
    (
        ("unknown command: docker compose", "'compose' is not a docker command", "unknown shorthand flag"),
        "Docker is installed without its Compose plugin.",
        "Install Docker Compose 2 (package docker-compose-plugin), or use the embedded database.",
    ),
    (
        ("port is already allocated", "address already in use"),
        "Another program uses a port that the containers need.",
        "Stop the other program, or set WEBRAG_DB_PORT or WEBRAG_OLLAMA_PORT to a free port.",
    ),
    (
        ("no space left on device",),
        "The disk that Docker uses is full.",
        "Free some space, for instance with: docker system prune",
    ),
    (
        ("is unhealthy",),
        "A container started but does not work.",
        f"Its log may tell why: docker compose -p {PROJECT} logs",
    ),
)


@dataclass(frozen=True)
class Service:
    """One container of the project: ``state`` and ``health`` in Docker's words, ``health`` may be empty."""

    name: str
    state: str
    health: str
    exit_code: int


@dataclass(frozen=True)
class DockerCompose:
    """The project's containers. ``variables`` (the password among them) go by environment, never by argument."""

    file: Path
    variables: dict[str, str]
    program: str = "docker"

    def up(self, on_line: Callable[[str], None], timeout: float) -> None:
        """Start and wait until healthy, telling each line of output; raises StackError."""
        command = [*self._command, "up", "-d", "--wait"]
        self._follow(command, on_line, timeout)

    def stop(self, on_line: Callable[[str], None], timeout: float) -> None:
        """Stop the containers, keep their data; raises StackError."""
        self._follow([*self._command, "stop"], on_line, timeout)

    def services(self) -> tuple[Service, ...]:
        """The containers that exist; raises StackError when Docker cannot tell."""
        command = [*self._command, "ps", "--all", "--format", "json"]
        try:
            finished = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self._environment(),
                timeout=_STATUS_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise _not_installed() from None
        except subprocess.TimeoutExpired:
            raise StackError("Docker does not answer.", "Restart Docker, then try again.") from None
        if finished.returncode != 0:
            raise explain(finished.stderr.decode(errors="replace"))
        return parse_services(finished.stdout.decode(errors="replace"))

    @property
    def _command(self) -> list[str]:
        return [self.program, "compose", "-f", str(self.file), "-p", PROJECT]

    def _environment(self) -> dict[str, str]:
        """Ours, since Docker reads its own variables from it, without secrets it has no use for."""
        ours = {
            name: value
            for name, value in os.environ.items()
            if not name.endswith("_API_KEY") and name != "WEBRAG_DATABASE_URL"
        }
        return ours | self.variables

    def _follow(self, command: list[str], on_line: Callable[[str], None], timeout: float) -> None:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=self._environment(),
                encoding="utf-8",
                errors="replace",
            )
        except FileNotFoundError:
            raise _not_installed() from None
        watchdog = threading.Timer(timeout, process.kill)
        watchdog.start()
        said: list[str] = []
        try:
            with process:
                for line in process.stdout or ():
                    said = [*said[1 - _TAIL :], line.rstrip()]
                    on_line(line.rstrip())
        finally:
            watchdog.cancel()
        if process.returncode != 0:
            raise explain("\n".join(said))


def explain(said: str) -> StackError:
    """The error for a failed call, told by what Docker printed."""
    lowered = said.lower()
    for words, message, hint in _COMPLAINTS:
        if any(word in lowered for word in words):
            return StackError(f"{message} Your library is untouched.", hint)
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "It said nothing.")
    return StackError(
        f"Docker Compose failed: {last} Your library is untouched.",
        f"More may be told by: docker compose -p {PROJECT} logs",
    )


def parse_services(output: str) -> tuple[Service, ...]:
    """Read ``ps --format json``: one object per line, or one array in older versions."""
    text = output.strip()
    try:
        rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
        return tuple(
            Service(row["Service"], row["State"], row.get("Health") or "", int(row.get("ExitCode") or 0))
            for row in rows
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StackError(
            "Docker Compose describes its containers in a form that WebRAG does not know.",
            "Update Docker Compose, or use the embedded database.",
        ) from error


def _not_installed() -> StackError:
    return StackError(
        "Docker is not installed, or not on the PATH. Your library is untouched.",
        "Install Docker with its Compose plugin, or use the embedded database, which needs neither.",
    )
