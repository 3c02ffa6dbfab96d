"""The errors for documents that cannot be read within the limits, and for a reading process that is gone."""

from webrag_desktop.errors import ExtractionError, ReaderEndedError, ResourceError
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, PATIENCE, ReadingOptions


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
        "Everything else is unaffected. The file may be damaged: save or export it anew and add that.",
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
