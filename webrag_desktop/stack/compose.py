"""PostgreSQL in a container: Docker Compose, called as a program, and the meaning of its messages."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from webrag_desktop.errors import StackError, WebragError
from webrag_desktop.models.stack import PartStatus, StackKind, StackStatus
from webrag_desktop.progress import ProgressCallback, Step, no_progress, reported_when_long
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.connecting import (
    DATABASE,
    address_of_ours,
    plain_database_errors,
    prepare,
    read_versions,
    wait_until_ready,
)
from webrag_desktop.stack.layout import Place, make_private
from webrag_desktop.stack.locks import FileLock, plain_disk_errors
from webrag_desktop.stack.postgres.cluster import USER, ensure_password

PROJECT = "webrag"
_DOCKER_SECONDS = 20
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
        f"Its log may have the reason: docker compose -p {PROJECT} logs",
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
        """The containers that exist; raises StackError when Docker fails."""
        command = [*self._command, "ps", "--all", "--format", "json"]
        try:
            finished = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self._environment(),
                timeout=_DOCKER_SECONDS,
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
    """The error for a failed call, from what Docker printed."""
    lowered = said.lower()
    for words, message, hint in _COMPLAINTS:
        if any(word in lowered for word in words):
            return StackError(f"{message} Your library is untouched.", hint)
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "It said nothing.")
    return StackError(
        f"Docker Compose failed: {last} Your library is untouched.",
        f"Details may be in: docker compose -p {PROJECT} logs",
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


_STATUS_SECONDS = 2
_ALONE_SECONDS = 0.5
_LOOPBACK = "127.0.0.1"
_FILE = "docker-compose.yml"
_PACKAGE = Path(__file__).parents[1]


def find_compose_file() -> Path:
    """The compose file, from the installed package or beside it in a checkout; raises StackError."""
    for candidate in (_PACKAGE / "resources" / _FILE, _PACKAGE.parent / _FILE):
        if candidate.is_file():
            return candidate
    raise StackError(f"The file {_FILE} is missing from this installation.", "Reinstall WebRAG Desktop.")


class ComposeStack:
    """Containers of the project ``webrag``. They keep running until :meth:`stop`; closing only signs off."""

    kind: StackKind = "compose"
    read_only = False

    def __init__(self, options: StackOptions, program: str = "docker") -> None:
        self._options = options
        self._program = program
        self._folder = options.home.expanduser().resolve() / "compose"
        self._users = FileLock(self._folder / "users.lock")
        self._place = Place(self._folder / "users.lock")

    @property
    def log_path(self) -> Path | None:
        """What Docker said at the last start or stop; the containers' own logs stay with Docker."""
        return self._folder / "compose.log"

    def open(self, progress: ProgressCallback = no_progress) -> DatabaseAddress:
        """Start the containers (downloading them the first time) and check the database."""
        self.ensure_in_place()
        with plain_disk_errors(self._options.home):
            make_private(self._folder)
            password = ensure_password(self._folder / "password")
            if not self._users.held:
                self._users.acquire(shared=True, timeout=self._options.lock_timeout)
        self._place.note(self._options.home)
        try:
            return self._start(password, progress)
        except BaseException:
            self._users.release()
            raise

    def ensure_in_place(self) -> None:
        """Raise DataFolderGoneError if what is kept beside the database is not where it was."""
        self._place.ensure(self._options.home)

    def close(self) -> None:
        """Be no user any more; the containers run on."""
        self._users.release()

    def stop(self) -> None:
        """Stop the containers; their data stays. Raises StackError while other processes use them."""
        self.close()
        if not self._folder.is_dir():
            return
        if not self._users.acquire(shared=False, timeout=_ALONE_SECONDS):
            raise StackError(
                "The database is in use by another WebRAG program, so it was not stopped.",
                "Close the WebRAG window and wait for running commands, then try again.",
            )
        try:
            with self._log() as log:
                self._docker().stop(log, self._options.stop_timeout)
        finally:
            self._users.release()

    def status(self) -> StackStatus:
        """Ask Docker for the containers and, if it runs, the database for its versions."""
        try:
            services = {service.name: service for service in self._docker().services()}
        except WebragError as error:
            missing = PartStatus("database", "missing", None, error.message, error.hint)
            return StackStatus(self.kind, (missing,))
        parts = (self._database_status(services.get("database")), _embeddings_status(services))
        return StackStatus(self.kind, parts)

    def _start(self, password: str, progress: ProgressCallback) -> DatabaseAddress:
        docker, address = self._docker(), self._address(password)
        progress(Step("Starting the containers"))
        with self._log() as log:

            def on_line(line: str) -> None:
                log(line)
                progress(Step("Starting the containers", detail=line))

            try:
                with reported_when_long("the containers are starting, and downloaded the first time"):
                    docker.up(on_line, self._options.compose_timeout)
            except StackError:
                # The model may be impossible to download just now; the library needs only the database.
                if not _is_healthy(docker, "database"):
                    raise
        with (
            plain_database_errors(),
            wait_until_ready(address, lambda: True, self._options.start_timeout, progress) as connection,
        ):
            prepare(connection)
        return address

    def _address(self, password: str) -> DatabaseAddress:
        return address_of_ours(_LOOPBACK, self._options.compose_port, USER, DATABASE, password)

    def _docker(self) -> DockerCompose:
        stored = self._folder / "password"
        variables = {
            # Compose refuses to read the file without one, even to list what runs.
            "WEBRAG_DB_PASSWORD": ensure_password(stored) if stored.exists() else "none-yet",
            "WEBRAG_DB_PORT": str(self._options.compose_port),
        }
        return DockerCompose(self._options.compose_file or find_compose_file(), variables, self._program)

    def _database_status(self, service: Service | None) -> PartStatus:
        part = _service_status("database", service)
        stored = self._folder / "password"
        if part.state != "running" or not stored.exists():
            return part
        try:
            versions = read_versions(self._address(ensure_password(stored)), seconds=_STATUS_SECONDS)
        except (psycopg.Error, WebragError):
            remedy = f"Look into its log: docker compose -p {PROJECT} logs database"
            return PartStatus(
                "database", "failing", None, "The container runs, the database does not answer.", remedy
            )
        return PartStatus("database", "running", str(versions), part.detail)

    @contextmanager
    def _log(self) -> Iterator[Callable[[str], None]]:
        with (self._folder / "compose.log").open("w", encoding="utf-8") as file:
            yield lambda line: print(line, file=file, flush=True)


def _is_healthy(docker: DockerCompose, name: str) -> bool:
    return any(service.name == name and service.health == "healthy" for service in docker.services())


def _service_status(part: str, service: Service | None) -> PartStatus:
    if service is None:
        return PartStatus(
            part, "stopped", None, "The container does not exist yet.", "Run: webrag stack start"
        )
    if service.state != "running":
        return PartStatus(
            part, "stopped", None, f"The container is {service.state}.", "Run: webrag stack start"
        )
    if service.health == "unhealthy":
        remedy = f"Look into its log: docker compose -p {PROJECT} logs {service.name}"
        return PartStatus(part, "failing", None, "The container runs but is unhealthy.", remedy)
    state = f"The container is {service.health or 'running'}."
    return PartStatus(part, "running", None, state)


def _embeddings_status(services: dict[str, Service]) -> PartStatus:
    model = services.get("embedding-model")
    if model is not None and model.state == "exited" and model.exit_code != 0:
        return PartStatus(
            "embeddings",
            "failing",
            None,
            "The model nomic-embed-text could not be downloaded.",
            "Connect to the internet, then run: webrag stack start",
        )
    return _service_status("embeddings", services.get("ollama"))
