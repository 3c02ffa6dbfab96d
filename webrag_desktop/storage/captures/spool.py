"""Files beside the database, written with fsync: additions while it is down, batches being added, removals."""

import json
import logging
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import UUID, uuid4

import psutil

from webrag_desktop.errors import DataFolderGoneError, InputError, StackError
from webrag_desktop.errors.opening import NotAFileError, open_file
from webrag_desktop.models.sources import NO_LABELS, Labels

if TYPE_CHECKING:
    from webrag_desktop.models.documents import SpooledIntake

SUFFIX = ".intake.json"
BATCH_SUFFIX = ".given.json"  # followed by its owner while a process adds it
REMOVAL_SUFFIX = ".removal.json"
_WAITING = re.compile(rf"\d{{20}}-[0-9a-f]{{32}}({re.escape(SUFFIX)}|{re.escape(BATCH_SUFFIX)})")
_SAME_START_SECONDS = 30.0  # the system's clock may have been set meanwhile

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SpooledBatch:
    """Addresses and paths as they were given, durable and claimed: no other thread or process adds them.

    The ``labels``, the ``depth``, how far ``links`` are followed and whether ``subresources`` are kept are for all of
    them. As a context manager it is left for others (:meth:`release`) at the end, unless it is :meth:`done`.
    """

    given: tuple[str, ...]
    _path: Path
    labels: Labels = NO_LABELS
    depth: int = 0
    links: int = 0
    subresources: bool | None = None

    def done(self) -> None:
        """Delete it: everything in it is stored elsewhere."""
        self._path.unlink(missing_ok=True)

    def release(self) -> None:
        """Release it for the next process; without effect once it is done."""
        try:
            self._path.rename(self._path.with_suffix(""))
        except FileNotFoundError:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Spool:
    """A folder of waiting entries. Safe for several processes: entries are whole files, renamed into place."""

    def __init__(self, folder: Path) -> None:
        """Use ``folder``, two levels below the data folder; it is made at the first entry."""
        self._folder = folder

    @property
    def is_empty(self) -> bool:
        """Whether the folder holds no entries, neither free nor claimed."""
        return not self._folder.is_dir() or next(self._folder.iterdir(), None) is None

    def put(self, intake: "SpooledIntake") -> None:
        """Store an entry durably: when this returns, it survives a power failure."""
        self._write(f"{_new_stem()}{SUFFIX}", intake.model_dump_json().encode())

    def put_batch(
        self,
        given: Sequence[str],
        labels: Labels = NO_LABELS,
        depth: int = 0,
        links: int = 0,
        subresources: bool | None = None,
    ) -> SpooledBatch:
        """Keep what was given durably, in one file however much it is; the caller takes it in."""
        labelled = {
            "given": list(given),
            "tags": labels.tags,
            "collections": labels.collections,
            "depth": depth,
            "links": links,
            "subresources": subresources,
        }
        # Escaped, since what is given may hold what no encoding can.
        content = json.dumps(
            labelled if labels or depth or links or subresources is not None else list(given)
        ).encode()
        path = self._write(f"{_new_stem()}{BATCH_SUFFIX}.{_own_name()}", content)
        return SpooledBatch(tuple(given), path, labels, depth, links, subresources)

    def put_removal(self, ids: Sequence[UUID]) -> Path:
        """Keep durably that these are to be removed; delete the file once they are."""
        return self._write(f"{_new_stem()}{REMOVAL_SUFFIX}", json.dumps([str(id_) for id_ in ids]).encode())

    def _write(self, name: str, content: bytes) -> Path:
        try:
            return self._written(name, content)
        except OSError as error:
            raise self._not_kept(error) from error

    def _not_kept(self, error: OSError) -> StackError:
        reason = error.strerror or str(error)
        return StackError(
            f"Nothing can be kept in the data folder {self._home}: {reason}. Nothing was changed.",
            "Make the folder writable, free some space there, or choose another one with WEBRAG_HOME.",
        )

    def _written(self, name: str, content: bytes) -> Path:
        self._make_folder()
        final = self._folder / name
        unfinished = self._folder / f"{_new_stem()}.unfinished"
        try:
            with unfinished.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                written = os.fstat(file.fileno())
            unfinished.rename(final)
        except OSError:  # a partial file only takes space on a full disk
            unfinished.unlink(missing_ok=True)
            raise
        sync_folder(self._folder)
        if not _is_at(final, written):  # the folder was moved meanwhile, or another one put in its place
            raise DataFolderGoneError.of(self._home)
        return final

    @property
    def _home(self) -> Path:
        return self._folder.parents[1]

    def _make_folder(self) -> None:
        """Make it in the data folder, which is not made: where it is gone, nobody would look for what is kept there.

        Raises:
            DataFolderGoneError: there is no data folder.
        """
        try:
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(exist_ok=True, mode=0o700)
        except FileNotFoundError as error:
            raise DataFolderGoneError.of(self._home) from error

    def waiting(self) -> "Iterator[tuple[Path, SpooledIntake]]":
        """Every entry with its file, oldest first; the caller deletes the file once the entry is accepted.

        An entry that cannot be read is quarantined under another name, so that it is neither lost nor in
        the way of the others.
        """
        from webrag_desktop.models.documents import SpooledIntake  # the window starts without it

        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                yield path, SpooledIntake.model_validate_json(_content(path))
            except FileNotFoundError:  # another process took it
                continue
            except ValueError:
                quarantine(path)

    def batches(self) -> Iterator[SpooledBatch]:
        """Claim every free batch, oldest first; use each as a context manager."""
        for path in self._free_batches():
            stem = path.name.partition(BATCH_SUFFIX)[0]
            claimed = self._folder / f"{stem}{BATCH_SUFFIX}.{_own_name()}"
            try:
                path.rename(claimed)
                yield _batch_in(claimed)
            except FileNotFoundError:  # another thread or process was faster
                continue
            except ValueError:
                quarantine(claimed)

    def removals(self) -> Iterator[tuple[Path, tuple[UUID, ...]]]:
        """What is to be removed, with its file; the caller deletes that afterwards."""
        for path in sorted(self._folder.glob(f"*{REMOVAL_SUFFIX}")):
            try:
                yield path, tuple(UUID(text) for text in _texts_in(path))
            except FileNotFoundError:  # another process took it
                continue
            except ValueError:
                quarantine(path)

    def forget_removals(self) -> None:
        """Delete the waiting removals: they were meant for a library that another replaces."""
        for path in self._folder.glob(f"*{REMOVAL_SUFFIX}"):
            path.unlink(missing_ok=True)

    def waiting_files(self) -> dict[str, bytes]:
        """The entries that wait, by the names of their files while they are free, for a backup; none is taken."""
        while (found := self._files_there()) is None:
            pass  # what went was taken in, and is in the library now, or claimed, and has another name
        return found

    def _files_there(self) -> dict[str, bytes] | None:
        """Those files as they are at one moment; None where one of them went meanwhile."""
        found: dict[str, bytes] = {}
        for path in sorted((*self._folder.glob(f"*{SUFFIX}"), *self._folder.glob(f"*{BATCH_SUFFIX}*"))):
            name, batch, _owner = path.name.partition(BATCH_SUFFIX)
            try:
                found[name + batch] = _content(path)
            except FileNotFoundError:
                return None
            except _NoEntryError:
                quarantine(path)
                return None
        return found

    def put_back(self, name: str, content: bytes) -> None:
        """Keep durably what :meth:`waiting_files` gave.

        Raises:
            InputError: it is none of what waits to be taken in.
        """
        if not _WAITING.fullmatch(name):
            raise InputError(f"The backup holds a file that does not belong into one: {name}.")
        self._write(name, content)

    def count(self) -> int:
        """How many entries wait, without those that a process is adding."""
        number = sum(1 for _entry in self.waiting())
        for path in self._free_batches():
            try:
                number += len(_batch_in(path).given)
            except (FileNotFoundError, ValueError):  # it is being added, or will be quarantined
                continue
        return number

    def _free_batches(self) -> list[Path]:
        found = sorted(self._folder.glob(f"*{BATCH_SUFFIX}*"))
        return [path for path in found if not _is_alive(path.name.partition(BATCH_SUFFIX)[2])]


