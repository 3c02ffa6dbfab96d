"""What this computer lacked is distinguished from what was given, however deep in an error it lies."""

import errno
import socket
import ssl

import pytest

from webrag_desktop.errors import (
    EmbeddingError,
    ExtractionError,
    FetchError,
    ReaderEndedError,
    ResourceError,
    resource_error,
)


class _RuntimeError(Exception):
    """As onnxruntime's own, which knows no errno."""


_RuntimeError.__module__ = "onnxruntime.capi.onnxruntime_pybind11_state"


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "too little memory"),
        (OSError(errno.ENOMEM, ""), "too little memory"),
        (OSError(errno.ENOSPC, ""), "no space left on the disk"),
        (OSError(errno.EDQUOT, ""), "no space left on the disk"),
        (OSError(errno.EMFILE, ""), "too many files open"),
        (OSError(errno.ENFILE, ""), "too many files open"),
        (RuntimeError("can't start new thread"), "another process or thread"),
        (_RuntimeError("std::bad_alloc"), "too little memory"),
        (caused(EmbeddingError("The model cannot be read."), OSError(errno.EMFILE, "")), "too many files"),
        (caused(FetchError("It could not be reached."), OSError(errno.ENOBUFS, "")), "too little memory"),
        (caused(ExtractionError("Damaged."), caused(ValueError(), MemoryError())), "too little memory"),
        (ReaderEndedError("It was ended from outside."), "ended from outside"),
    ],
)
def test_what_a_computer_lacks_is_reported(error: Exception, words: str) -> None:
    found = resource_error(error)
    assert found is not None
    assert words in found.message
    assert found.transient
    assert found.hint


@pytest.mark.parametrize(
    "error",
    [
        ExtractionError("There is nothing to read."),
        PermissionError(errno.EACCES, "denied"),
        ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
        socket.gaierror(errno.ENOMEM, "a number of its own"),
        ssl.SSLError(errno.ENOSPC, "a number of its own"),
        RuntimeError("generator raised StopIteration"),
        ValueError("bad_alloc"),
        caused(FetchError("There is no such file."), FileNotFoundError(errno.ENOENT, "")),
    ],
)
def test_what_is_no_lack_stays_what_it_is(error: Exception) -> None:
    assert resource_error(error) is None


def test_a_library_that_cuts_off_the_cause_hides_nothing() -> None:
    error = FetchError("It could not be reached.")
    error.__context__, error.__suppress_context__ = OSError(errno.EMFILE, ""), True
    assert resource_error(error) is not None


def test_a_full_disk_says_so_by_itself() -> None:
    """The system's own error, not one made here."""
    with pytest.raises(OSError, match="No space left") as full, open("/dev/full", "wb", buffering=0) as file:  # noqa: PTH123 - as any library would
        file.write(b"x")
    assert isinstance(resource_error(full.value), ResourceError)
