"""The errors for documents that cannot be read within the limits."""

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions


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
        f"Reading this took longer than {options.seconds:g} s",
        "Everything else is unaffected. Add the part you need as a file, or raise EXTRACT_SECONDS.",
    )


def broke_off() -> ExtractionError:
    """The error for a document that takes its reader down."""
    return ExtractionError(
        "The program that reads documents broke off at this one",
        "Everything else is unaffected. The file may be damaged: save or export it anew and add that.",
    )
