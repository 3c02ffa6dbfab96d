"""Moving a library to another model: what that would cost, before its settings are written, and following the move."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from webrag_desktop.config import Settings
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.indexing.corpus_space import chunking_of
from webrag_desktop.jobs.worker_process import WorkerSupervisor
from webrag_desktop.library.server_trials import try_embedding
from webrag_desktop.maintenance.move_control import MoveControl
from webrag_desktop.models.spaces import EmbeddingSpace, MoveCost, MoveProgress, SpaceMove
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.queue import queue_control
from webrag_desktop.storage.spaces.space_tables import embedded_chunks, some_children

TICK_SECONDS = 1.0
_BYTES: Final = {"vector": 4, "halfvec": 2}
# The table and its index hold each vector once, and the index the links between them.
_COPIES: Final = 2.2
_FULL: Final = 0.5  # of its size
_COUNTED: Final = 200  # chunks, by which tokens of two models are compared: a tenth of a second


def move_cost(control: MoveControl, settings: Settings, cancel: CancelToken) -> MoveCost | None:
    """The cost of moving the library of ``control`` to what ``settings`` ask for; None where nothing has to move.

    The model is used for about two seconds, to measure how fast it is. Raises Cancelled where ``cancel`` was set.
    """
    asked = replace(control, options=settings.embedding_options(), targets=settings.chunk_targets())
    found = asked.look()
    if found.active is None or found.matches:
        return None
    if found.wanted is None:
        problem = found.problem
        said = f"{problem.message} {problem.hint}" if problem is not None else ""
        return MoveCost(present=found.active.model.model, wanted="", problem=said) if said else None
    with control.database.connection() as conn:
        chunks = embedded_chunks(conn)
        children = some_children(conn, _COUNTED)
    trial = try_embedding(settings, cancel)
    tokenizer = open_tokenizer(found.wanted.model.tokenizer, asked.options.tokenizer)
    wanted = round(chunks * _growth(found.active, found.wanted, children, tokenizer))
    size = round(wanted * found.wanted.model.dimensions * _BYTES[found.wanted.storage] * _COPIES)
    return MoveCost(
        present=found.active.model.model,
        wanted=found.wanted.model.model,
        chunks=wanted,
        rate=trial.rate,
        bytes=size,
        problem=" ".join(filter(None, (trial.problem, trial.remedy))),
    )


def _growth(
    active: EmbeddingSpace, wanted: EmbeddingSpace, children: Sequence[tuple[str, int]], tokenizer: Tokenizer
) -> float:
    """How many times as many chunks there are in the other space, as far as their size tells.

    A size is in tokens, of which one model finds more in a text than another: some ``children``, with their tokens in
    the present space, are counted by the ``tokenizer`` of the other one. What fills less than half of its size was cut
    by the text's own structure, and stays one chunk where it fits.
    """
    size, other = chunking_of(active).child_tokens, chunking_of(wanted).child_tokens
    if not children:
        return size / other
    fills = [(tokens / size, tokenizer.count(text) / other) for text, tokens in children]
    return sum(after / before if before >= _FULL else max(1.0, after) for before, after in fills) / len(fills)


class MoveWatch:
    """Waits for a move, with a worker started whenever nobody does it."""

    def __init__(self, control: MoveControl, supervisor: WorkerSupervisor, cancel: CancelToken) -> None:
        """Follow through ``control``; stop early when ``cancel`` is set."""
        self._control = control
        self._supervisor = supervisor
        self._cancel = cancel

    def follow(self) -> Iterator[tuple[SpaceMove, MoveProgress]]:
        """Yield the move whenever it came on, until it is through, cancelled or has to wait.

        Raises:
            ConfigurationError: the worker ended in it.
            StackError: the worker cannot be kept running.
            Cancelled: the token was set; the move stays open.
        """
        self._supervisor.try_again()  # how another waiting ended says nothing of this one
        shown: tuple[SpaceMove, MoveProgress] | None = None
        furthest = 0
        with (
            events.listening(self._control.database) as (listener, conn),
            self._cancel.calling(listener.wake),
        ):
            while True:
                self._cancel.raise_if_cancelled()
                move, progress = self._control.progress()
                if move is None or progress is None:
                    return
                if (move, progress) != shown:
                    if progress.documents_done > furthest:
                        furthest = progress.documents_done
                        self._supervisor.progressed()
                    shown = move, progress
                    yield shown
                if move.state != "moving" or queue_control.is_paused(conn):
                    return
                self._supervisor.keep_working(conn)
                listener.hear(TICK_SECONDS)
