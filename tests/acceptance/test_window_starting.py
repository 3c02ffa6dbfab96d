"""What the window's command answers where there is no display."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

START = "from webrag_desktop.__main__ import window; window()"
WITHOUT_EGL = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "PySide6.QtWidgets":
            raise ImportError("libEGL.so.1: cannot open shared object file", name=name)

sys.meta_path.insert(0, Missing())
"""


def answered(
    home: Path, *arguments: str, before: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The window's command, ended; ``before`` is run before it."""
    display = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in display}
    return subprocess.run(
        [sys.executable, "-c", before + START, *arguments],
        env=kept | {"WEBRAG_HOME": str(home)} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_usage_is_printed_without_a_display(tmp_path: Path) -> None:
    reported = answered(tmp_path, "--help")
    assert (reported.returncode, reported.stderr) == (0, "")
    assert reported.stdout.startswith("Usage: webrag-desktop [OPTIONS] [LINK|FILE|FOLDER]…")
    assert answered(tmp_path, "--version").stdout.startswith("webrag-desktop ")
    unknown = answered(tmp_path, "--nonsense")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.splitlines()[-1] == "Try: webrag-desktop --help"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
@pytest.mark.parametrize("display", [None, ":99999"])
def test_without_a_display_it_says_so_and_nothing_aborts(tmp_path: Path, display: str | None) -> None:
    reported = answered(tmp_path, **({} if display is None else {"DISPLAY": display}))
    assert reported.returncode == 3
    message, hint = reported.stderr.splitlines()
    assert message.startswith("No window can be opened here")
    assert "`webrag --help`" in hint


def test_a_platform_that_is_not_there_is_named(tmp_path: Path) -> None:
    reported = answered(tmp_path, QT_QPA_PLATFORM="nonsense")
    assert reported.returncode == 3
    assert "nonsense" in reported.stderr.splitlines()[0]


def test_a_system_without_the_libraries_for_windows_is_named(tmp_path: Path) -> None:
    reported = answered(tmp_path, before=WITHOUT_EGL)
    assert (reported.returncode, reported.stdout) == (3, "")
    message, hint = reported.stderr.splitlines()
    assert "libEGL.so.1" in message
    assert hint.startswith("Install the system's libraries")
