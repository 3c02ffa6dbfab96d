"""Docker Compose by a stand-in ``docker`` that records how it was called; the database behind it is real."""

import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.tcp_door import tcp_door
from webrag_desktop.errors import DatabaseError, StackError
from webrag_desktop.progress import Step
from webrag_desktop.stack.base import DatabaseAddress, StackOptions
from webrag_desktop.stack.choice import choose_stack
from webrag_desktop.stack.compose import ComposeStack, find_compose_file

_STAND_IN = """
import json, os, pathlib, sys
here = pathlib.Path(__file__).parent
verb = next(word for word in sys.argv if word in ("up", "stop", "ps"))
with (here / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps({"argv": sys.argv[1:], "env": dict(os.environ)}) + "\\n")
answer = json.loads((here / "answers.json").read_text()).get(verb, {})
sys.stdout.write(answer.get("out", ""))
sys.stderr.write(answer.get("err", ""))
sys.exit(answer.get("code", 0))
"""
_HEALTHY = "\n".join(
    json.dumps(row)
    for row in (
        {"Service": "database", "State": "running", "Health": "healthy", "ExitCode": 0},
        {"Service": "embedding-model", "State": "exited", "Health": "", "ExitCode": 0},
        {"Service": "ollama", "State": "running", "Health": "healthy", "ExitCode": 0},
    )
)


