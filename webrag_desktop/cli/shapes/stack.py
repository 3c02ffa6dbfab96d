"""What ``stack`` prints as JSON: the parts of the local stack, and the chat model."""

from typing import Self

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.stack import ChatState, ChatStatus, PartState, StackKind, StackStatus


class Part(FrozenModel):
    """One part of the local stack; ``connection`` is what psql takes to connect, without the password."""

    name: str
    state: PartState
    version: str | None
    detail: str
    remedy: str
    connection: str | None


class ChatReport(FrozenModel):
    """The chat model that answers; all but ``state`` and sentences is null where it is not known, or none is named."""

    state: ChatState
    model: str | None
    size: str | None
    address: str | None
    version: str | None
    detail: str
    remedy: str

    @classmethod
    def of(cls, status: ChatStatus) -> Self:
        """The report on a chat model."""
        return cls(
            state=status.state,
            model=status.model,
            size=status.size,
            address=status.address,
            version=status.version,
            detail=status.detail,
            remedy=status.remedy,
        )


class StackReport(FrozenModel):
    """The document of ``stack start|stop|status``; ``kept_running`` tells that ``stack start`` holds it up.

    ``warning`` tells that others may look into the data folder, and what closes it to them; null where none may.
    ``chat`` is how the chat model does; null where it was not looked at.
    """

    kind: StackKind
    kept_running: bool
    warning: str | None
    parts: tuple[Part, ...]
    chat: ChatReport | None

    @classmethod
    def of(
        cls,
        status: StackStatus,
        *,
        kept_running: bool,
        warning: str | None = None,
        chat: ChatStatus | None = None,
    ) -> Self:
        """The report on a stack."""
        parts = tuple(
            Part(
                name=p.name,
                state=p.state,
                version=p.version,
                detail=p.detail,
                remedy=p.remedy,
                connection=p.connection,
            )
            for p in status.parts
        )
        return cls(
            kind=status.kind,
            kept_running=kept_running,
            warning=warning,
            parts=parts,
            chat=None if chat is None else ChatReport.of(chat),
        )

    @property
    def well(self) -> bool:
        """Whether no part is missing or failing; a stopped one starts when it is needed, and nothing needs ``chat``."""
        return all(part.state in ("running", "stopped") for part in self.parts)