def quarantine(path: Path) -> None:
    """Rename a damaged entry, so that it is kept but not read again."""
    damaged = path.with_name(f"{path.name.partition('.')[0]}.damaged")
    path.replace(damaged)
    log.warning("An entry that waits to be added cannot be read and was renamed to %s.", damaged)


def _new_stem() -> str:
    return f"{time.time_ns():020d}-{uuid4().hex}"


class _NoEntryError(ValueError):
    """An entry is a pipe, a folder or a device."""


def _content(path: Path) -> bytes:
    try:
        with open_file(path) as file:
            return file.read()
    except NotAFileError as error:
        raise _NoEntryError from error


def _batch_in(path: Path) -> SpooledBatch:
    """What a file of a batch holds: texts, and where it has more than these, what is for all of them."""
    content = json.loads(_content(path))
    if not isinstance(content, dict):
        return SpooledBatch(_texts(content), path)
    labels = Labels.of(_texts(content.get("tags")), _texts(content.get("collections")))
    # Files of before have neither depth nor links, nor do they say what to keep of pages.
    depth, links = _count(content.get("depth", 0)), _count(content.get("links", 0))
    subresources = _answer(content.get("subresources"))
    return SpooledBatch(_texts(content.get("given")), path, labels, depth, links, subresources)


def _answer(answer: object) -> bool | None:
    if answer is not None and not isinstance(answer, bool):
        raise ValueError("neither yes nor no")
    return answer


def _count(number: object) -> int:
    if type(number) is not int or number < 0:
        raise ValueError("not a number of links")
    return number


def _texts_in(path: Path) -> tuple[str, ...]:
    return _texts(json.loads(_content(path)))


def _texts(texts: object) -> tuple[str, ...]:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("not a list of texts")
    return tuple(texts)


def _own_name() -> str:
    process = psutil.Process()
    return f"{process.pid}-{int(process.create_time())}"


def _is_alive(owner: str) -> bool:
    """Whether the process that a claimed name ends with is still there; an unclaimed one ends with nothing."""
    pid, _dash, started = owner.removeprefix(".").partition("-")
    try:
        process = psutil.Process(int(pid))
        same = abs(process.create_time() - int(started)) < _SAME_START_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    except (ValueError, psutil.Error):
        return False


def _is_at(path: Path, written: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), written)
    except FileNotFoundError:
        return False


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk."""
    if os.name == "nt":  # a folder cannot be opened there, and NTFS journals renames
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
