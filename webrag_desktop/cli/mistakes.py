"""Unexpected errors: a sentence for the user, the trace in a file for a developer."""

import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output
from webrag_desktop.errors import ConfigurationError

LOG = Path("logs") / "mistakes.log"


def report_mistake(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Stand in for ``sys.excepthook``; the interpreter then ends the process with exit code 1."""
    output = Output()
    output.as_json = "--json" in sys.argv
    message = (
        f"The program made a mistake of its own ({kind.__name__}: {error}). What was saved before is safe."
    )
    try:
        hint = f"The details are in {_write(kind, error, trace)}; they help to mend it."
    except (OSError, ConfigurationError) as failure:
        sys.__excepthook__(kind, error, trace)
        reason = failure.strerror if isinstance(failure, OSError) else failure.message.rstrip(".")
        hint = f"The details could not be written to the data folder ({reason})."
    output.error(message, hint, ExitCode.FAILED)


def _write(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Path:
    # Imported late: the settings may be what is broken, and most commands end without a mistake.
    from webrag_desktop import DataFolder

    path = DataFolder.private_folder(DataFolder.usual() / LOG.parent) / LOG.name
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n")
        file.write("".join(traceback.format_exception(kind, error, trace)))
    return path
