"""A library in a folder that cannot be written to, used by a process that permissions hold for."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.command_line import Program, program
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.stack.locks import FileLock
from webrag_desktop.stack.postgres.identity import launched_identity

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="privileges are given up on Linux"
)
SENTENCE = "Kelp grows in cold water"


class Unprivileged(Program):
    """The same program without root's right to pass over permissions; others have none."""

    @staticmethod
    def _command(arguments: Sequence[str]) -> list[str]:
        identity = launched_identity("namespace")
        assert identity is not None
        return [*identity.prefix, *Program._command(arguments)]


@pytest.fixture(scope="module")
def note(tmp_path_factory: pytest.TempPathFactory) -> Path:
    note = tmp_path_factory.mktemp("notes") / "kelp.md"
    note.write_text(f"# Kelp\n\n{SENTENCE}, slowly.", encoding="utf-8")
    return note


@pytest.fixture(scope="module")
def webrag(note: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A library with a document and a citation, stopped, that may only be read; copies go to a folder of its own."""
    copies = tmp_path_factory.mktemp("copies")
    with program(Program, TMPDIR=str(copies)) as started:
        assert started.run("add", str(note)).code == 0
        assert started.run("cite", str(note), SENTENCE).code == 0
        assert started.run("stack", "stop").code == 0
        set_modes(started.home, take=0o222)
        yield Unprivileged(started.home, started.extra)
        set_modes(started.home, give=0o200)


def set_modes(home: Path, take: int = 0, give: int = 0) -> None:
    for path in (home, *home.rglob("*")):
        path.chmod(path.stat().st_mode & ~take | give)


def content_of(home: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in home.rglob("*")}


def test_it_can_be_read_and_nothing_is_left_behind(webrag: Program, note: Path) -> None:
    """Nor what a killed process left; the copy of one that lives stays."""
    before, copies = content_of(webrag.home), Path(webrag.extra["TMPDIR"])
    killed, living = (Path(tempfile.mkdtemp(prefix="webrag-copy-", dir=copies)) for _ in range(2))
    (killed / "in-use.lock").touch()
    lock = FileLock(living / "in-use.lock")
    assert lock.acquire(shared=False, timeout=0)
    found = webrag.run("search", "cold water")
    assert found.code == 0, found.err
    assert SENTENCE in found.out
    assert "cannot be written to. Its database (" in found.err
    for command in (["citations"], ["ground", "where does kelp grow"]):
        reported = webrag.run(*command)
        assert (reported.code, SENTENCE in reported.out) == (0, True), reported.err
    assert content_of(webrag.home) == before
    assert list(copies.iterdir()) == [living]
    lock.release()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("cite", "{note}", "slowly"), "can only be read where it is, so nothing was changed"),
        (("add", "--no-wait", "{note}"), "Nothing can be kept in the data folder"),
        (("restore", "{note}", "--replace"), "can only be read where it is"),
        (("stack", "start"), "no database can be started in it"),
    ],
)
def test_what_would_change_it_is_refused(
    webrag: Program, note: Path, command: tuple[str, ...], words: str
) -> None:
    refused = webrag.run(*(word.format(note=note) for word in command))
    assert refused.code == ExitCode.UNAVAILABLE, refused.out
    assert words in refused.err
    assert "writable" in refused.err
