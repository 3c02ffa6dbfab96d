"""The shipped compose file: pinned, private, healthy, and nothing secret in it."""

from typing import Any

import pytest
import yaml

from webrag_desktop.stack.compose import find_compose_file


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(find_compose_file().read_text("utf-8"))["services"]
    return found


def test_images_are_pinned(services: dict[str, Any]) -> None:
    for service in services.values():
        tag = service["image"].partition(":")[2]
        assert tag[:1].isdigit()


def test_pgvector_is_new_enough(services: dict[str, Any]) -> None:
    version, server = services["database"]["image"].partition(":")[2].split("-")[:2]
    assert tuple(map(int, version.split("."))) >= (0, 8, 4)
    assert server == "pg18"


def test_ports_are_open_to_this_computer_only(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_password_comes_from_the_environment_and_must_be_there(services: dict[str, Any]) -> None:
    assert services["database"]["environment"]["POSTGRES_PASSWORD"].startswith("${WEBRAG_DB_PASSWORD:?")


def test_what_keeps_running_is_checked_and_keeps_its_data(services: dict[str, Any]) -> None:
    for name in ("database", "ollama"):
        assert services[name]["healthcheck"]["test"]
        assert services[name]["volumes"]
    assert "/var/lib/postgresql" in services["database"]["volumes"][0]
    assert services["database"]["shm_size"]


def test_waiting_does_not_take_the_finished_download_for_a_failure(services: dict[str, Any]) -> None:
    condition = services["ollama"]["depends_on"]["embedding-model"]["condition"]
    assert condition == "service_completed_successfully"
    assert services["embedding-model"]["volumes"] == services["ollama"]["volumes"]
    assert "depends_on" not in services["database"]
