"""What the user may say about reading; apart from the reading, whose parsers take long to import."""

from dataclasses import dataclass

MEGABYTE = 1024 * 1024
PATIENCE = 4  # how often the allowed time may pass on a clock, while other programs have the processor


@dataclass(frozen=True)
class ReadingOptions:
    """Limits of the process that reads documents.

    ``memory_bytes`` bounds all its memory, ``seconds`` the processor's time that one document may take, so that a
    busy computer fails no document; :data:`PATIENCE` times that by the clock. A new process takes over after
    ``most_documents``, so that what a parser leaks does not add up.
    """

    memory_bytes: int = 1024 * MEGABYTE
    seconds: float = 60.0
    most_documents: int = 500
