"""The worker process: no terminal, a log with times, an end when the queue is empty or a signal arrives."""

import json
import logging
import signal
import sys
import time
from collections.abc import Mapping
from types import FrameType, MappingProxyType

from webrag_desktop import DataFolder, lower_own_priority
from webrag_desktop.cli.exit_codes import ExitCode, code_of
from webrag_desktop.errors import WebragError, resource_error
from webrag_desktop.progress import CancelToken

log = logging.getLogger(__name__)
NO_SECRETS: Mapping[str, str] = MappingProxyType({})


def secrets_of_input() -> dict[str, str]:
    """The secret settings that whoever started the worker wrote to its standard input; none where that has ended."""
    given: dict[str, str] = json.loads(sys.stdin.buffer.read() or b"{}")
    return given


def run_worker(secrets: Mapping[str, str] = NO_SECRETS) -> ExitCode:
    """Work until the queue is empty, or a signal comes; at once when another process is the worker.

    ``secrets`` are settings that go before the folder's own.
    An error that ends it goes to the log, and to the note that whoever started it reads.
    """
    _log_to_stderr()
    lower_own_priority()
    cancel = _cancelled_by_signals()
    folder: DataFolder | None = None
    try:
        folder = DataFolder.at(**secrets)
        with folder.open() as library:
            log.info("the worker begins")
            closed = library.worker.run(cancel)
    except Exception as error:
        failure = resource_error(error) or error
        if not isinstance(failure, WebragError):
            raise
        log.error("%s %s", failure.message, failure.hint)
        if folder is not None:
            folder.note_worker_failure(failure)
        return code_of(failure)
    log.info("another process is the worker" if closed is None else f"the worker ends, {closed} done")
    return ExitCode.OK


def _cancelled_by_signals() -> CancelToken:
    cancel = CancelToken()

    def stop(_number: int, _frame: FrameType | None) -> None:
        cancel.cancel()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return cancel


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    formatter = logging.Formatter(
        "%(asctime)s.%(msecs)03dZ %(process)d %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S"
    )
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    # Other libraries log whole addresses, in which secrets may stand.
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("webrag_desktop").setLevel(logging.INFO)
