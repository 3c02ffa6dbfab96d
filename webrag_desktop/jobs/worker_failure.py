"""What keeps the queue from being worked on: handed over to whoever started the worker, and to whoever asks later."""

import json
import logging
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from webrag_desktop.models.queue import FailureKind, WorkerFailure
from webrag_desktop.stack.layout import make_private

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FailureNote:
    """The one file, beside the worker's log, in which the last failure stands until a worker begins."""

    path: Path

    @classmethod
    def in_folder(cls, logs: Path) -> Self:
        """The note in the folder that the worker's log is in."""
        return cls(logs / "worker-failure.json")

    @classmethod
    def of_home(cls, home: Path) -> Self:
        """The note of the worker of a data folder."""
        return cls.in_folder(home / "logs")

    def hand_over(self, failure: WorkerFailure) -> None:
        """Write it where that is possible; whoever met it tells it in any case."""
        try:
            self.write(failure)
        except OSError as refusal:
            log.warning("the reason cannot be noted in %s: %s", self.path, refusal)

    def write(self, failure: WorkerFailure) -> None:
        """Put a failure in the place of the one before; nobody ever reads half of it.

        Raises:
            OSError: it cannot be written.
        """
        make_private(self.path.parent)
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        told = asdict(failure) | {"at": failure.at.isoformat()}
        unfinished.write_text(json.dumps(told, ensure_ascii=False) + "\n", encoding="utf-8")
        unfinished.replace(self.path)

    def read(self) -> WorkerFailure | None:
        """The last failure; None where there is none, or nothing that a worker of this version wrote."""
        try:
            told = json.loads(self.path.read_text(encoding="utf-8"))
            kind: FailureKind = "configuration" if told["kind"] == "configuration" else "other"
            at = datetime.fromisoformat(told["at"]).astimezone(UTC)
            message, hint, settings = (str(told[name]) for name in ("message", "hint", "settings"))
            return WorkerFailure(kind, message, hint, at, settings)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def clear(self) -> None:
        """Forget it: a worker is at the queue."""
        self.path.unlink(missing_ok=True)
