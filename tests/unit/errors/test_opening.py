"""No place that opens what the user names waits for ever, or reads without end."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest

from tests.support.command_line import ProgramHere, new_program
from webrag_desktop.config import load_settings
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.errors import ConfigurationError, FetchError, InputError, WebragError
from webrag_desktop.errors.opening import FileTooLargeError, NotAFileError, file_content, open_file, why
from webrag_desktop.gui.adding.link_text import link_in
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.files import read_file
from webrag_desktop.maintenance import backup
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.cross_encoder import CrossEncoderReranker
from webrag_desktop.storage.backups.backup_file import BackupReader
from webrag_desktop.storage.captures.spool import Spool

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices of POSIX")

ENDLESS = Path("/dev/zero")
Place = Callable[[Path], object]


@pytest.fixture(params=["pipe", "device", "link to a device", "folder", "socket"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "named.webloc"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "link to a device":
        path.symlink_to(ENDLESS)
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            yield path
        return
    yield ENDLESS if request.param == "device" else path


def rerank(model: Path) -> object:
    candidate = RerankCandidate(chunk_id=uuid4(), text="Limpets clamp.")
    return CrossEncoderReranker(model, RerankConfig()).rerank("Who clamps?", [candidate])


def nowhere() -> NoReturn:
    raise AssertionError("the database was asked")


PLACES: dict[str, tuple[Place, type[WebragError]]] = {
    "add": (lambda path: read_file(path, FetchOptions()), FetchError),
    "restore": (BackupReader, InputError),
    "restore --check": (backup.check_backup, InputError),
    "backup --force": (lambda path: backup.save(nowhere, path, "test", overwrite=True), InputError),
    "backup": (lambda path: backup.save(nowhere, path, "test"), InputError),
    "EMBEDDING_TOKENIZER": (lambda path: open_tokenizer(f"file:{path}"), ConfigurationError),
    "RETRIEVAL_RERANK_MODEL_FILE": (rerank, ConfigurationError),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_file_is_refused_and_reported(no_file: Path, place: str) -> None:
    opens, kind = PLACES[place]
    before = no_file.stat()
    with pytest.raises(kind) as caught:
        opens(no_file)
    assert caught.value.message
    assert caught.value.hint
    assert no_file.stat().st_mode == before.st_mode, "it is still there"


def test_a_dropped_link_file_that_is_none_holds_no_link(no_file: Path) -> None:
    assert link_in(no_file) is None


def test_a_selected_text_is_not_waited_for(no_file: Path) -> None:
    with new_program(ProgramHere) as webrag:
        done = webrag.run("ground", "--json", "who?", "--selected-text", str(no_file))
    assert done.code == 2
    assert "cannot be read from" in done.json["error"]["message"]
    assert "--selected-text -" in done.json["error"]["hint"]


def test_addresses_on_standard_input_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webrag_desktop.cli.commands.add.MOST_GIVEN", 100)
    with new_program(ProgramHere) as webrag:
        long_line = webrag.run("add", "--json", "-", given="x" * 101)
        many_lines = webrag.run("add", "--json", "-", given="example.org\n" * 20)
    for done in (long_line, many_lines):
        assert done.code == 2
        assert "Standard input holds more than" in done.json["error"]["message"]


def test_a_settings_file_that_is_a_pipe_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    os.mkfifo(tmp_path / ".env")
    with pytest.raises(ConfigurationError, match="it is a pipe, not a file"):
        load_settings()


def test_a_settings_file_without_end_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").write_bytes(b"#" * 2_000_000)
    with pytest.raises(ConfigurationError, match="larger than"):
        load_settings()


def test_a_folder_named_like_the_settings_file_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    (tmp_path / ".env").mkdir()
    assert load_settings().webrag_home == tmp_path


@pytest.mark.parametrize("suffix", [".intake.json", ".given.json", ".removal.json"])
def test_a_pipe_among_what_waits_is_quarantined(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(tmp_path / f"1{suffix}")
    spool = Spool(tmp_path)
    assert [*spool.waiting(), *spool.batches(), *spool.removals()] == []
    assert [path.name for path in tmp_path.iterdir()] == ["1.damaged"]


def test_a_pipe_among_what_waits_does_not_hold_up_a_backup(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.intake.json")
    assert Spool(tmp_path).waiting_files() == {}


# -- The guard itself -----------------------------------------------------------------------------------------


def test_an_ordinary_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert file_content(file, 5) == b"12345"
    with pytest.raises(FileTooLargeError) as caught:
        file_content(file, 4)
    assert why(caught.value) == "it is larger than 4 bytes"


def test_a_file_that_tells_no_size_is_read_up_to_the_limit() -> None:
    made_up = Path("/proc/self/mountinfo")
    if not made_up.exists():
        pytest.skip("a system without /proc")
    assert made_up.stat().st_size == 0
    assert file_content(made_up, 1_000_000)
    with pytest.raises(FileTooLargeError):
        file_content(made_up, 3)


def test_what_gives_its_content_bit_by_bit_has_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe that has a writer stands for /proc/kmsg, which claims to be an ordinary file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    os.write(writer, b"so far")
    monkeypatch.setattr("webrag_desktop.errors.opening.check_ordinary", lambda _status: None)
    with pytest.raises(NotAFileError) as caught:
        file_content(pipe, 1000)
    os.close(writer)
    assert why(caught.value) == "it has no end"


def test_a_pipe_that_takes_the_place_of_a_file_meanwhile_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"text")
    os.mkfifo(pipe)
    looked_at, opened = os.stat, os.open
    monkeypatch.setattr(os, "stat", lambda path: looked_at(file if Path(path) == pipe else path))
    descriptors: list[int] = []

    def noted(path: str, flags: int) -> int:
        descriptors.append(opened(path, flags))
        assert not os.get_inheritable(descriptors[-1])
        return descriptors[-1]

    monkeypatch.setattr(os, "open", noted)
    with pytest.raises(NotAFileError), open_file(pipe):
        pass
    monkeypatch.undo()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptors[0])
