"""Moving the library to the embedding space of the settings, and reporting the progress."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from webrag_desktop.gui.data.upkeep import MoveOffer, MoveProgress, MoveState
from webrag_desktop.gui.kit.quantities import model_word
from webrag_desktop.gui.session.answer_order import AnswerOrder
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.session.failures import failure_of
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.gui.session.undoing import Notice, UndoStack

if TYPE_CHECKING:
    from webrag_desktop import Library
    from webrag_desktop.models.spaces import EmbeddingSpace, SpaceMove
    from webrag_desktop.models.spaces import MoveProgress as Stored

REFRESH_MILLISECONDS = 250
Deed = Literal["begin", "pause", "resume", "cancel"]


@dataclass(frozen=True, slots=True)
class _SpaceState:
    """The state found: the move under way, or whether the last one ``went`` through; and the space of the settings.

    ``origin`` and ``target`` are of the last move, in words.
    """

    move: MoveProgress | None = None
    offer: MoveOffer | None = None
    last: int = 0
    went: bool = False
    origin: str = ""
    target: str = ""
    present: str = ""


class MoveOperations(QObject):
    """Tells of the move of the session's library by itself, at most four times a second."""

    progress = Signal(object)  # MoveProgress | None: none is under way
    offered = Signal(object)  # MoveOffer | None: there is nothing to move to
    noticed = Signal(object)  # Notice
    failed = Signal(object)  # Failure

    def __init__(self, session: LibrarySession, undo: UndoStack, parent: QObject | None = None) -> None:
        """Ending a move can be taken back through ``undo``."""
        super().__init__(parent)
        self._session = session
        self._undo = undo
        self._order = AnswerOrder()
        self._move: MoveProgress | None = None
        self._compared_once = self._reading = self._again = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REFRESH_MILLISECONDS)
        self._soon.timeout.connect(self._refresh)
        session.space_changed.connect(self._refresh_soon)
        session.queue_changed.connect(self._refresh_soon)

    # -- Comparing --------------------------------------------------------------------------------------------

    def compare(self, *, by_user: bool = False) -> None:
        """Compare library and settings; what is called ``by_user`` is answered also where they agree."""
        self._session.call(
            partial(_compared, by_user),
            on_success=partial(self._show_offer, self._order.ask(), by_user),
            on_error=self._fail if by_user else None,
            replaces="space",
            repeat=True,
            by_user=by_user,
        )

    def _show_offer(self, number: int, by_user: bool, found: _SpaceState) -> None:
        self._compared_once = True
        self._show(number, found)
        self.offered.emit(found.offer)
        if by_user and found.offer is None and found.move is None:
            self.noticed.emit(Notice(self._nothing_to_do(found.present)))

    def _nothing_to_do(self, present: str) -> str:
        if not present:
            return self.tr("The first document decides which model the library gets.")
        return self.tr("Your library uses {0}, as your settings ask.").format(present)

    def _refresh_soon(self) -> None:
        if not self._compared_once:
            return  # the first comparison waits until the documents are listed: it imports much
        if self._reading:
            self._again = True
        elif not self._soon.isActive():
            self._soon.start()

    def _refresh(self) -> None:
        if self._session.is_open:  # else when it is opened
            self._reading, self._again = True, False
            refreshed = partial(self._refreshed, self._order.ask())
            self._session.call(_space_state, on_success=refreshed, on_error=self._not_refreshed)

    def _refreshed(self, number: int, found: _SpaceState) -> None:
        self._reading = False
        self._show(number, found)
        if self._again:
            self._refresh_soon()

    def _not_refreshed(self, error: Exception) -> None:
        self._reading = False
        self._session.suspect(error)

    def _show(self, number: int, found: _SpaceState) -> None:
        if not self._order.answer(number):
            return
        before, self._move = self._move, found.move
        if found.move != before:
            self.progress.emit(found.move)
        if before is not None and found.move is None and found.went and found.last == before.id:
            self.noticed.emit(Notice(self.tr("Your library is searched with {0} now.").format(found.target)))
            self.offered.emit(None)

    # -- Steering ---------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Move the library to the space of the settings, in the background."""
        self._do("begin")

    def pause(self) -> None:
        """Pause the move until :meth:`resume`, over restarts."""
        self._do("pause")

    def resume(self) -> None:
        """Go on with a move that is paused or waits."""
        self._do("resume")

    def cancel(self) -> None:
        """End the move; the library stays where it is. It can be begun again."""
        self._do("cancel")

    def _do(self, deed: Deed) -> None:
        self._session.call(
            partial(_done, deed),
            on_success=partial(self._did, deed),
            on_error=self._fail,
            by_user=True,
        )

    def _did(self, deed: Deed, found: _SpaceState) -> None:
        ended = deed == "cancel" and self._move is not None and found.move is None and not found.went
        self._show(self._order.ask(), found)  # what was asked for before may have been read before the deed
        if deed in ("begin", "cancel"):
            self.compare()
        if ended:
            text = self.tr("The move ended. Your library stays with {0}.").format(found.origin)
            self.noticed.emit(self._undo.push(text, self.begin))

    def _fail(self, error: Exception) -> None:
        self.failed.emit(failure_of(error))


