"""The embedded model as the program rewrites it at first use, made once in this process for all data folders."""

import atexit
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from tests.support.data_folders import data_folder
from tests.support.server import prepared_cluster
from tests.support.stack_processes import copy_cluster
from webrag_desktop.embedding.fused.graph import FILE_NAME, kept_fused_model


def place_fused_model(home: Path) -> Path:
    """Let a data folder have it, as if it had been used before; returns ``home``."""
    place = home / "cache" / "models" / FILE_NAME
    if not place.is_symlink():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(_made())
    return home


@contextmanager
def prepared_home() -> Iterator[Path]:
    """A data folder as a first start leaves it: an empty database, and the model."""
    with data_folder("home") as folder:
        yield place_fused_model(copy_cluster(prepared_cluster(), folder / "home"))


@cache
def _made() -> Path:
    folders = ExitStack()
    atexit.register(folders.close)
    made = kept_fused_model(folders.enter_context(data_folder("models")))
    assert isinstance(made, Path)
    return made
