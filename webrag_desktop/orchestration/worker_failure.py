"""What a worker that ended in an error hands over to whoever started it, and to whoever asks later."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from webrag_desktop.errors import ConfigurationError, WebragError

FailureKind = Literal["configuration", "other"]


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """The error that the last worker ended in; one of ``configuration`` meets the next one, too."""

    kind: FailureKind
    message: str
    hint: str
    at: datetime

    @classmethod
    def of(cls, error: WebragError) -> Self:
        """That error, met now."""
        kind: FailureKind = "configuration" if isinstance(error, ConfigurationError) else "other"
        return cls(kind, error.message, error.hint, datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class FailureNote:
    """The one file, beside the worker's log, in which its last failure stands until another worker begins."""

    path: Path

    @classmethod
    def in_folder(cls, logs: Path) -> Self:
        """The note in the folder that the worker's log is in."""
        return cls(logs / "worker-failure.json")

    @classmethod
    def of_home(cls, home: Path) -> Self:
        """The note of the worker of a data folder."""
        return cls.in_folder(home / "logs")

    def write(self, failure: WorkerFailure) -> None:
        """Put a failure in the place of the one before; nobody ever reads half of it.

        Raises:
            OSError: it cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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
            return WorkerFailure(kind, str(told["message"]), str(told["hint"]), at)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def clear(self) -> None:
        """Forget it: a worker is at the queue."""
        self.path.unlink(missing_ok=True)
