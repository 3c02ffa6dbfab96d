import json

import pytest

from webrag_desktop.errors import StackError
from webrag_desktop.stack.compose import Service, explain, parse_services


@pytest.mark.parametrize(
    ("said", "reported"),
    [
        ("permission denied while trying to connect to the Docker daemon socket", "may not use Docker"),
        ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?", "not running"),
        (
            "error during connect: this error may indicate that the docker daemon is not running",
            "not running",
        ),
        ("docker: unknown command: docker compose\n\nRun 'docker --help'", "without its Compose plugin"),
        (
            "unknown shorthand flag: 'f' in -f\n\nUsage:  docker [OPTIONS] COMMAND",
            "without its Compose plugin",
        ),
        ("Bind for 127.0.0.1:11434 failed: port is already allocated", "uses a port"),
        ("failed to register layer: no space left on device", "disk that Docker uses is full"),
        ("dependency failed to start: container webrag-database-1 is unhealthy", "does not work"),
        ("some line\nmanifest unknown\n\n", "Docker Compose failed: manifest unknown"),
        ("", "It said nothing"),
    ],
)
def test_complaints_are_reported_in_plain_words(said: str, reported: str) -> None:
    error = explain(said)
    assert reported in error.message
    assert "Your library is untouched." in error.message
    assert error.hint


def test_no_containers() -> None:
    assert parse_services("\n") == ()


def test_an_older_form_without_health() -> None:
    row = {"Service": "database", "State": "running"}
    assert parse_services(json.dumps([row])) == (Service("database", "running", "", 0),)


@pytest.mark.parametrize("output", ["NAME  STATE", '{"Name": "x"}', "[1]"])
def test_an_unknown_form_is_reported(output: str) -> None:
    with pytest.raises(StackError, match="form that WebRAG does not know"):
        parse_services(output)
