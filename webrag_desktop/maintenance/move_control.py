"""The user's hand on moves of the library to another embedding space, and what there is to know of them."""

from dataclasses import dataclass
from functools import partial

from webrag_desktop.embedding.client import require_server
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers.huggingface import missing_tokenizer, site, with_download
from webrag_desktop.errors import ConfigurationError, DatabaseConflictError, InputError
from webrag_desktop.indexing.corpus_space import settle_space, wanted_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.models.spaces import EmbeddingSpace, MoveProgress, SpaceMove, SpacesAtHand, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.retries import RetryPolicy
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import postponement
from webrag_desktop.storage.spaces import space_moves, space_swap
from webrag_desktop.storage.spaces.space_tables import active_space, tokenizer_names

# While deleted rows are removed, which may take long; other work continues between the attempts.
BEGINNING = RetryPolicy(attempts=10, first_wait=2.0, longest_backoff=2.0)


@dataclass(frozen=True, slots=True)
class MoveControl:
    """Begins, controls and reports moves; the worker does them."""

    database: Database
    options: EmbeddingOptions
    targets: ChunkTargets

    def look(self) -> SpacesAtHand:
        """The spaces and the last move; may ask an embedding server whether it answers."""
        active, move, progress = self._stored()
        wanted, problem, awaited = None, None, None
        if active is not None:
            try:
                wanted = wanted_space(
                    active.space, self.options, self.targets, tokenizers=self._known_tokenizers()
                )
                if wanted.model == active.space.model:
                    require_server(wanted.model, self.options)
            except ConfigurationError as error:
                problem, awaited = error, missing_tokenizer(error, self.options.tokenizer)
        source = site() if awaited is not None else ""
        return SpacesAtHand(
            active.space if active else None, wanted, problem, move, progress, awaited, source
        )

    def contradiction(self) -> ConfigurationError | None:
        """Why nothing can be written to the library, or searched in it, with these settings; None where it can.

        It is what :func:`settle_space` would raise; here nothing is written, and no model chosen for a new library.
        """
        with self.database.connection() as conn:
            if active_space(conn) is None:
                return None
        try:
            settle_space(self.database, self.options, self.targets)
        except ConfigurationError as error:
            return error
        return None

    def progress(self) -> tuple[SpaceMove | None, MoveProgress | None]:
        """The last move and, of an open one, its progress."""
        _active, move, progress = self._stored()
        return move, progress

    def _stored(self) -> tuple[StoredSpace | None, SpaceMove | None, MoveProgress | None]:
        with self.database.connection() as conn:
            active, move = active_space(conn), space_moves.latest_move(conn)
            target = move.target if move is not None and move.is_open else None
            progress = space_swap.progress(conn, target) if target is not None else None
        return active, move, progress

    def begin(self, *, as_new: bool = False) -> bool:
        """Begin a move to the space that the settings name; False where the library is in that one already.

        What they leave open stays as in the library; ``as_new`` chooses the model as for a new library. A move
        there that is open continues, also when it was paused. A tokenizer that they name and that is not on this
        computer is downloaded first.

        Raises:
            InputError: the library has no space yet, or is being moved elsewhere.
            ConfigurationError: the settings contradict themselves.
            DatabaseConflictError: deleted rows are being removed, which takes long.
        """
        with self.database.connection() as conn:
            active = active_space(conn)
        if active is None:
            raise InputError(
                "This library has no documents yet, so there is nothing to move.",
                "Its first document gets the model that the settings ask for.",
            )
        known = self._known_tokenizers()
        wanted = with_download(
            self.options.tokenizer,
            partial(
                wanted_space, active.space, self.options, self.targets, resolved=as_new, tokenizers=known
            ),
        )
        if wanted.fingerprint == active.space.fingerprint:
            return False
        return self._begin(wanted)

    def _known_tokenizers(self) -> list[str]:
        with self.database.connection() as conn:
            return tokenizer_names(conn)

    def _begin(self, wanted: EmbeddingSpace) -> bool:
        """Begin the move, with retries while another transaction holds the locks that a new space needs."""

        def attempt(_seconds: float) -> bool:
            with self.database.connection() as conn:
                return space_moves.begin(conn, wanted)

        try:
            return BEGINNING.run(attempt, CancelToken())
        except DatabaseConflictError as error:
            raise DatabaseConflictError(
                "Deleted data is being removed from the library just now, so the move cannot begin. Nothing was "
                "changed.",
                "Wait a few minutes, then try again.",
            ) from error

    def pause(self) -> bool:
        """Pause the move until it is resumed, over restarts; False where none is open or it is paused already."""
        with self.database.connection() as conn:
            paused = space_moves.set_paused(conn, True)
            if paused:
                _begin_what_waited(conn)
        return paused

    def resume(self) -> bool:
        """Resume the move, at once also after a failure; False where none is paused or waits."""
        with self.database.connection() as conn:
            return space_moves.set_paused(conn, False)

    def cancel(self) -> bool:
        """Cancel the move and drop the new space; False where none is open."""
        with self.database.connection() as conn:
            cancelled = space_moves.cancel(conn)
            if cancelled:
                _begin_what_waited(conn)
        return cancelled


def _begin_what_waited(conn: Connection) -> None:
    """Let jobs begin that waited for a move which is paused or cancelled."""
    sources.set_states(conn, postponement.set_free(conn, "model"), "queued")
