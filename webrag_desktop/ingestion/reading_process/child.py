"""The reading process itself: takes captures from its standard input, answers with documents.

It imports neither the database nor the embedding model nor the window. It ends when its input ends.
"""

import faulthandler
import logging
import os
import signal
import sys
import threading
import warnings
from queue import SimpleQueue
from typing import BinaryIO, NoReturn

from webrag_desktop.errors import IngestionError, WebragError, resource_error
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.ingestion.page_look.markup import markup_of
from webrag_desktop.ingestion.reading_process.limits import MemoryBound, allow_processor_time, restrict
from webrag_desktop.ingestion.reading_process.protocol import (
    EXIT_FAULT,
    EXIT_NO_MEMORY,
    EXIT_SHORT,
    Answer,
    Failure,
    Request,
    read_request,
    say_ready,
    write_answer,
)

log = logging.getLogger(__name__)
_LONGEST_SECONDS = (
    24 * 3600.0
)  # by the clock: only a parser that hangs when the other process is gone meets this


def run(arguments: list[str]) -> NoReturn:
    """Be the reading process; ``arguments`` are the limits in bytes and seconds."""
    memory_bytes, seconds = int(arguments[0]), float(arguments[1])
    requests, answers = _own_pipes()
    _keep_quiet()
    bound = restrict(memory_bytes)
    waiting: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting, bound), name="requests", daemon=True).start()
    say_ready(answers)
    try:
        while True:
            request = waiting.get()
            allow_processor_time(seconds)
            # In C, so that it holds where a parser lets no other thread run, and logs where it was.
            faulthandler.dump_traceback_later(_LONGEST_SECONDS, exit=True)
            answer = _answer(request, bound)
            faulthandler.cancel_dump_traceback_later()
            del request
            _send(answers, answer)
    except MemoryError:
        _end_without_memory(bound)
    except BaseException as error:
        log.exception("the reading process has a fault")
        os._exit(EXIT_FAULT if resource_error(error) is None else EXIT_SHORT)


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the other process; what a library prints goes to the log, not between the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def _keep_quiet() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process decides
    warnings.simplefilter("ignore")
    # Other libraries log whole addresses, which may contain secrets.
    logging.basicConfig(
        level=logging.CRITICAL, stream=sys.stderr, format="%(process)d %(levelname)s %(message)s"
    )
    logging.getLogger("webrag_desktop").setLevel(logging.INFO)
    faulthandler.enable()


def _receive(requests: BinaryIO, waiting: "SimpleQueue[Request]", bound: MemoryBound) -> None:
    """Take captures until the other process is gone, and go at once then, whatever is being read."""
    try:
        while (request := read_request(requests)) is not None:
            waiting.put(request)
            del request
    except MemoryError:
        _end_without_memory(bound)
    finally:
        os._exit(0)


def _answer(request: Request, bound: MemoryBound) -> bytes:
    try:
        return _read(request).json_bytes()
    except MemoryError:
        _end_without_memory(bound)
    except WebragError as error:
        if bound.was_reached():  # libraries that get no memory say that the file is damaged
            _end_without_memory(bound)
        if resource_error(error) is not None and bound.computer_lacks_memory():
            os._exit(EXIT_SHORT)
        return Answer(failure=Failure.of(error)).json_bytes()
    except Exception as error:  # one page that we read wrongly must not stop all the others
        log.exception("a document could not be read")
        if bound.was_reached():
            _end_without_memory(bound)
        if resource_error(error) is not None:
            os._exit(EXIT_SHORT)
        fault = IngestionError("The program could not read this; the fault is its own", "Report it.")
        return Answer(failure=Failure.of(fault)).json_bytes()


def _read(request: Request) -> Answer:
    if request.wanted == "markup":
        return Answer(markup=markup_of(request.capture))
    document = extract(request.capture)
    return Answer(document=document, addresses=tuple(addresses_of(request.capture, document)))


def _end_without_memory(bound: MemoryBound) -> NoReturn:
    os._exit(EXIT_SHORT if bound.computer_lacks_memory() else EXIT_NO_MEMORY)


def _send(answers: BinaryIO, answer: bytes) -> None:
    try:
        write_answer(answers, answer)
    except OSError:  # nobody listens any more
        os._exit(0)
