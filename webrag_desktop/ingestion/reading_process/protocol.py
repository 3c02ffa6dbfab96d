"""What goes over the pipe: a capture there, data back. Never pickles: a parser of hostile bytes may send anything.

A request is two lengths, what is wanted and the facts of a capture as JSON, and its bytes; an answer is a length and
JSON. The process says by a first answer of no bytes that it is ready: what ends it before has nothing to do with any
document.
"""

import json
import struct
from typing import BinaryIO, Literal, NamedTuple

from webrag_desktop import errors
from webrag_desktop.errors import FetchError, IngestionError, ResourceError, WebragError
from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import AddressKind, Capture, NormalizedDocument
from webrag_desktop.models.markup import Markup

READER_ARGUMENT = "read-documents"
"""The argument that makes this program the reading process."""

EXIT_NO_MEMORY = 73  # the document needs more than the limit
EXIT_SHORT = 74  # the computer has less than the limit, or lacks something else
EXIT_FAULT = 75
_LENGTHS = struct.Struct(">QQ")
_LENGTH = struct.Struct(">Q")
_FAMILY = {
    kind.__name__: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, WebragError) and not issubclass(kind, ResourceError)
}  # what the computer lacks is reported by an exit code: the work is tried again for ever


class Failure(FrozenModel):
    """A :class:`~webrag_desktop.errors.WebragError` as data."""

    family: str
    message: str
    hint: str = ""
    transient: bool = False
    retryable: bool = False
    retry_after: float | None = None

    @classmethod
    def of(cls, error: WebragError) -> "Failure":
        """What goes over the pipe for ``error``."""
        return cls(
            family=type(error).__name__,
            message=error.message,
            hint=error.hint,
            transient=error.transient,
            retryable=error.retryable if isinstance(error, FetchError) else False,
            retry_after=error.retry_after if isinstance(error, FetchError) else None,
        )

    def error(self) -> WebragError:
        """The error again; a family nobody knows is an :class:`~webrag_desktop.errors.IngestionError`."""
        kind = _FAMILY.get(self.family, IngestionError)
        if issubclass(kind, FetchError):
            return kind(
                self.message,
                self.hint,
                transient=self.transient,
                retryable=self.retryable,
                retry_after=self.retry_after,
            )
        return kind(self.message, self.hint)


Wanted = Literal["document", "markup"]


class Request(NamedTuple):
    """A capture, and what is wanted of it: its text, or how it looks."""

    capture: Capture
    wanted: Wanted


class Answer(FrozenModel):
    """A document and the addresses that lead to it, or the markup of a page or stylesheet, or why there is none."""

    document: NormalizedDocument | None = None
    markup: Markup | None = None
    addresses: tuple[tuple[str, AddressKind], ...] = ()
    failure: Failure | None = None

    def json_bytes(self) -> bytes:
        """The answer as it goes over the pipe."""
        return self.model_dump_json(exclude_defaults=True).encode()


def write_request(stream: BinaryIO, request: Request) -> None:
    """Send a capture, and what is wanted of it."""
    capture = request.capture
    facts = json.dumps([request.wanted, capture.model_dump(mode="json", exclude={"body"})]).encode()
    stream.write(_LENGTHS.pack(len(facts), len(capture.body)) + facts)
    stream.write(capture.body)
    stream.flush()


def read_request(stream: BinaryIO) -> Request | None:
    """The next request, or None when no more will come."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    of_facts, of_body = _LENGTHS.unpack(lengths)
    facts, body = stream.read(of_facts), stream.read(of_body)
    if len(facts) < of_facts or len(body) < of_body:
        return None
    wanted, capture = json.loads(facts)
    return Request(Capture.model_validate(capture | {"body": body}), wanted)


def write_answer(stream: BinaryIO, answer: bytes) -> None:
    """Send an answer made by :meth:`Answer.json_bytes`."""
    stream.write(_LENGTH.pack(len(answer)))
    stream.write(answer)
    stream.flush()


def say_ready(stream: BinaryIO) -> None:
    """Tell the other process that captures can be read from now on."""
    write_answer(stream, b"")


def hear_ready(stream: BinaryIO) -> bool:
    """Whether the process got ready; False when it is gone, or says anything else."""
    return stream.read(_LENGTH.size) == _LENGTH.pack(0)


def read_answer(stream: BinaryIO, most_bytes: int) -> Answer | None:
    """The next answer, or None when the other end is gone.

    Raises ``ValueError`` for one above ``most_bytes`` and for one that is not of its form.
    """
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(length)
    if size > most_bytes:
        raise ValueError(f"an answer of {size} bytes")
    answer = stream.read(size)
    return Answer.model_validate_json(answer) if len(answer) == size else None
