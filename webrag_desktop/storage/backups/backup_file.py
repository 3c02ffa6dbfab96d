"""The file of a backup: a ZIP of compressed members and a manifest with the content and hash of each.

It ends in a seal, the hash of every byte before, stored in the archive's comment. Backups made before there was
one have no comment.
"""

import glob
import hashlib
import os
import secrets
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import zstandard
from pydantic import ValidationError

from webrag_desktop.errors import InputError
from webrag_desktop.errors.opening import open_file, why
from webrag_desktop.models.backups import FORMAT_VERSION, Manifest, ManifestHead, Member
from webrag_desktop.storage.captures.spool import sync_folder

MANIFEST = "manifest.json"
LARGEST_MANIFEST = 64 * 1024 * 1024
LEFT_SECONDS = 3600.0  # an unfinished file that was not written to for so long is abandoned
_LEVEL = 3
_PORTION = 256 * 1024
_SEAL = b"webrag backup; sha256 of all before: "
_DIGITS = 64  # of the hash in the seal, at the very end of the file
_END_RECORD, _END_RECORD_SIZE = b"PK\x05\x06", 22  # what a ZIP without a comment ends with
# RuntimeError: a member that says that it is encrypted, or packed in another way than any there is.
_UNREADABLE = (zipfile.BadZipFile, zstandard.ZstdError, zlib.error, EOFError, KeyError, RuntimeError)


class BackupWriter:
    """Writes a backup to a temporary file beside its place and renames it at the end.

    As a context manager: what was not finished by :meth:`finish` is removed at the end.
    """

    def __init__(self, path: Path) -> None:
        """Write what becomes ``path``; its folder must be there.

        Raises:
            OSError: nothing can be written there.
        """
        self._path = path
        _remove_leftovers(path)
        self._unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.unfinished")
        descriptor = os.open(
            self._unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
        self._file = os.fdopen(descriptor, "w+b")
        self._archive = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED, allowZip64=True)

    @contextmanager
    def member(self, name: str) -> "Iterator[_MemberWriter]":
        """Write one member; its size and hash are known once the block has ended."""
        compressor = zstandard.ZstdCompressor(level=_LEVEL)
        info = zipfile.ZipInfo(name)  # without the time of day: equal content gives equal members
        with (
            self._archive.open(info, "w", force_zip64=True) as raw,
            compressor.stream_writer(raw, closefd=False) as stream,
        ):
            yield (writer := _MemberWriter(name, stream))
        writer.ended = True

    def finish(self, manifest: Manifest, *, overwrite: bool) -> int:
        """Complete the file, write it to the disk, and rename it to its path; returns its size in bytes.

        Raises:
            FileExistsError: something is at that place and may not be overwritten.
            OSError: it cannot be written.
        """
        self._archive.writestr(MANIFEST, manifest.model_dump_json(indent=1), zipfile.ZIP_DEFLATED)
        self._archive.comment = _SEAL + bytes(_DIGITS)
        self._archive.close()
        self._write_seal()
        self._file.flush()
        os.fsync(self._file.fileno())
        size = self._file.tell()
        self._file.close()
        self._put_in_place(overwrite=overwrite)
        sync_folder(self._path.parent)
        return size

    def _write_seal(self) -> None:
        digest = hashlib.sha256()
        for piece in _before_the_digits(self._file):
            digest.update(piece)
        self._file.write(digest.hexdigest().encode("ascii"))

    def _put_in_place(self, *, overwrite: bool) -> None:
        if overwrite:
            self._unfinished.replace(self._path)
            return
        try:
            self._path.hardlink_to(self._unfinished)  # refuses, unlike a rename, where something is
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if self._path.exists():
                raise FileExistsError(self._path) from None
            self._unfinished.rename(self._path)
        else:
            self._unfinished.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archive.fp = None  # else its end would be written where the disk may be full
        self._file.close()
        self._unfinished.unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Remove the unfinished files of processes that were killed while writing this backup."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.unfinished"):
        if is_left_over(leftover):
            leftover.unlink(missing_ok=True)


def is_left_over(unfinished: Path) -> bool:
    """Whether no process writes an unfinished file any more."""
    return time.time() - unfinished.stat().st_mtime > LEFT_SECONDS


def _before_the_digits(file: IO[bytes]) -> Iterator[bytes]:
    """All of a file but the digits of its seal, piece by piece; it then stands before them."""
    left = file.seek(0, os.SEEK_END) - _DIGITS
    file.seek(0)
    while left > 0 and (piece := file.read(min(left, _PORTION))):
        left -= len(piece)
        yield piece


