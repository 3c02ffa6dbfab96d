"""A library that answers as a test says, event by event, behind a session that is always open."""

import queue
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from PySide6.QtCore import QObject, Signal

from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.answer_events import AnswerEvent, KeptAnswer

PATIENCE = 20.0


class Stopped:
    """What the answering thread finds when it is cancelled."""


class AnsweringLibrary:
    """Each ``feed`` lets the answer that is being written go on; what was asked is in ``asked``."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, dict[str, Any]]] = []
        self.cancelled = 0
        self.kept: dict[UUID, KeptAnswer] = {}
        self.removed: list[UUID] = []
        self.answers = self
        self.on_stop: AnswerEvent | None = None
        self._events: queue.SimpleQueue[AnswerEvent | Exception | Stopped] = queue.SimpleQueue()

    def feed(self, *events: "AnswerEvent | Exception") -> None:
        """What comes next; an exception is raised."""
        for event in events:
            self._events.put(event)

    def answer(self, question: object, *, cancel: CancelToken, **options: Any) -> Iterator[AnswerEvent]:
        """As :meth:`webrag_desktop.Library.answer`: it ends with ``answer.ended``, also when it is stopped."""
        self.asked.append((question, options))
        with cancel.calling(lambda: self._events.put(Stopped())):
            while True:
                event = self._events.get(timeout=PATIENCE)
                if isinstance(event, Stopped) and not cancel.cancelled:
                    self._events.put(event)  # the answer before this one is meant, and has yet to take it
                    continue
                if isinstance(event, Stopped):
                    self.cancelled += 1
                    if self.on_stop is not None:
                        yield self.on_stop
                    return
                if isinstance(event, Exception):
                    raise event
                yield event
                if event.type == "answer.ended":
                    return

    def all(self, limit: int = 50) -> list[KeptAnswer]:
        return list(self.kept.values())[:limit]

    def get(self, answer_id: UUID) -> KeptAnswer:
        if answer_id not in self.kept:
            raise NotFoundError("There is no such answer.", "Look at the list.")
        return self.kept[answer_id]

    def remove(self, answer_id: UUID) -> None:
        self.removed.append(answer_id)
        self.get(answer_id)
        del self.kept[answer_id]


class OpenSession(QObject):
    """Does work at once, in the background, as the session of an open library."""

    leaving = Signal()
    is_open = True

    def __init__(self, background: Background, library: Any) -> None:
        super().__init__()
        self._background, self._library = background, library

    def call(self, work: Callable[[Any, Task], Any], **options: Any) -> CancelToken:
        for name in ("repeat", "by_user"):
            options.pop(name, None)
        return self._background.run(lambda task: work(self._library, task), **options)

    def cancel(self, token: CancelToken) -> None:
        self._background.cancel(token)