def _done(deed: Deed, library: "Library", task: Task) -> _SpaceState:
    moving = library.moves
    {"begin": moving.begin, "pause": moving.pause, "resume": moving.resume, "cancel": moving.cancel}[deed]()
    return _space_state(library, task)


def _compared(by_user: bool, library: "Library", _task: Task) -> _SpaceState:
    """May ask an embedding server for its model. Unusable settings raise only where the user requested it."""

    found = library.moves.look()
    if by_user and found.problem is not None and found.awaited is None:
        raise found.problem
    known = _known(found.move, found.progress, library)
    if found.active is None:
        return known
    offer = None
    if known.move is None and found.wanted is not None and not found.matches:
        offer = MoveOffer(*_distinguished(found.active, found.wanted))
    elif known.move is None and found.awaited is not None:
        words = _tr("the tokenizer {0}").format(found.awaited)
        offer = MoveOffer(_name(found.active), words, downloaded_from=found.downloaded_from)
    return replace(known, offer=offer, present=_name(found.active))


def _space_state(library: "Library", _task: Task) -> _SpaceState:
    return _known(*library.moves.progress(), library)


def _known(move: "SpaceMove | None", stored: "Stored | None", library: "Library") -> _SpaceState:
    if move is None:
        return _SpaceState()
    origin, target = _distinguished(move.origin, move.space)
    state = _SpaceState(last=move.id, went=move.swapped_at is not None, origin=origin, target=target)
    if stored is None or not move.is_open:
        return state
    states: dict[str, MoveState] = {"paused": "paused", "waiting": "waiting"}
    progress = MoveProgress(
        move.id,
        target,
        states.get(move.state, "moving"),
        stored.documents_done,
        stored.documents,
        move.problem or "",
        move.hint or "",
        move.waits_until,
        held=library.queue.paused(),
    )
    return replace(state, move=progress)


def _distinguished(one: "EmbeddingSpace", other: "EmbeddingSpace") -> tuple[str, str]:
    """Both spaces in words: their models, and where these are called the same what else parts them."""
    names = _name(one), _name(other)
    if names[0] != names[1]:
        return names
    if one.model.dimensions != other.model.dimensions:
        words = _tr("{0} with {1} dimensions")
        return words.format(names[0], one.model.dimensions), words.format(names[1], other.model.dimensions)
    if one.chunking_id != other.chunking_id:
        return names[0], _tr("{0} with passages of another size").format(names[1])
    return names[0], _tr("another form of {0}").format(names[1])


def _name(space: "EmbeddingSpace") -> str:
    return model_word(space.model.model)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Moving", text)