class _MemberWriter:
    """Writes the content of one member, counting and hashing it."""

    def __init__(self, name: str, stream: "zstandard.ZstdCompressionWriter") -> None:
        self._name = name
        self._stream = stream
        self._hash = hashlib.sha256()
        self.size = 0
        self.ended = False

    def write(self, content: bytes | bytearray) -> None:
        """Add content."""
        self._hash.update(content)
        self._stream.write(content)
        self.size += len(content)

    @property
    def member(self) -> Member:
        """What was written."""
        assert self.ended, "more may come"
        return Member(name=self._name, size=self.size, sha256=self._hash.hexdigest())


class BackupReader:
    """Reads a backup; every byte it gives was compared with the manifest by the time a member is at its end.

    :meth:`check_seal` says of all others that they are as they were written.
    """

    def __init__(self, path: Path) -> None:
        """Open ``path`` and read its manifest; close it, or use this as a context manager.

        Raises:
            InputError: it is no backup, is damaged, or is newer than this program.
        """
        self._path = path
        try:
            self._file = open_file(path)
        except OSError as error:
            raise InputError(
                f"The file {path} cannot be read: {why(error)}.", "Give a file that `webrag backup` wrote."
            ) from error
        try:
            self._archive = zipfile.ZipFile(self._file)
        except _UNREADABLE as error:
            self._file.close()
            raise self._no_backup() from error
        except OSError as error:
            self._file.close()
            raise self._unreadable(error) from error
        try:
            self.manifest = self._read_manifest()
        except BaseException:
            self.close()
            raise

    def _read_manifest(self) -> Manifest:
        try:
            if self._archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
                raise self._no_backup()
            text = self._archive.read(MANIFEST)
            head = ManifestHead.model_validate_json(text)
        except (*_UNREADABLE, ValidationError) as error:
            raise self._no_backup() from error
        except OSError as error:
            raise self._unreadable(error) from error
        if head.format_version > FORMAT_VERSION:
            raise InputError(
                f"The backup {self._path} was made by a newer WebRAG Desktop ({head.program}). Nothing was changed.",
                "Install the newest version, then restore it.",
            )
        try:
            manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            raise self._damaged(MANIFEST) from error
        expected = {MANIFEST, *(member.name for member in manifest.members)}
        if sorted(expected) != sorted(self._archive.namelist()):
            raise self._damaged("its list of contents")
        return manifest

    def check_seal(self) -> Iterator[None]:
        """Compare every byte of the file with what it ends with, piece by piece.

        Of a backup that was made before there were seals it is checked that nothing follows.

        Raises:
            InputError: one is not as it was written; known at the latest when the last piece is asked for.
        """
        try:
            with open_file(self._path) as file:
                if not self._archive.comment:
                    self._check_end(file)
                    return
                digest = hashlib.sha256()
                for piece in _before_the_digits(file):
                    digest.update(piece)
                    yield
                written = file.read()
        except OSError as error:
            raise self._unreadable(error) from error
        seal = _SEAL + digest.hexdigest().encode("ascii")
        if self._archive.comment != seal or not seal.endswith(written) or len(written) != _DIGITS:
            raise self._damaged("its seal does not fit")

    def _check_end(self, file: IO[bytes]) -> None:
        file.seek(-_END_RECORD_SIZE, os.SEEK_END)
        record = file.read()
        if not record.startswith(_END_RECORD) or not record.endswith(bytes(2)):  # it marks the end
            raise self._damaged("its end")

    def content(self, member: Member) -> Iterator[bytes]:
        """The content of a member, piece by piece.

        Raises:
            InputError: it is not what was written; known at the latest when the last piece is asked for.
        """
        digest, size = hashlib.sha256(), 0
        try:
            with (
                self._archive.open(member.name) as raw,
                zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=False) as stream,
            ):
                while piece := stream.read(_PORTION):
                    size += len(piece)
                    if size > member.size:
                        raise self._damaged(member.name)
                    digest.update(piece)
                    yield piece
                if raw.read(1):  # at its end the archive compares its own sum, too
                    raise self._damaged(member.name)
        except _UNREADABLE as error:
            raise self._damaged(member.name) from error
        except OSError as error:
            raise self._unreadable(error) from error
        if (size, digest.hexdigest()) != (member.size, member.sha256):
            raise self._damaged(member.name)

    def _unreadable(self, error: OSError) -> InputError:
        return InputError(
            f"The file {self._path} cannot be read to its end: {error.strerror or error}. Nothing was changed.",
            "Use another copy of it, or an older backup.",
        )

    def _no_backup(self) -> InputError:
        return InputError(
            f"{self._path} is no whole backup of WebRAG Desktop: it is something else, or it is cut short. "
            "Nothing was changed.",
            "Give a file that `webrag backup` wrote.",
        )

    def _damaged(self, what: str) -> InputError:
        return InputError(
            f"The backup {self._path} is damaged ({what}), so it was not restored. Nothing was changed.",
            "Use another copy of it, or an older backup.",
        )

    def close(self) -> None:
        """Release the file."""
        self._archive.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
