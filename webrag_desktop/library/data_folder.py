"""The data folder of a library: opening it, and what can be known and done while nothing is open."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.config import Settings, data_folder, load_settings, reload_settings
from webrag_desktop.errors import ReadOnlyLibraryError, WebragError
from webrag_desktop.library.folder_settings import FolderSettings
from webrag_desktop.models.sources import NO_LABELS, Labels
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress
from webrag_desktop.stack.layout import Layout, close_to_others, make_private, privacy_warning

if TYPE_CHECKING:
    from webrag_desktop.library.library import Library
    from webrag_desktop.models.backups import Manifest, RestoredLibrary
    from webrag_desktop.models.intake import FolderPreview, Kept, Refused
    from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace, FetchedWeights
    from webrag_desktop.models.stack import BackendStatus, ChatStatus, EmbeddingStatus, StackStatus
    from webrag_desktop.stack.base import Stack
    from webrag_desktop.stack.server_pin import ServerPin


class DataFolder(FolderSettings):
    """One data folder with its settings. Nothing is opened or made before a method that says so."""

    @classmethod
    def at(cls, home: "str | Path | None" = None, **settings: object) -> "DataFolder":
        """The folder ``home``, or that of the environment and the platform; ``settings`` go before all others.

        They are named like the settings of ``docs/settings.md``, in any case.

        Raises:
            ConfigurationError: a setting is of the wrong type or out of range.
            InputError: there is no setting of that name.
        """
        return cls(load_settings(home, **settings))

    @classmethod
    def unread(cls) -> "DataFolder":
        """The usual folder, its settings unread: through it, one that cannot be used is mended."""
        return cls(Settings.of(WEBRAG_HOME=data_folder()))

    @staticmethod
    def usual() -> Path:
        """The path that environment and platform give it; raises ConfigurationError for a user without a home."""
        return data_folder()

    def reloaded(self, patience: float) -> "DataFolder":
        """The folder with its settings as they are given now; the keyring may take ``patience`` seconds for a key.

        Raises:
            ConfigurationError: a setting cannot be used, or the file cannot be read.
        """
        return DataFolder(reload_settings(self.path, patience))

    def open(self, progress: ProgressCallback = no_progress, patience: float | None = None) -> "Library":
        """Start what is needed and open the library; see :func:`webrag_desktop.open_library`."""
        from webrag_desktop.library.opening import open_with

        return open_with(self.settings, progress, patience)

    def make(self) -> None:
        """Have the folder; raises ConfigurationError where it cannot be made."""
        from webrag_desktop.library.opening import make_home

        make_home(self.settings)

    # -- Who may read it ---------------------------------------------------------------------------------------

    def privacy_warning(self) -> str | None:
        """What others on this computer may read of it, as a sentence; None where nothing."""
        return privacy_warning(self.path)

    def close_to_others(self) -> bool:
        """Let nobody else on this computer look into it; whether that was needed."""
        return close_to_others(self.path)

    @staticmethod
    def private_folder(folder: Path) -> Path:
        """The folder, made where it is missing so that nobody else may look into it; raises OSError."""
        make_private(folder)
        return folder

    @staticmethod
    def socket_folder(home: Path) -> Path:
        """A private folder for sockets of a data folder, whose path is short enough; not on Windows."""
        from webrag_desktop.stack.postgres.posix_server import socket_folder

        return socket_folder(Layout.of(home))

    # -- What is given while the database is away --------------------------------------------------------------

    def waiting(self) -> int:
        """How much waits beside the database to be taken in."""
        from webrag_desktop.library.stored import spool_of

        return spool_of(self.settings).count()

    def keep_for_later(
        self,
        given: Sequence[str],
        error: WebragError,
        labels: Labels = NO_LABELS,
        depth: int = 0,
        links: int = 0,
        subresources: bool | None = None,
    ) -> "list[Kept | Refused]":
        """Keep what was given until the library opens; ``error`` is why it does not.

        ``depth``, ``links`` and ``subresources`` are as for :meth:`.Library.add`.

        Raises:
            DataFolderGoneError: there is no such folder; :meth:`make` makes it.
        """
        from webrag_desktop.library.intake import keep_for_later
        from webrag_desktop.library.stored import spool_of

        options = self.settings.fetch_options()
        spool = spool_of(self.settings)
        return keep_for_later(spool, given, options, error, labels, depth, links, subresources)

    @contextmanager
    def kept_meanwhile(
        self,
        given: Sequence[str],
        labels: Labels = NO_LABELS,
        depth: int = 0,
        links: int = 0,
        subresources: bool | None = None,
    ) -> Iterator[None]:
        """Keep what was given beside the database until the block ends well: it was accepted, or kept again, by then.

        Raises:
            InputError: ``links`` cannot be followed of all that is given; nothing is kept.
        """
        from webrag_desktop.library.intake import check_links, durable
        from webrag_desktop.library.stored import spool_of

        check_links(given, links)
        spool = spool_of(self.settings)
        with spool.put_batch(durable(given), labels, depth, links, subresources) as batch:
            yield
            batch.done()

    def keep_removal(self, source_ids: Sequence[UUID]) -> None:
        """Have these documents removed when the library opens."""
        from webrag_desktop.library.stored import spool_of

        spool_of(self.settings).put_removal(source_ids)

    def look_through(
        self,
        folders: Sequence[Path],
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> "FolderPreview":
        """What is in folders, all of it as if it were new; nothing is read and nothing added.

        Raises:
            FetchError: one of them cannot be looked into.
            Cancelled: the token was set.
        """
        from webrag_desktop.ingestion.files import WalkOptions
        from webrag_desktop.library.folders import look_through

        return look_through(
            folders, WalkOptions(max_bytes=self.settings.fetch_options().max_bytes), progress, cancel
        )

    # -- The database server -----------------------------------------------------------------------------------

    @property
    def has_database(self) -> bool:
        """Whether the embedded database was made; one that runs elsewhere counts as made."""
        options = self.settings.stack_options()
        embedded = options.database_url is None and options.kind in {"auto", "embedded"}
        return not embedded or Layout.of(options.home).data.exists()

    def stack_status(self) -> "StackStatus":
        """Which parts of the database server run; starts none."""
        return self._stack.status()

    def is_kept_running(self) -> bool:
        """Whether the embedded server runs until :meth:`stop_stack`."""
        return self._stack.kind == "embedded" and self._server_pin().running()

    def server_log(self) -> Path | None:
        """The log of the database server; None where it is none of ours."""
        return self._stack.log_path

    def start_stack(self, progress: ProgressCallback = no_progress) -> None:
        """Start the database server and leave it running until :meth:`stop_stack`.

        Raises:
            StackError: it does not start.
            ReadOnlyLibraryError: the folder cannot be written to.
        """
        stack = self._stack
        if stack.read_only:
            raise ReadOnlyLibraryError(
                "The data folder cannot be written to, so no database can be started in it. "
                "Commands that only read work."
            )
        try:
            stack.open(progress)
            if stack.kind == "embedded":
                self._server_pin().start()
        finally:
            stack.close()

    def stop_stack(self) -> None:
        """Stop the database server; raises StackError while somebody uses it."""
        stack = self._stack
        if stack.kind == "embedded":
            self._server_pin().stop()
        stack.stop()

    def wait_until_stopped(self, seconds: float) -> None:
        """Wait until nothing that was started here looks into the folder any more, for at most so long."""
        from webrag_desktop.stack.locks import FileLock

        layout = Layout.of(self.path)
        lock = FileLock(layout.reaper_lock)
        if layout.folder.is_dir() and lock.acquire(shared=False, timeout=seconds):
            lock.release()

    @cached_property
    def _stack(self) -> "Stack":
        from webrag_desktop.stack.choice import choose_stack

        return choose_stack(self.settings.stack_options())

    def _server_pin(self) -> "ServerPin":
        from webrag_desktop.stack.server_pin import ServerPin

        return ServerPin(self.path)

    # -- The worker --------------------------------------------------------------------------------------------

    def note_worker_failure(self, error: WebragError) -> None:
        """Store the error that ended the worker, which is this process, for its caller and for later queries."""
        from webrag_desktop.jobs.worker_process import FailureNote
        from webrag_desktop.models.queue import WorkerFailure

        failure = WorkerFailure.of(error, self.settings.indexing_fingerprint())
        FailureNote.of_home(self.path).try_write(failure)

    # -- The embedding model -----------------------------------------------------------------------------------

    def embedding_status(self, own: "EmbeddingSpace | None" = None) -> "EmbeddingStatus":
        """How the model of ``own``, the space of a library, does, or the one that a new library would get.

        Writes nothing.

        Raises:
            WebragError: the settings name none that can be used.
        """
        from webrag_desktop.embedding.server_check import check_backend
        from webrag_desktop.indexing.corpus_space import chosen_space
        from webrag_desktop.models.stack import EmbeddingStatus

        looking = replace(self.settings.embedding_options(), model_folder=None)
        space = own or chosen_space(looking, self.settings.chunk_targets())
        return EmbeddingStatus(
            space, own is not None, check_backend(space.model, self.settings.embedding_options())
        )

    def model_status(self, own: "EmbeddingModel | None" = None) -> "BackendStatus":
        """How a model does, or the one that the settings name, whatever chunks it is to be given; writes nothing.

        Raises:
            WebragError: the settings name none that can be used.
        """
        from webrag_desktop.embedding.factory import resolve
        from webrag_desktop.embedding.server_check import check_backend

        options = self.settings.embedding_options()
        return check_backend(own or resolve(replace(options, model_folder=None)), options)

    def fetch_weights(
        self, model: str, progress: ProgressCallback = no_progress, cancel: CancelToken | None = None
    ) -> "FetchedWeights":
        """Fetch an embedded model's weights from its publisher; what came stays for the next attempt.

        Raises:
            InputError: its publisher's cannot be had.
            EmbeddingError: they could not be fetched, or are not the known ones.
            ResourceError: the disk is full.
            Cancelled: ``cancel`` was set.
        """
        from webrag_desktop.maintenance.published_weights import fetch_published_weights

        folder = self.settings.embedding_options().model_folder
        assert folder is not None, "the settings name one"
        fetching = self.settings.fetch_options()
        return fetch_published_weights(model, folder, fetching, progress, cancel or CancelToken())

    # -- The chat model ----------------------------------------------------------------------------------------

    def chat_status(self, cancel: CancelToken | None = None) -> "ChatStatus":
        """How the model does that answers; one that is unreachable, or not set up, is reported, not raised.

        Raises:
            Cancelled: the token was set.
        """
        from webrag_desktop.models.stack import ChatStatus

        if self.settings.chat_model is None:
            return ChatStatus.not_set_up(self.settings_file)
        from webrag_desktop.library.chat_model import chat_status

        return chat_status(self.settings, self.settings.chat_model, cancel)

    # -- Backups -----------------------------------------------------------------------------------------------

    def restore(
        self,
        path: Path,
        *,
        replace: bool = False,
        progress: ProgressCallback = no_progress,
        cancel: CancelToken | None = None,
    ) -> "RestoredLibrary":
        """Put the library that a backup holds in the place of the present one; nobody may have that open, nor we.

        Raises:
            StackError: the database does not start or answer, or somebody uses the library.
            InputError: the backup cannot be used, or the library is not empty and may not be replaced.
            Cancelled: the token was set; the library is as it was.
        """
        from webrag_desktop.library.opening import restore_with

        return restore_with(self.settings, path, replace=replace, progress=progress, cancel=cancel)


def check_backup(
    path: Path, progress: ProgressCallback = no_progress, cancel: CancelToken | None = None
) -> "Manifest":
    """Read a backup to its end; see :func:`webrag_desktop.maintenance.backup.check_backup`."""
    from webrag_desktop.maintenance import backup

    return backup.check_backup(path, progress, cancel)
