"""What the reading process may not do, whatever a document talks its parsers into."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
FENCED = """
import os, socket, subprocess, sys, shutil
from pathlib import Path
from webrag_desktop.ingestion.reading_process.limits import restrict
restrict(1 << 30)
try:
    {deed}
except PermissionError as error:
    print(error)
"""


def outcome(deed: str, folder: Path) -> str:
    program = FENCED.format(deed=deed)
    ended = subprocess.run(
        [sys.executable, "-c", program, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return ended.stdout + ended.stderr


@pytest.mark.parametrize(
    "deed",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 80)",
        "subprocess.run(['true'])",
        "os.system('true')",
        *(["os.fork()"] if hasattr(os, "fork") else []),
        "Path(sys.argv[1], 'new').write_text('x')",
        "os.open(Path(sys.argv[1], 'new'), os.O_CREAT)",
        "Path(sys.argv[1], 'old').unlink()",
        "Path(sys.argv[1], 'old').rename(Path(sys.argv[1], 'new'))",
        "Path(sys.argv[1], 'new').mkdir()",
        "Path(sys.argv[1], 'new').symlink_to('/etc')",
        "shutil.rmtree(sys.argv[1])",
    ],
)
def test_no_network_no_programs_no_changes(deed: str, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("kept")
    assert "the reading process may not do this" in outcome(deed, tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["kept"]


def test_reading_stays_possible(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("kept")
    assert outcome("print(Path(sys.argv[1], 'old').read_text())", tmp_path) == "kept\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_more_memory_than_there_may_be_is_refused_at_once(tmp_path: Path) -> None:
    assert "MemoryError" in outcome("bytearray(1 << 34)", tmp_path)
