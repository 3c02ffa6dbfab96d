"""The real reading process with a parser that does what the document's bytes say; run as a program."""

import errno
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract as real_extract
from webrag_desktop.ingestion.reading_process import child
from webrag_desktop.models.documents import Capture, NormalizedDocument

HANGING = 1  # how much nicer a process becomes that hangs
_read: list[bytes] = []


def _eat() -> None:
    kept = []
    while True:
        kept.append(bytearray(os.urandom(4096)) * 1024)


def _eat_at_once() -> None:
    _read.append(b"x" * (1 << 45))


def _hold() -> None:
    _read.append(os.urandom(4096) * (400 * 256))  # 400 MB
    _hang()


def _work() -> None:
    end = time.process_time() + 3
    while time.process_time() < end:
        re.match("a*", "a" * 10_000)


def _hang() -> None:
    os.nice(HANGING)  # whoever watches sees that it came so far
    threading.Event().wait()


def _end_by(name: str) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), getattr(signal, name))


def _lack_files() -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def _call_it_damaged() -> None:
    try:
        bytearray(1 << 40)
    except MemoryError as error:
        raise ExtractionError("The file is damaged") from error


def _spin() -> None:
    re.match(r"(?:a|a)*b", "a" * 60)  # the interpreter lets no other thread run meanwhile


def _tell() -> None:
    raise ExtractionError(json.dumps(dict(os.environ)))


def _second() -> None:
    if len(_read) > 1:
        os.abort()


def _rubbish(pipe: BinaryIO, _answer: bytes) -> None:
    pipe.write(b"\xff" * 64)
    pipe.flush()


DEEDS: dict[bytes, Callable[[], object]] = {
    b"eat": _eat,
    b"eat at once": _eat_at_once,
    b"hang": _hang,
    b"hold": _hold,
    b"work": _work,
    b"spin": _spin,
    b"abort": os.abort,
    b"crash": _end_by("SIGSEGV"),
    b"be killed": _end_by("SIGKILL"),
    b"be terminated": _end_by("SIGTERM"),
    b"be halted": _end_by("SIGSTOP"),
    b"lack files": _lack_files,
    b"call it damaged": _call_it_damaged,
    b"exit": lambda: os._exit(0),
    b"rubbish": lambda: setattr(child, "write_answer", _rubbish),
    b"print": lambda: sys.stdout.write("between the answers\n"),
    b"environment": _tell,
    b"second": _second,
    b"fault": lambda: 1 // 0,
}


def extract(capture: Capture) -> NormalizedDocument:
    """Do what the first line says, then read the document."""
    _read.append(b"")
    deed = DEEDS.get(capture.body.partition(b"\n")[0])
    if deed is not None:
        deed()
    document = real_extract(capture)
    return replace(document, url="https://bank.test/") if b"lie" in capture.body else document


if __name__ == "__main__":
    child.extract = extract  # type: ignore[assignment,attr-defined]
    child.run(sys.argv[1:])