class Docker:
    """The stand-in on the PATH: what it answers, and how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        script = folder / "stand_in.py"
        script.write_text(_STAND_IN, "utf-8")
        program = folder / "docker"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', "utf-8")
        program.chmod(0o755)
        self.answers(ps={"out": _HEALTHY})

    def answers(self, **by_verb: dict[str, object]) -> None:
        (self.folder / "answers.json").write_text(json.dumps(by_verb), "utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return Docker(folder)


@pytest.fixture(scope="module")
def port(server: DatabaseAddress) -> Iterator[int]:
    with tcp_door(f"{server.host}/.s.PGSQL.{server.port}") as port:
        yield port


MakeStack = Callable[[], ComposeStack]


@pytest.fixture
def make_stack(tmp_path: Path, server: DatabaseAddress, port: int) -> MakeStack:
    """Stacks whose database answers at the port with the password they stored."""
    folder = tmp_path / "home" / "compose"
    folder.mkdir(parents=True)
    (folder / "password").write_text(server.password, "ascii")

    def make() -> ComposeStack:
        options = StackOptions(home=tmp_path / "home", kind="compose", compose_port=port, start_timeout=20.0)
        stack = choose_stack(options)
        assert isinstance(stack, ComposeStack)
        return stack

    return make


def test_open_starts_the_containers_and_gives_a_database(
    docker: Docker, make_stack: MakeStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_API_KEY", "sk-secret")
    monkeypatch.setenv("DOCKER_HOST", "unix:///somewhere")
    docker.answers(up={"err": " Container webrag-database-1  Healthy\n"})
    stack, steps = make_stack(), list[Step]()
    address = stack.open(steps.append)
    with psycopg.Connection.connect(**address.keywords()) as connection:  # type: ignore[arg-type]
        assert connection.execute("SELECT '[1]'::vector").fetchone() is not None
    (call,) = docker.calls
    assert call["argv"] == ["compose", "-f", str(find_compose_file()), "-p", "webrag", "up", "-d", "--wait"]
    assert call["env"]["WEBRAG_DB_PASSWORD"] == address.password
    assert call["env"]["DOCKER_HOST"] == "unix:///somewhere"
    assert "CHAT_API_KEY" not in call["env"]
    assert [step.detail for step in steps] == ["", " Container webrag-database-1  Healthy"]
    assert stack.log_path is not None
    assert "Healthy" in stack.log_path.read_text("utf-8")
    assert address.password not in stack.log_path.read_text("utf-8") + repr(call["argv"]) + repr(
        stack.status()
    )
    stack.close()


def test_stop_keeps_the_containers_while_another_uses_them(docker: Docker, make_stack: MakeStack) -> None:
    mine, other = make_stack(), make_stack()
    mine.open()
    other.open()
    with pytest.raises(StackError, match="in use by another"):
        mine.stop()
    other.close()
    mine.stop()
    assert docker.calls[-1]["argv"][-1] == "stop"
    assert [call["argv"][-1] for call in docker.calls].count("stop") == 1


def test_status_reads_both_forms_of_the_list(docker: Docker, make_stack: MakeStack) -> None:
    rows = [json.loads(line) for line in _HEALTHY.splitlines()]
    for output in (_HEALTHY, json.dumps(rows)):
        docker.answers(ps={"out": output})
        status = make_stack().status()
        assert [(part.name, part.state) for part in status.parts] == [
            ("database", "running"),
            ("embeddings", "running"),
        ]
        assert status.parts[0].version is not None
        assert status.parts[0].version.startswith("PostgreSQL 18")


def test_status_before_anything_was_started(docker: Docker, tmp_path: Path) -> None:
    docker.answers(ps={"out": ""})
    stack = ComposeStack(StackOptions(home=tmp_path / "untouched", kind="compose"))
    assert [part.state for part in stack.status().parts] == ["stopped", "stopped"]
    assert not (tmp_path / "untouched").exists()
    stack.stop()


def test_a_model_that_cannot_be_downloaded_does_not_lock_the_library(
    docker: Docker, make_stack: MakeStack
) -> None:
    rows = [
        {"Service": "database", "State": "running", "Health": "healthy"},
        {"Service": "embedding-model", "State": "exited", "ExitCode": 1},
    ]
    said = 'service "embedding-model" didn\'t complete successfully: exit 1\n'
    docker.answers(up={"err": said, "code": 1}, ps={"out": json.dumps(rows)})
    stack = make_stack()
    stack.open()
    embeddings = stack.status().parts[1]
    assert (embeddings.state, "could not be downloaded" in embeddings.detail) == ("failing", True)
    stack.close()


def test_an_unhealthy_database_is_reported(docker: Docker, make_stack: MakeStack) -> None:
    rows = [{"Service": "database", "State": "running", "Health": "unhealthy"}]
    docker.answers(
        up={"err": "dependency failed: container webrag-database-1 is unhealthy\n", "code": 1},
        ps={"out": json.dumps(rows)},
    )
    stack = make_stack()
    with pytest.raises(StackError, match="does not work"):
        stack.open()
    assert stack.status().parts[0].state == "failing"
    stack.stop()


def test_a_password_that_does_not_fit_the_volume_is_reported(
    docker: Docker, make_stack: MakeStack, tmp_path: Path
) -> None:
    (tmp_path / "home" / "compose" / "password").write_text("another", "ascii")
    with pytest.raises(DatabaseError, match="refused the stored password"):
        make_stack().open()


def test_docker_not_running(docker: Docker, make_stack: MakeStack) -> None:
    said = {"err": "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n", "code": 1}
    docker.answers(up=said, ps=said, stop=said)
    stack = make_stack()
    with pytest.raises(StackError, match="not running"):
        stack.open()
    with pytest.raises(StackError, match="not running"):
        stack.stop()
    (part,) = stack.status().parts
    assert (part.state, "Start Docker" in part.remedy) == ("missing", True)


def test_docker_not_installed(make_stack: MakeStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    stack = make_stack()
    with pytest.raises(StackError, match="Docker is not installed"):
        stack.open()
    (part,) = stack.status().parts
    assert part.state == "missing"
    assert "embedded" in part.remedy


def test_the_password_is_made_once_and_private(docker: Docker, tmp_path: Path) -> None:
    docker.answers(up={"code": 1, "err": "no such luck"})
    stack = ComposeStack(StackOptions(home=tmp_path / "new", kind="compose"))
    with pytest.raises(StackError, match="no such luck"):
        stack.open()
    stored = tmp_path / "new" / "compose" / "password"
    first = stored.read_text("ascii")
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert len(first) >= 32
    with pytest.raises(StackError, match="no such luck"):
        stack.open()
    assert stored.read_text("ascii") == first
