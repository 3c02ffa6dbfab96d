"""What ended the last worker."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Self

from webrag_desktop.errors import ConfigurationError, WebragError

FailureKind = Literal["configuration", "other"]


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """The error that the last worker ended in; one of ``configuration`` meets the next one, too.

    ``settings`` is the fingerprint of the settings under which it was met; under others it says nothing.
    """

    kind: FailureKind
    message: str
    hint: str
    at: datetime
    settings: str

    @classmethod
    def of(cls, error: WebragError, settings: str) -> Self:
        """That error, met now under the settings of that fingerprint."""
        kind: FailureKind = "configuration" if isinstance(error, ConfigurationError) else "other"
        return cls(kind, error.message, error.hint, datetime.now(UTC), settings)
