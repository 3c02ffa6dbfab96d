"""The models and tokenizers of the spaces that a process works with, each opened once, when it is first needed."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.embedding.client import ServerNotSetError
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import KNOWN_TEXT
from webrag_desktop.embedding.tokenizers.huggingface import with_download
from webrag_desktop.embedding.tokenizers.tokenizer_file import TokenizerUnreadableError
from webrag_desktop.errors import ConfigurationError, EmbeddingError, MissingExtraError, WebragError
from webrag_desktop.indexing.corpus_space import chosen_space, chunking_of, settle_model, settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace, StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.retries import ONCE
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces.space_tables import active_space, known_vector


@dataclass(frozen=True, slots=True)
class OpenSpace:
    """A space with its embedder and tokenizer; where either cannot be opened, the embedder only raises the reason."""

    stored: StoredSpace
    embedder: Embedder
    tokenizer: Tokenizer | None


AnswerT = TypeVar("AnswerT")


def ask_in_present_space(
    searched_in: Callable[[], OpenSpace | None],
    ask: Callable[[OpenSpace | None], AnswerT],
    is_degraded: Callable[[AnswerT], bool],
) -> AnswerT:
    """What ``ask`` answers in the space that the library is in.

    It is called again where the answer is degraded since the library moved to another space in the meantime.
    """
    while True:
        space = searched_in()
        answer = ask(space)
        if space is None or not is_degraded(answer):
            return answer
        present = searched_in()
        if present is not None and present.stored == space.stored:
            return answer


@dataclass(frozen=True, slots=True)
class UnusableEmbedder:
    """In place of a model whose tokens cannot be counted, or whose server is not set.

    A question is then searched by its words only, with the reason.
    """

    model: EmbeddingModel
    reason: WebragError

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        """Raise the reason."""
        raise self.reason

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        """Raise the reason."""
        raise self.reason

    def close(self) -> None:
        """Nothing is open."""


class OpenSpaces:
    """Follows the library from one space to the next. Any thread may ask.

    That the settings contradict the library is met once, when it is first searched or first written to.
    """

    def __init__(self, database: Database, options: EmbeddingOptions, targets: ChunkTargets) -> None:
        """Open nothing yet."""
        self._database = database
        self._options = options
        self._targets = targets
        self._lock = threading.Lock()
        self._embedders: dict[EmbeddingModel, Embedder] = {}
        self._may_search = False
        self._may_write = False

    def settle(self) -> StoredSpace:
        """The space to write into; a new library gets the one of the settings.

        A tokenizer that the settings name and that is not on this computer is downloaded, here as by :meth:`indexer`.

        Raises:
            ConfigurationError: the settings ask for another space than the library's, or, in a new library, for a
                model that its server does not have so.
        """
        with_download(self._options.tokenizer, self._settle)
        return self._active()

    def _settle(self) -> None:
        with self._lock:
            if not self._may_write:
                settle_space(self._database, self._options, self._targets, self._prove)
                self._may_write = True

    def chosen(self) -> EmbeddingSpace:
        """The space that the settings would give a new library.

        Raises:
            ConfigurationError: they contradict themselves.
            EmbeddingError: their server does not provide what they leave open.
        """
        return chosen_space(self._options, self._targets)

    def searched(self) -> OpenSpace:
        """The space to search in; only by words while the tokenizer's file cannot be read.

        So it is, too, while the extra is missing that its model comes with, and while the settings do not name the
        server of a library that came from elsewhere.

        Raises:
            ConfigurationError: the settings ask for another model than the library's.
        """
        with self._lock:  # concurrent threads must not load the model twice
            try:
                if not (self._may_search or self._may_write):
                    settle_model(self._database, self._options, self._targets, self._prove)
                    self._may_search = True
                return self._open(self._active())
            except (TokenizerUnreadableError, MissingExtraError, ServerNotSetError) as error:
                with self._database.connection() as conn:
                    stored = active_space(conn)
                if stored is None:  # a new library takes no model that cannot be used
                    raise
                return self._unusable(stored, error)

    def indexer(self) -> Indexer:
        """Writes documents into the library's space.

        Raises:
            ConfigurationError: as :meth:`settle`; or nothing can be added to this library before it moved.
        """
        return self.indexer_of(self.settle())

    def indexer_of(self, stored: StoredSpace) -> Indexer:
        """Writes documents into that space.

        Raises:
            ConfigurationError: its model cannot be used, or its chunks not be cut, by this program or these settings.
        """
        chunking = chunking_of(stored.space)
        opened = with_download(self._options.tokenizer, partial(self._opened, stored))
        assert opened.tokenizer is not None, "what cannot be opened raises"
        return Indexer(self._database, stored, opened.embedder, opened.tokenizer, chunking)

    def _opened(self, stored: StoredSpace) -> OpenSpace:
        with self._lock:
            return self._open(stored)

    def close(self) -> None:
        """Release every model; idempotent."""
        with self._lock:
            while self._embedders:
                self._embedders.popitem()[1].close()

    def _prove(self, model: EmbeddingModel) -> None:
        """Check a server before a new library takes its model for good.

        An unreachable one is not waited for: added texts can be found by their words until it is back, and it is
        checked in the same way before the first texts are sent to it.
        """
        if model.backend == "embedded":
            return
        embedder = open_embedder(model, self._options, retry=ONCE)
        try:
            embedder.embed_texts([KNOWN_TEXT])
        except EmbeddingError as error:
            if not error.transient:
                raise ConfigurationError(error.message, error.hint) from error
        finally:
            embedder.close()

    def _active(self) -> StoredSpace:
        with self._database.connection() as conn:
            stored = active_space(conn)
        assert stored is not None, "settle_space has created one"
        return stored

    def _unusable(self, stored: StoredSpace, error: ConfigurationError) -> OpenSpace:
        model, tokenizer = stored.space.model, None
        if not isinstance(error, (TokenizerUnreadableError, MissingExtraError)):
            with suppress(TokenizerUnreadableError):  # one reason is reported already
                tokenizer = open_tokenizer(model.tokenizer, self._options.tokenizer)
        return OpenSpace(stored, UnusableEmbedder(model, error), tokenizer)

    def _remember(self, stored: StoredSpace, vector: Sequence[float]) -> Sequence[float]:
        with self._database.connection() as conn:
            return known_vector(conn, stored, vector)

    def _open(self, stored: StoredSpace) -> OpenSpace:
        model = stored.space.model
        if model not in self._embedders:
            # What was left behind stays open: a question may be under way in it.
            self._embedders[model] = open_embedder(
                model, self._options, remember=partial(self._remember, stored)
            )
        tokenizer = open_tokenizer(model.tokenizer, self._options.tokenizer)
        return OpenSpace(stored, self._embedders[model], tokenizer)
