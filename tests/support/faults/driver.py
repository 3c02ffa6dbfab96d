"""Lets the user work while processes are killed, and looks at what became of the library."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.faults.points import ROLES, TARGETS, Fault, FaultFile, Role
from tests.support.faults.processes import ask_for
from tests.support.pages import PageServer
from tests.support.queue_work import article
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.errors import DatabaseError, WebragError
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import running_server

PATIENCE_SECONDS = 90.0
LOOK_SECONDS = 0.02
IDLE_LOOKS = 10  # so many looks between two questions whether anything is left to do
MOST_POINTS: dict[Role, int] = {"worker": 110, "window": 25, "asking": 20, "reader": 6}
WEIGHTS = (4, 2, 2, 4)  # how often a point is in a worker, a window, a command, the reading process
# To look is to refresh what did not change meanwhile, whether or not it was read yet.
VERBS = ("add", "add", "add", "refresh", "refresh", "look", "look", "remove", "reextract")


@dataclass
class Driver:
    """A user, and whoever pulls the plug.

    ``wanted`` is what each address should hold at last, ``held`` every text it ever had, ``killed`` the record of the
    faults, ``missed`` how many were not reached before the work was done.
    """

    settings: Settings
    folder: Path
    pages: PageServer
    socket: str
    chance: random.Random
    faults: FaultFile
    wanted: dict[str, str] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)
    killed: list[str] = field(default_factory=list)
    missed: int = 0
    _processes: dict[str, int] = field(default_factory=dict)

    def run(self, count: int, after_each: Callable[[], None]) -> None:
        """Inject so many faults; ``after_each`` looks at the library."""
        self._wish("add", self._new_addresses(2))
        while len(self.killed) < count:
            self._keep_window()
            happened = self._one_fault()
            self.missed += not happened
            if happened:
                self.killed = self.faults.record.read_text("utf-8").splitlines()
                self._keep_window()
                after_each()

    def settle(self) -> None:
        """Let everything come to its end, with nothing killed any more; nothing has failed for having been killed."""
        self.faults.disarm()
        self._keep_window()
        self._wish("retry", [])  # what waits to be tried again need not wait here
        self._until(self._idle)

    def _one_fault(self) -> bool:
        """Have a fault happen while the user does something; False where the work was done before it came to that."""
        role = self.chance.choices(ROLES, WEIGHTS)[0]
        targets = tuple(target for target in TARGETS if self.chance.random() < 0.4)
        self.faults.arm(Fault(role, self.chance.randint(1, MOST_POINTS[role]), targets or (role,)))
        self._note_server()
        verb = self.chance.choice(VERBS) if self.wanted else "add"
        self._wish(verb, self._addresses_for(verb))
        looks = 0
        while self.faults.armed:
            time.sleep(LOOK_SECONDS)
            looks += 1
            self._keep_window()
            if looks % IDLE_LOOKS == 0 and (role == "asking" or self._idle()):
                return not self.faults.disarm()
        return True

    # -- What the user does ----------------------------------------------------------------------------------------

    def _new_addresses(self, count: int) -> list[str]:
        first = len(self.held)
        return [self._renewed(f"/page{number}") for number in range(first, first + count)]

    def _addresses_for(self, verb: str) -> list[str]:
        if verb == "add":
            return self._new_addresses(self.chance.randint(1, 2))
        chosen = self.chance.sample(sorted(self.wanted), min(2, len(self.wanted)))
        if verb == "refresh":
            return [self._renewed(address.rpartition("/")[2].join(("/", ""))) for address in chosen]
        return chosen

    def _renewed(self, path: str) -> str:
        """Let a page hold a new text from now on."""
        address = self.pages.url(path)
        text = (
            f"Version {len(self.held.get(address, [])) + 1} of {path[1:]} flows {self.chance.random()} miles."
        )
        self.pages.pages[path] = article(path[1:], text)
        self.held.setdefault(address, []).append(text)
        return address

    def _wish(self, verb: str, addresses: list[str]) -> None:
        """Have a command do it, again and again until one was not killed."""
        wish: dict[str, Any] = {"verb": verb, "given": addresses}
        deadline = time.monotonic() + PATIENCE_SECONDS
        done = self.folder / "done"
        while True:
            done.unlink(missing_ok=True)
            pid = ask_for(self.socket, "asking", wish | {"done": str(done)})
            while _is_alive(pid):
                time.sleep(LOOK_SECONDS)
            if done.exists():
                break
            assert time.monotonic() < deadline, (self.folder / "asking.log").read_text("utf-8")
        with (self.folder / "wishes.txt").open("a", encoding="utf-8") as wishes:
            wishes.write(f"after {len(self.killed)} faults: {verb} {' '.join(addresses)}\n")
        for address in addresses:
            if verb == "remove":
                self.wanted.pop(address, None)
            elif verb != "retry":
                self.wanted[address] = self.held[address][-1]

    # -- Processes -------------------------------------------------------------------------------------------------

    def _keep_window(self) -> None:
        """The user opens the window again when it is gone."""
        if not _is_alive(self._processes.get("window", 0)):
            self._processes["window"] = ask_for(self.socket, "window", None)

    def _note_server(self) -> None:
        server = running_server(Layout.of(self.settings.webrag_home))
        if server is not None:
            (self.faults.victims / "server").write_text(str(server.pid), "ascii")

    def _idle(self) -> bool:
        try:
            with DataFolder(self.settings).open() as services:
                return not services.queue.unfinished()
        except WebragError:
            return False

    def _until(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not reached():
            assert time.monotonic() < deadline, (self.folder / "worker.log").read_text("utf-8")[-3000:]
            self._keep_window()
            time.sleep(10 * LOOK_SECONDS)

    def look(self, at: Callable[[Library], None]) -> None:
        """Look at the library, which may have to be started again first."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with DataFolder(self.settings).open() as services:
                    at(services)
                return
            except DatabaseError:
                assert time.monotonic() < deadline

    def assert_sound(self) -> None:
        """Doctor finds nothing, and nothing has failed: whatever was killed, no document is at fault."""

        def sound(services: Library) -> None:
            failed = [_state(source) for source in services.documents.all() if source.state == "failed"]
            assert failed == [], self.killed[-3:]
            with services.database.connection() as conn:
                broken = [finding for finding in run_checks(conn) if not finding.ok]
            assert broken == [], self.killed[-3:]

        self.look(sound)

    def close(self) -> None:
        """End whatever still runs."""
        listed = self.folder / "processes.txt"
        for line in listed.read_text("ascii").split() if listed.exists() else ():
            with suppress(ProcessLookupError):
                os.kill(int(line), signal.SIGKILL)


def _is_alive(pid: int) -> bool:
    if not pid:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def texts(services: Library) -> dict[str, str]:
    """The text of every document, by its given address."""
    found: dict[str, str] = {}
    for source in services.documents.all():
        text = services.documents.text(source.id)
        found[source.url] = _state(source) if text is None or source.state != "ready" else text.markdown
    return found


def _state(source: SourceRow) -> str:
    return f"{source.state}: {source.state_reason}"


@contextmanager
def driven(home: Path, folder: Path, environment: dict[str, str], seed: int) -> Iterator[Driver]:
    """A driver for a new library in ``home``; whatever it started has ended afterwards."""
    faults = FaultFile(folder)
    address = str(folder / "fork")
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.support.faults.processes", str(folder), address],
        env=os.environ | environment | {"WEBRAG_HOME": str(home), "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    settings = Settings.of(WEBRAG_HOME=home, **environment)
    with PageServer({}) as pages:
        driver = Driver(settings, folder, pages, address, random.Random(seed), faults)
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not Path(address).exists():
                assert program.poll() is None
                assert time.monotonic() < deadline
                time.sleep(LOOK_SECONDS)
            yield driver
        finally:
            program.kill()
            program.wait()
            driver.close()
