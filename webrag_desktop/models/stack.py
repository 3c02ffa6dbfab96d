"""How the parts do that the program runs on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from webrag_desktop.models.spaces import EmbeddingSpace

StackKind = Literal["embedded", "compose", "external"]


PartState = Literal["running", "stopped", "missing", "failing"]


@dataclass(frozen=True)
class PartStatus:
    """One part of the stack. ``detail`` and ``remedy`` are sentences for the user; ``remedy`` may be empty.

    ``connection`` is how other programs connect to it (:meth:`DatabaseAddress.conninfo`), where that is known.
    """

    name: str
    state: PartState
    version: str | None
    detail: str
    remedy: str = ""
    connection: str | None = None


@dataclass(frozen=True)
class StackStatus:
    """What a stack consists of and how each part does."""

    kind: StackKind
    parts: tuple[PartStatus, ...]


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """What a look at the backend found; ``problem`` and ``remedy`` are None when it can be used.

    ``address`` is None for the embedded model. ``model_present`` is None where it cannot be told. ``note`` is what is
    worth knowing though nothing is wrong.
    """

    backend: str
    model: str
    address: str | None = None
    reachable: bool = False
    model_present: bool | None = None
    version: str | None = None
    problem: str | None = None
    remedy: str | None = None
    note: str | None = None

    @property
    def ok(self) -> bool:
        """Whether embedding should work."""
        return self.problem is None


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """How an embedding model does. ``settled``: it is the library's; else the one that a new library would get."""

    space: "EmbeddingSpace"
    settled: bool
    backend: BackendStatus
