"""The drawing process: a formula in a line of JSON comes in, its outline goes out. It writes nothing else.

Formulas are hostile like the pages they are from: one that takes too long ends the process, one that takes too much
memory fails.
"""

import contextlib
import faulthandler
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn, cast

if TYPE_CHECKING:
    from webrag_desktop.text.mathematics import FormulaKind


DRAWING_ARGUMENT = "draw-formulas"
_MOST_SECONDS = 4.0  # for one formula; real ones take milliseconds
_MOST_MEMORY = 1 << 30


def run() -> NoReturn:
    """Answer until there is nothing more to read, then end the process."""
    _limit_memory()
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, answers)
    sys.exit(0)


def serve(requests: Iterable[bytes], answers: IO[bytes]) -> None:
    """Answer every request with a list of width, ascent, descent and path, or with null."""
    for request in requests:
        source, kind, display = json.loads(request)
        answers.write(json.dumps(_drawn(source, cast("FormulaKind", kind), bool(display))).encode() + b"\n")
        answers.flush()


def _drawn(source: str, kind: "FormulaKind", display: bool) -> tuple[float, float, float, str] | None:
    from webrag_desktop.gui.kit.mathematics.outlines import outline

    with Path(os.devnull).open("wb") as nowhere:
        faulthandler.dump_traceback_later(_MOST_SECONDS, exit=True, file=nowhere)
        try:
            return outline(source, kind, display=display)
        except Exception:  # noqa: BLE001 - whatever a library says of a hostile formula: its source is shown
            return None
        finally:
            faulthandler.cancel_dump_traceback_later()


def _limit_memory() -> None:
    with contextlib.suppress(
        ImportError, ValueError, OSError
    ):  # not on Windows; or it is limited more already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
