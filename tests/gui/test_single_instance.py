"""One window per data folder: further starts hand over what they were given."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from webrag_desktop.errors import InputError, StackError
from webrag_desktop.gui.shell import single_instance
from webrag_desktop.gui.shell.single_instance import SingleInstance, absolute

SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from webrag_desktop.gui.shell.single_instance import SingleInstance
application = QCoreApplication([])
instance = SingleInstance.of_home(Path(sys.argv[1]))
if not instance.claim(sys.argv[2:]):
    sys.exit(20)
instance.listen()
sys.exit(10)
"""


def second(home: Path, *arguments: str, cwd: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", SECOND, str(home), *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )


@pytest.fixture(autouse=True)
def short_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sockets go here, in every process; the data folders of tests can be too long for them."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="wr") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture
def first(tmp_path: Path, qapp: QApplication) -> Iterator[SingleInstance]:
    instance = SingleInstance.of_home(tmp_path)
    assert instance.claim([])
    instance.listen()
    yield instance
    instance.release()


def test_a_second_start_hands_its_arguments_to_the_first(
    first: SingleInstance, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "note.md").write_text("x")
    with qtbot.waitSignal(first.arguments_received, timeout=20_000) as received:
        process = second(tmp_path, "https://example.org/ü", "note.md", cwd=tmp_path)
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=20_000)
    assert process.returncode == 20
    assert received.args == [("https://example.org/ü", str(tmp_path / "note.md"))]


def test_the_place_is_free_again_once_the_first_has_gone(first: SingleInstance, tmp_path: Path) -> None:
    first.release()
    again = SingleInstance.of_home(tmp_path)
    assert again.claim([])
    again.release()


def test_what_a_killed_first_left_behind_is_no_hindrance(
    tmp_path: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            SECOND.replace("sys.exit(10", "print('up', flush=True) or application.exec() or sys.exit(10"),
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    instance = SingleInstance.of_home(tmp_path)
    assert instance.claim([])
    instance.listen()
    instance.release()


def test_a_first_that_does_not_answer_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    monkeypatch.setattr(single_instance, "PASS_SECONDS", 0.1)
    silent = SingleInstance.of_home(tmp_path)
    assert silent._lock.acquire(shared=False, timeout=0)
    with pytest.raises(StackError, match="does not answer"):
        SingleInstance.of_home(tmp_path).claim(["https://example.org/"])
    silent.release()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x04nope",
        b"\x00\x00\x00\x02[]",
        b'\x00\x00\x00\x14{"arguments": [1, 2]}',
        b"\x00",
    ],
)
def test_garbage_does_no_harm(first: SingleInstance, tmp_path: Path, qtbot: QtBot, garbage: bytes) -> None:
    heard: list[object] = []
    first.arguments_received.connect(heard.append)
    socket = QLocalSocket()
    socket.connectToServer(first._address)
    assert socket.waitForConnected(1000)
    socket.write(garbage)
    socket.flush()
    socket.disconnectFromServer()
    with qtbot.waitSignal(first.arguments_received, timeout=20_000):
        process = second(tmp_path, "https://example.org/", cwd=tmp_path)
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=20_000)
    assert heard == [("https://example.org/",)]


def test_the_socket_is_where_nobody_else_can_put_one(first: SingleInstance) -> None:
    folder = Path(first._address).parent
    assert folder.stat().st_mode & 0o077 == 0


def test_arguments_keep_their_meaning_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "note.md").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert absolute(["note.md", "https://example.org/", "missing.md", "x\0y"]) == (
        str(tmp_path / "note.md"),
        "https://example.org/",
        str(tmp_path / "missing.md"),  # else it would be looked for where the first was started
        "x\0y",
    )


def test_a_message_in_pieces_is_taken_once(first: SingleInstance, qtbot: QtBot) -> None:
    heard: list[object] = []
    first.arguments_received.connect(heard.append)
    content = b'{"arguments": ["https://example.org/"]}'
    whole = len(content).to_bytes(4, "big") + content
    socket, answers = QLocalSocket(), bytearray()
    socket.readyRead.connect(lambda: answers.extend(bytes(socket.readAll().data())))
    socket.connectToServer(first._address)
    assert socket.waitForConnected(1000)
    for at in range(0, len(whole), 7):
        more = whole if at + 7 >= len(whole) else b""
        socket.write(whole[at : at + 7] + more)
        socket.flush()
        QApplication.processEvents()
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert heard == [("https://example.org/",)]
    assert bytes(answers) == b"taken"


def test_more_than_can_be_handed_over_is_reported(first: SingleInstance, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Too much"):
        SingleInstance.of_home(tmp_path).claim(["https://example.org/" + "x" * 1_000_000])


def test_a_first_that_hangs_is_reported(
    first: SingleInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It accepts, as the system does for it, but its event loop does not run."""
    monkeypatch.setattr(single_instance, "PASS_SECONDS", 0.2)
    with pytest.raises(StackError, match="does not answer"):
        SingleInstance.of_home(tmp_path).claim(["https://example.org/"])
