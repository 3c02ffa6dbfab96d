"""What the user may say about reading; apart from the reading, whose parsers take long to import."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_bounds
from webrag_desktop.errors import ConfigurationError

MEGABYTE = 1024 * 1024
LEAST_MEGABYTES = 128  # what the parsers take before they have read anything, and a little
PATIENCE = 4  # how often the allowed time may pass on a clock without any of the processor's


@dataclass(frozen=True)
class ReadingOptions:
    """Limits of the process that reads documents.

    ``memory_bytes`` bounds all its memory, ``seconds`` the processor's time that one document may take: however long
    that lasts by the clock, a busy computer fails no document. Only a process that gets none of the processor for
    :data:`PATIENCE` times as long is ended. A new process takes over after ``most_documents``, so that what a parser
    leaks does not add up.
    """

    memory_bytes: int = bounded(1024 * MEGABYTE, least=LEAST_MEGABYTES * MEGABYTE)
    seconds: float = bounded(60.0, above=0)
    most_documents: int = 500

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by the names of their settings."""
        check_bounds(self, _refused)


def _refused(name: str, value: object, wanted: str) -> ConfigurationError:
    setting = "EXTRACT_MEMORY_MB" if name == "memory_bytes" else "EXTRACT_SECONDS"
    if name == "memory_bytes":
        value, wanted = f"{value} bytes", f"at least {LEAST_MEGABYTES} megabytes"
    return ConfigurationError(f"{setting} is {value}, but it must be {wanted}.", f"Change {setting}.")
