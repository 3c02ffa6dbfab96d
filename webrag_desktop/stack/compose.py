"""The stack in containers, for who prefers Docker: the shipped ``docker-compose.yml``, started and stopped."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from webrag_desktop.errors import StackError, WebragError
from webrag_desktop.models.stack import PartStatus, StackKind, StackStatus
from webrag_desktop.progress import ProgressCallback, Step, no_progress, told_when_long
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.connecting import (
    DATABASE,
    plain_database_errors,
    prepare,
    read_versions,
    wait_until_ready,
)
from webrag_desktop.stack.docker import PROJECT, DockerCompose, Service
from webrag_desktop.stack.libpq_environment import address_of_ours
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.place import Place, make_private
from webrag_desktop.stack.postgres.cluster import USER, ensure_password
from webrag_desktop.stack.startup import plain_disk_errors

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
                with told_when_long("the containers are starting, and downloaded the first time"):
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
