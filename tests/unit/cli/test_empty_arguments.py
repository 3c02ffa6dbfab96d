"""An argument of nothing, as an empty variable gives: it names nothing, least of all the current folder."""

from pathlib import Path

import pytest

from webrag_desktop.cli.folders import is_folder
from webrag_desktop.library.intake import _anywhere


@pytest.mark.parametrize("text", ["", " ", "\t\n"])
def test_nothing_is_not_the_current_folder(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_folder(text)
    assert is_folder(".")
    assert _anywhere(text) == text
