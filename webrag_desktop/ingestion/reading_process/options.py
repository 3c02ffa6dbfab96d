"""Limits of the reading process, and the errors for documents that exceed them or end the process.

Apart from reading itself, whose parsers take long to import.
"""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_bounds
from webrag_desktop.errors import ConfigurationError, ExtractionError, ReaderEndedError, ResourceError

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


def too_much_memory(options: ReadingOptions) -> ExtractionError:
    """The error for a document that cannot be read in the memory there is."""
    size = options.memory_bytes / MEGABYTE
    limit = f"{size / 1024:g} GB" if size >= 1024 else f"{size:g} MB"
    return ExtractionError(
        f"Reading this needs more memory than the limit of {limit}",
        "Everything else is unaffected. Add the part you need as a file, or raise EXTRACT_MEMORY_MB.",
    )


def too_slow(options: ReadingOptions) -> ExtractionError:
    """The error for a document that cannot be read in the time there is."""
    return ExtractionError(
        f"Reading this took longer than {options.seconds:g} s of the processor's time",
        "Everything else is unaffected. Add the part you need as a file, or raise EXTRACT_SECONDS.",
    )


def broke_off() -> ExtractionError:
    """The error for a document that takes its reader down."""
    return ExtractionError(
        "The program that reads documents broke off at this one",
        "Everything else is unaffected. The file may be damaged: save or export it again and add that.",
    )


def ended_from_outside() -> ReaderEndedError:
    """The error for a reading process that something else on this computer ended."""
    return ReaderEndedError(
        "The program that reads documents was ended from outside, perhaps for want of memory."
    )


def not_started(reason: str = "it ended before it was ready") -> ReaderEndedError:
    """The error for a reading process that did not come as far as any document."""
    return ReaderEndedError(f"The program that reads documents could not be started: {reason}.")


def short_of_something() -> ResourceError:
    """The error for reading that the computer has too little memory, or too few open files, for."""
    return ResourceError("This computer has too little memory left for reading documents at present.")


def stopped() -> ReaderEndedError:
    """The error for a reading process that something else on this computer has halted."""
    return ReaderEndedError("The program that reads documents was halted from outside.")


def stalled(options: ReadingOptions) -> ReaderEndedError:
    """The error for a reading process that has had nothing of the processor for long."""
    return ReaderEndedError(f"Reading this did not get on for {PATIENCE * options.seconds:g} s.")
