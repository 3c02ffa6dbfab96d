"""A cluster made once per run; each test copies it, since ``initdb`` takes seconds."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.server import SURVIVES_KILLS
from tests.support.stack_processes import copy_cluster
from webrag_desktop.stack.base import StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack

MakeStack = Callable[..., EmbeddedStack]


@pytest.fixture(scope="session")
def short_folders() -> Iterator[dict[str, str]]:
    """Variables that send sockets to a short folder that vanishes after the run, not to the user's own."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="wr") as folder:
        (Path(folder) / "run").mkdir(mode=0o700)
        yield {"XDG_RUNTIME_DIR": f"{folder}/run", "XDG_CACHE_HOME": f"{folder}/cache"}


@pytest.fixture(autouse=True)
def sockets_in_short_folders(short_folders: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in short_folders.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def cluster_template(short_folders: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template")
    stack = EmbeddedStack(StackOptions(home=home, grace=0.0), SURVIVES_KILLS)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in short_folders.items():
            patch.setenv(name, value)
        stack.open()
        stack.stop()
    return home


@pytest.fixture
def home(tmp_path: Path, cluster_template: Path) -> Path:
    """A data folder that holds a cluster."""
    return copy_cluster(cluster_template, tmp_path / "home")


@pytest.fixture
def make_stack(home: Path, sockets_in_short_folders: None) -> Iterator[MakeStack]:
    """Stacks over ``home`` or another folder; their servers are stopped after the test."""
    made: list[EmbeddedStack] = []

    def make(folder: Path = home, **options: float) -> EmbeddedStack:
        settings = StackOptions(home=folder, **({"grace": 0.0} | options))  # type: ignore[arg-type]
        made.append(EmbeddedStack(settings, SURVIVES_KILLS))
        return made[-1]

    yield make
    for stack in made:
        stack.close()
    for stack in made:
        stack.stop()
