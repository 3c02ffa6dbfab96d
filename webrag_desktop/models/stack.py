"""The state of the database server, the embedding model and the chat model."""

from dataclasses import dataclass, field
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
    """The state of the embedding backend; ``problem`` and ``remedy`` are None when it can be used.

    ``address`` is None for an embedded model. ``model_present`` is None where it is unknown. ``note`` is what is
    worth knowing though nothing is wrong. ``weights`` says in words where an embedded model's weights come from.
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
    weights: str | None = None

    @property
    def ok(self) -> bool:
        """Whether embedding should work."""
        return self.problem is None


ChatState = Literal["ready", "not set up", "does not answer", "model missing", "failing"]


@dataclass(frozen=True, slots=True)
class ChatStatus:
    """How the chat model does that answers. ``detail`` and ``remedy`` are sentences; ``remedy`` may be empty.

    ``model`` is as the settings name it and ``size`` as its server does ("8B"); None where there is none, or nobody
    tells. ``address`` is that of the server that would be asked.
    """

    state: ChatState
    model: str | None = field(default=None, kw_only=True)
    size: str | None = field(default=None, kw_only=True)
    address: str | None = field(default=None, kw_only=True)
    version: str | None = field(default=None, kw_only=True)
    detail: str
    remedy: str = ""

    @property
    def name(self) -> str:
        """The model with its size, such as ``llama3.1 8B``; empty where there is none."""
        has_size = self.size is None or self.size.lower() in (self.model or "").lower()
        return self.model or "" if has_size else f"{self.model} {self.size}"

    @classmethod
    def not_set_up(cls, settings_file: object) -> "ChatStatus":
        """Where no model is named: what happens then, and how one is set up."""
        return cls(
            "not set up",
            "No chat model is set up. Until then an answer consists of the sentences that were found.",
            "Install Ollama (https://ollama.com) and fetch a model with: ollama pull llama3.1. Then write the line "
            f"CHAT_MODEL=llama3.1 into {settings_file} and start the program again. Any other server that speaks "
            "OpenAI's /v1/chat/completions will do, too: name it in CHAT_BASE_URL.",
        )


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """How an embedding model does. ``settled``: it is the library's; else the one that a new library would get."""

    space: "EmbeddingSpace"
    settled: bool
    backend: BackendStatus


@dataclass(frozen=True, slots=True)
class ServerTrial:
    """A model that was used for a moment. ``problem`` and ``remedy`` are empty where it works.

    ``models`` are the names that its server lists, or of those in the program. ``rate`` is how many texts a second it
    embeds, or how many tokens a second it writes (``counted`` by the server, else pieces of text), ``seconds`` how long
    the first answer took. ``weights`` says in words where those of an embedded model come from.
    """

    model: str
    address: str | None = None
    models: tuple[str, ...] = ()
    problem: str = ""
    remedy: str = ""
    dimensions: int | None = None
    rate: float | None = None
    seconds: float | None = None
    counted: bool = True
    weights: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it works."""
        return not self.problem
