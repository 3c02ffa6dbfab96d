"""The library as everything that shows or serves it meets it: :class:`Library`, open from its making to its closing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import UUID

from webrag_desktop.config import Settings, shareable_settings
from webrag_desktop.jobs.feed import Feed, Watch
from webrag_desktop.library.searching import SearchableLibrary
from webrag_desktop.library.worker import LibraryWorker
from webrag_desktop.models.queue import LibraryNews
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.stack.base import Stack
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import schema_locked
from webrag_desktop.storage.queue import postponement

if TYPE_CHECKING:
    from webrag_desktop.expansion.contracts import CandidateLink, Coverage
    from webrag_desktop.expansion.events import ExpansionEvent
    from webrag_desktop.expansion.options import ExpansionLimits
    from webrag_desktop.library.asking import Answers
    from webrag_desktop.library.expansion.batch import Choose
    from webrag_desktop.library.expansion.runs import Expansions
    from webrag_desktop.library.expansion.sites import SiteCaptures
    from webrag_desktop.library.pages.looks import PageLooks
    from webrag_desktop.maintenance.checkup import Checkup
    from webrag_desktop.maintenance.move_control import MoveControl
    from webrag_desktop.models.backups import SavedLibrary
    from webrag_desktop.models.spaces import MoveCost, MoveProgress, SpaceMove, StoredSpace
    from webrag_desktop.models.stack import StackStatus
    from webrag_desktop.models.versions import Rereading
    from webrag_desktop.retrieval.contracts.answer_events import AnswerEvent
    from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
    from webrag_desktop.retrieval.contracts.filters import SearchFilters
    from webrag_desktop.retrieval.contracts.results import RetrievalResult


class Library(SearchableLibrary):
    """An open library. Close it, or use it as a context manager; :func:`webrag_desktop.open_library` opens it.

    Any thread may use it. What it offers is in parts: ``documents``, ``queue``, ``citations``, ``quotes``,
    ``answers``, ``searches``, ``labels``, ``versions``, ``schedule``, ``worker``, ``moves``, ``doctor``; adding,
    waiting, searching and answering are methods of its own.
    """

    def __init__(self, settings: Settings, stack: Stack, database: Database) -> None:
        """Take an open stack and a migrated database."""
        super().__init__(settings, database)
        self.stack = stack
        self.worker = LibraryWorker(settings, stack, database, lambda: self._spaces)

    # -- Answering ---------------------------------------------------------------------------------------------

    def answer(
        self,
        question: "str | Query",
        *,
        filters: "SearchFilters | None" = None,
        selected_from: "SelectedFrom | None" = None,
        images: bool | None = None,
        debug: bool = False,
        keep: bool = True,
        with_model: bool = True,
        found: "RetrievalResult | None" = None,
        cancel: CancelToken | None = None,
    ) -> "Iterator[AnswerEvent]":
        """Answer a question from the library, or from a selected text, event by event, ``answer.ended`` last.

        The chat model of the settings writes it; without one, or not ``with_model``, the best sentences themselves are
        the answer. ``selected_from`` says where in the library the selected text of a :class:`.Query` stands.
        ``images`` says whether pictures are sent to a model that sees, None that the setting does. With ``debug`` the
        figures of the search come, too. The answer goes into the history unless it is not to be kept (``keep``).
        What a :meth:`search` in the mode ``chunk`` ``found`` for this question, by the settings and within the same
        filters, is not looked for again; a library small enough for it is still read whole.

        Whatever becomes of the model, and ``cancel``, end the answer with what was written; so does a database that
        goes away meanwhile. Closing the iterator ends it without a trace.

        Raises:
            InputError: the question or a filter cannot be used, or no text is selected where only that is to answer.
            ConfigurationError: the settings describe no chat model that can be asked.
            Cancelled: ``cancel`` was set before the answer began.
            DatabaseError: nothing can be searched.
        """
        from webrag_desktop.library.asking import Asked, answered, with_whole_characters
        from webrag_desktop.library.chat_model import open_chat_model
        from webrag_desktop.retrieval.answer_context import check_query
        from webrag_desktop.retrieval.contracts.answers import Query

        query = question if isinstance(question, Query) else Query(question=question)
        check_query(query)
        query = with_whole_characters(query)
        options = self.settings.answer_options()
        if images is not None:
            options = replace(options, images=images)
        model = open_chat_model(self.settings) if with_model else None
        asked = Asked(query, filters, selected_from, debug, keep, partial(self._embedding, cancel), found)
        return answered(self, asked, model, options, cancel)

    def coverage(
        self,
        question: str,
        result: "RetrievalResult | None" = None,
        *,
        with_model: bool = True,
        cancel: CancelToken | None = None,
    ) -> "Coverage":
        """Judge whether the library holds what answers a question, and say why in words.

        ``result`` is what a search for it found; without one it is searched now. The chat model of the settings is
        asked only where the search leaves it unclear, and only ``with_model``; where that gives no judgement, the
        verdict stays and the explanation says why.

        Raises:
            InputError: the question cannot be used.
            ConfigurationError: the settings describe no chat model that can be asked.
            Cancelled: ``cancel`` was set.
            DatabaseError: nothing can be searched.
        """
        from webrag_desktop.library.chat_model import open_chat_model
        from webrag_desktop.library.expansion.judging import judged_coverage

        found = self.search(question, mode="chunk", cancel=cancel) if result is None else result
        model = open_chat_model(self.settings) if with_model else None
        embedded = self.embedding_model()
        return judged_coverage(
            question,
            found,
            model,
            seconds=self.settings.answer_options().seconds,
            nearness=float if embedded is None else embedded.nearness,
            cancel=cancel,
        )

    @cached_property
    def answers(self) -> "Answers":
        """What was asked and answered."""
        from webrag_desktop.library.asking import Answers

        return Answers(self.database)

    # -- Growing along links -----------------------------------------------------------------------------------

    def expand(
        self,
        question: str,
        limits: "ExpansionLimits | None" = None,
        *,
        choose: "Choose | None" = None,
        cancel: CancelToken | None = None,
    ) -> "Iterator[ExpansionEvent]":
        """Follow links for a question until the library covers it, event by event, ``expansion.ended`` last.

        Round by round links of the pages that gave evidence are scored, the best fetched through the queue, and the
        question asked again. ``choose`` is given the links of a round and returns the addresses to follow; without it
        the best are followed, and rounds without gain end it. robots.txt is asked, and the ``limits`` (by default those
        of the settings) hold. The time that ``choose`` takes does not count. When time is up, or a stop was asked for,
        one last search finds what was gained, and no model is asked any more.

        ``cancel``, and closing the iterator, stop it: what was fetched stays. A run that is cut off otherwise goes on
        by ``expansions.resume``.

        Raises:
            InputError: the question cannot be asked.
            ConfigurationError: the settings describe limits or a model that cannot be used.
            DatabaseError: nothing can be searched.
        """
        from webrag_desktop.library.expansion.loop import expanded

        return expanded(self, question, limits or self.settings.expansion_limits(), choose, cancel)

    def expansion_preview(
        self,
        question: str,
        limits: "ExpansionLimits | None" = None,
        *,
        found: "RetrievalResult | None" = None,
        with_model: bool = True,
    ) -> "tuple[Coverage, tuple[CandidateLink, ...]]":
        """How far the library covers a question, and the links that :meth:`expand` would choose from; none is fetched.

        ``found`` is what a search for it found; without one it is searched now. Not ``with_model``, no model judges
        passages or the coverage, whatever the settings say.

        Raises what :meth:`expand` raises.
        """
        from webrag_desktop.library.expansion.loop import previewed

        limits = limits or self.settings.expansion_limits()
        return previewed(self, question, limits, found, with_model=with_model)

    @cached_property
    def expansions(self) -> "Expansions":
        """What links were followed for, and going on with what was cut off."""
        from webrag_desktop.library.expansion.runs import Expansions

        return Expansions(self)

    @cached_property
    def sites(self) -> "SiteCaptures":
        """Capturing whole sites, or sections of them."""
        from webrag_desktop.library.expansion.sites import SiteCaptures

        return SiteCaptures(self)

    @cached_property
    def page_looks(self) -> "PageLooks":
        """Pages as they looked, and what is kept for that."""
        from webrag_desktop.library.pages.looks import PageLooks

        return PageLooks(self.database, self.documents, self.settings.reading_options())

    # -- Following ---------------------------------------------------------------------------------------------

    def watch(self, source_ids: Sequence[UUID], *, cancel: CancelToken | None = None) -> Iterator[SourceRow]:
        """Yield each of these whenever it changed, until all are ready, failed, cancelled or gone.

        A worker is kept at the queue meanwhile; ``worker.stop`` ends it. It ends early when nothing would happen any
        more, since the queue is paused, or for long, since all that is left waits for something that is away.

        Raises:
            ConfigurationError: no document can be embedded with these settings.
            StackError: the worker cannot be kept running.
            DatabaseUnreachableError: the database went away.
            Cancelled: the token was set; the work stays queued.
        """
        return Watch(self.database, self.worker.supervisor, cancel or CancelToken()).follow(source_ids)

    def wait(
        self, source_ids: Sequence[UUID] | None = None, *, cancel: CancelToken | None = None
    ) -> dict[UUID, SourceRow]:
        """Wait as :meth:`watch` does for these, or for all that is open; returns how those that are there stand then.

        Raises what :meth:`watch` raises.
        """
        wanted = self.queue.unfinished() if source_ids is None else source_ids
        for _changed in self.watch(wanted, cancel=cancel):
            pass
        return self.documents.rows(wanted)

    def follow(self, on_news: Callable[[LibraryNews], None], cancel: CancelToken) -> None:
        """Tell ``on_news`` what happens, with a worker kept at the queue; what waits is for ``library.take_in``.

        It blocks its thread; ``on_news`` is called in it, at most 20 times a second, and first at once, to ask for
        a fresh look at everything. That no worker can be kept running is reported as news, too.

        Raises:
            Cancelled: the token was set; the worker goes on until ``worker.stop``.
            DatabaseUnreachableError: the database went away.
        """
        Feed(self.database, self.worker.supervisor, self._delete_expired).follow(on_news, cancel)

    def _delete_expired(self, cancel: CancelToken) -> int:
        from webrag_desktop.maintenance.upkeep import delete_expired

        return delete_expired(self.database, self.settings.bin_options().days, cancel)

    # -- Moves to another embedding space -------------------------------------------------------------------------

    def settle_space(self) -> "StoredSpace":
        """The space that documents are written to, chosen now for a new library.

        Raises:
            ConfigurationError: the settings contradict themselves or the library.
        """
        return self._spaces.settle()

    @property
    def moves(self) -> "MoveControl":
        """The user's hand on moves of the library to another space."""
        from webrag_desktop.maintenance.move_control import MoveControl

        return MoveControl(self.database, self.settings.embedding_options(), self.settings.chunk_targets())

    def move_cost(self, given: Mapping[str, str], cancel: CancelToken | None = None) -> "MoveCost | None":
        """What moving to these settings, which go before those in force, would cost; None where nothing would move.

        The model that they name is used for about two seconds. ``given`` is by names in upper case.

        Raises:
            ConfigurationError: a value cannot be used.
            Cancelled: the token was set.
        """
        from webrag_desktop.library.folder_settings import given_before
        from webrag_desktop.library.moves import move_cost

        return move_cost(self.moves, given_before(self.settings, given), cancel or CancelToken())

    def move_waits(self) -> bool:
        """Whether a worker is wanted for a move to another space; the next document that is added starts one, too."""
        with self.database.connection() as conn:
            return postponement.work_waits(conn)

    def follow_move(self, cancel: CancelToken) -> "Iterator[tuple[SpaceMove, MoveProgress]]":
        """Follow a move to another space until it is through or has to wait, with a worker kept at it."""
        from webrag_desktop.library.moves import MoveWatch

        return MoveWatch(self.moves, self.worker.supervisor, cancel).follow()

    # -- Looking after it --------------------------------------------------------------------------------------

    def ensure_in_place(self) -> None:
        """Raise DataFolderGoneError where another folder, or none, is where the library was opened."""
        self.stack.ensure_in_place()

    def is_wanted(self) -> bool:
        """Whether another program opens, restores or updates the library; a restore fails where others stay at it.

        Raises:
            DatabaseUnreachableError: the database went away.
        """
        with self.database.connection() as conn:
            return schema_locked(conn)

    def call_when_waiting(self, notify: Callable[[], None]) -> None:
        """Have ``notify`` called, in the thread that waits, whenever the database takes long to answer."""
        self.database.on_wait = notify

    def stack_status(self) -> "StackStatus":
        """How the parts of its database server do."""
        return self.stack.status()

    def rehearse_reading(
        self, source_ids: Sequence[UUID], progress: ProgressCallback = no_progress
    ) -> "Iterator[Rereading]":
        """What reading the kept copies of these again would bring; nothing is written and nothing fetched."""
        from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION
        from webrag_desktop.ingestion.reading_process.process import ReadingProcess
        from webrag_desktop.jobs.rereading import rehearsed

        with ReadingProcess(self.settings.reading_options()) as reading:
            yield from rehearsed(
                self.database,
                source_ids,
                lambda capture, cancel: reading.read(capture, cancel).document,
                EXTRACTOR_VERSION,
                progress,
            )

    def backup(
        self,
        path: Path,
        *,
        overwrite: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> "SavedLibrary":
        """Save the whole library to one file, as it is at this moment; reading, writing and indexing may go on.

        What waits beside the database goes with it; settings do as far as they are no secrets.

        Raises:
            InputError: there is a file at ``path`` already.
            StackError: it cannot be written.
            Cancelled: the token was set.
        """
        from webrag_desktop.maintenance import backup
        from webrag_desktop.storage.backups.backup import Beside

        beside = Beside(self.spool.waiting_files(), shareable_settings(self.settings.webrag_home))
        return backup.save(
            self.database.unmanaged,
            path,
            "asked for",
            beside,
            overwrite=overwrite,
            progress=progress,
            cancel=cancel,
        )

    @property
    def doctor(self) -> "Checkup":
        """Checks the library, and mends what can be mended."""
        from webrag_desktop.maintenance.checkup import Checkup

        return Checkup(self.database, self._spaces, self.settings.reading_options())

    def close(self) -> None:
        """Release model, connections and stack, in that order, each also where another fails; idempotent."""
        with ExitStack() as closing:
            closing.callback(self.stack.close)
            closing.callback(self.database.close)
            if self._opened_spaces is not None:
                closing.callback(self._opened_spaces.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
