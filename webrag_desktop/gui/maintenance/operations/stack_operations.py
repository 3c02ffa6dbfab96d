"""What the program runs on: how the database and the embedding model do, what to do about it, and their logs."""

from collections import deque
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal

from webrag_desktop.errors import WebragError
from webrag_desktop.gui.data.upkeep import Health, LogText, StackPart, StackReport
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.quantities import model_word
from webrag_desktop.gui.session.background import Background, Task
from webrag_desktop.gui.session.failures import without_secrets
from webrag_desktop.gui.session.session import LibrarySession, State

if TYPE_CHECKING:
    from webrag_desktop import Library, Settings
    from webrag_desktop.models.stack import BackendStatus, ChatState

DATABASE, EMBEDDING, CHAT, WORKER = "Database", "Embedding", "Chat", "Worker"
SHOWN_LINES = 400
LOGS = ("worker.log", "window.log")
_LONGEST_MODEL = 28  # characters of the chat model's name in the strip


class StackOperations(QObject):
    """Checks the stack in the background: on request, and when the session loses the library."""

    report = Signal(object)  # StackReport
    log_text = Signal(object)  # LogText

    def __init__(
        self,
        session: LibrarySession,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        """Look at the stack that the session's settings choose."""
        super().__init__(parent)
        self._session = session
        self._background = background
        self._report: StackReport | None = None
        self._chat: StackPart | None = None
        self._writing = False
        session.lost.connect(self.refresh)
        session.settings_changed.connect(self._look_again)
        session.open_failed.connect(self.refresh)
        session.worker_changed.connect(self.refresh)

    def refresh(self, _cause: object = None) -> None:
        """Check the stack; the chat server, which may be far away, once, when the library is open."""
        if self._session.is_open:
            if self._chat is None:
                self.look_at_chat()
            look = partial(_open_report, self._session.worker_failure)
            self._session.call(look, on_success=self._show_report, replaces="stack")
            return
        closed = partial(_closed_report, self._session.settings, self._session.state, self._session.failure)
        self._background.run(closed, on_success=self._show_report, replaces="stack")

    def _look_again(self) -> None:
        """Other settings may name another chat model; the library's own parts are looked at once it is open."""
        self._chat = None
        self.look_at_chat()

    def look_again(self) -> None:
        """Check all of it on request of the user."""
        self.look_at_chat()
        self.refresh()

    def look_at_chat(self) -> None:
        """Check the chat server; the report follows once its state is known."""
        if self._chat is None:
            self._chat = _chat_unknown(self._session.settings.chat_model)
        self._background.run(
            partial(_chat_part, self._session.settings),
            on_success=self._show_chat,
            replaces="chat server",
            own_thread="chat server",
        )

    def show_writing(self, *, writing: bool) -> None:
        """Tell that the chat model writes just now, or no longer."""
        self._writing = writing
        self._tell()

    def _show_report(self, report: StackReport) -> None:
        self._report = report
        self._tell()

    def _show_chat(self, chat: StackPart) -> None:
        known, self._chat = self._chat, chat
        if chat != known:
            self._tell()

    def _tell(self) -> None:
        if self._report is None:
            return
        first, others = self._report.parts[:2], self._report.parts[2:]
        chat = () if self._chat is None else (_writing(self._chat) if self._writing else self._chat,)
        self.report.emit(replace(self._report, parts=(*first, *chat, *others)))

    def act(self, part: str) -> None:
        """Do what the button beside a part says: start the database again, look at the model again."""
        if part in {DATABASE, WORKER}:  # a library that is opened again tries another worker
            self._session.reopen()
        if part == CHAT:
            self.look_at_chat()
        else:
            self.refresh()

    def read_log(self, path: str) -> None:
        """Emit the last lines of a log; only of logs that the report names."""
        look = partial(_log_text, self._session.settings, path)
        self._background.run(look, on_success=self.log_text.emit, replaces="log")


def _open_report(stopped: Failure | None, library: "Library", _task: Task) -> StackReport:
    from webrag_desktop import DataFolder

    status = library.status()
    try:
        found = DataFolder(library.settings).model_status(library.embedding_model())
        note = " ".join(filter(None, (found.note, library.language_note())))
        embedding = _embedding_part(
            replace(found, note=note), busy=status.queue.running > 0 and not status.paused
        )
    except WebragError as error:
        embedding = _failing_model(None, error.message, error.hint)
    parts = (_database_part(library), embedding)
    return _report(library.settings, parts if stopped is None else (*parts, _stopped_worker(stopped)))


def _stopped_worker(failure: Failure) -> StackPart:
    """Shown only while nobody does the work."""
    return StackPart(
        WORKER,
        _tr("stopped"),
        "failing",
        detail=failure.message,
        remedy=failure.hint,
        action=_tr("Start again"),
    )


def _database_part(library: "Library") -> StackPart:
    status = library.stack_status()
    part = status.parts[0]
    well = part.state == "running"
    return StackPart(
        DATABASE,
        _tr("ready") if well else _tr("not answering"),
        "ok" if well else "failing",
        version=part.version,
        detail=part.detail,
        remedy=part.remedy,
        action="" if well else _tr("Start again"),
    )


def _embedding_part(found: "BackendStatus", *, busy: bool) -> StackPart:
    from webrag_desktop import DataFolder

    if found.problem is not None:
        return _failing_model(found.version, found.problem, found.remedy or "")
    where = _tr("{0}, part of the program.") if found.backend == "embedded" else _tr("{0}, through {1}.")
    detail = where.format(
        model_word(found.model),
        {"ollama": "Ollama"}.get(found.backend, _tr("an OpenAI-compatible server")),
    )
    weights = _tr("Its weights: {0}.").format(found.weights) if found.weights else ""
    health: Health = "busy" if busy else "ok"
    return StackPart(
        EMBEDDING,
        _tr("indexing") if busy else _tr("ready"),
        health,
        found.version,
        " ".join(filter(None, (detail, DataFolder.in_words(found.note or ""), weights))),
    )


def _failing_model(version: str | None, problem: str, remedy: str) -> StackPart:
    from webrag_desktop import DataFolder

    said = DataFolder.in_words(problem), DataFolder.in_words(remedy)
    return StackPart(EMBEDDING, _tr("not answering"), "failing", version, *said, _tr("Check again"))


def _chat_state_words(state: "ChatState") -> tuple[str, Health, str]:
    """The word of a state, its health, and what there is to press; a chat model is never in the way of anything."""
    again = _tr("Check again")
    looks: dict[ChatState, tuple[str, Health, str]] = {
        "ready": (_tr("ready"), "ok", ""),
        "not set up": (_tr("not set up"), "off", _tr("Set up")),
        "does not answer": (_tr("does not answer"), "warning", again),
        "model missing": (_tr("model missing"), "warning", again),
        "failing": (_tr("failing"), "warning", again),
    }
    return looks[state]


def _chat_unknown(model: str | None) -> StackPart:
    """Before the first check."""
    if model is None:
        return StackPart(CHAT, *_chat_state_words("not set up")[:2])
    return StackPart(CHAT, _short(model), "off", detail=_tr("It is being asked how it does."))


def _chat_part(settings: "Settings", task: Task) -> StackPart:
    from webrag_desktop import DataFolder

    found = DataFolder(settings).chat_status(task.cancel)
    word, health, action = _chat_state_words(found.state)
    return StackPart(
        CHAT,
        f"{_short(found.name)}, {word}" if found.state == "ready" else word,
        health,
        f"Ollama {found.version}" if found.version else None,
        without_secrets(found.detail),  # it may be copied
        _set_up_here() if found.state == "not set up" else without_secrets(DataFolder.in_words(found.remedy)),
        action,
        set_up=found.state == "not set up",
    )


def _set_up_here() -> str:
    return _tr(
        "Install Ollama (https://ollama.com) and fetch a model with: ollama pull llama3.1. Then choose it in the "
        "settings, under Answers. Any other server that speaks OpenAI's /v1/chat/completions will do, too."
    )


def _short(model: str) -> str:
    """The part of the name that distinguishes models: without where it was fetched from."""
    name = model.rsplit("/", 1)[-1]
    return name if len(name) <= _LONGEST_MODEL else f"{name[: _LONGEST_MODEL - 1]}…"


def _writing(chat: StackPart) -> StackPart:
    if chat.health != "ok":
        return chat
    return replace(chat, word=chat.word.replace(_tr("ready"), _tr("writing")), health="busy")


def _closed_report(settings: "Settings", state: State, failure: Failure | None, _task: Task) -> StackReport:
    if state in {"closed", "opening"}:
        database = StackPart(DATABASE, _tr("starting"), "busy", detail=_tr("It is being started."))
    else:
        database = StackPart(
            DATABASE,
            _tr("not answering"),
            "failing",
            detail=failure.message if failure else "",
            remedy=failure.hint if failure else "",
            action=_tr("Start again"),
        )
    waiting = StackPart(
        EMBEDDING, _tr("waiting"), "off", detail=_tr("Which model is used is known once the database runs.")
    )
    return _report(settings, (database, waiting))


def _report(settings: "Settings", parts: tuple[StackPart, ...]) -> StackReport:
    shown = tuple(replace(part, detail=without_secrets(part.detail)) for part in parts)  # it may be copied
    return StackReport(shown, str(settings.webrag_home), _logs(settings))


def _logs(settings: "Settings") -> tuple[tuple[str, str], ...]:
    """The logs that there are, by name."""
    folder = settings.webrag_home / "logs"
    named: list[tuple[str, Path | None]] = [
        (_tr("Database"), _server_log(settings)),
        (_tr("Worker"), folder / LOGS[0]),
        (_tr("Window"), folder / LOGS[1]),
    ]
    return tuple((name, str(path)) for name, path in named if path is not None and path.is_file())


def _server_log(settings: "Settings") -> Path | None:
    from webrag_desktop import DataFolder

    try:
        return DataFolder(settings).server_log()
    except WebragError:  # a wrong setting, which opening the library reports
        return None


def _log_text(settings: "Settings", path: str, _task: Task) -> LogText:
    if path not in {known for _name, known in _logs(settings)}:
        return LogText(path, _tr("There is no such log."))
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        return LogText(path, without_secrets("".join(deque(file, SHOWN_LINES))))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Stack", text)
