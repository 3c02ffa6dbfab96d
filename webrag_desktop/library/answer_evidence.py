"""Evidence for an answer out of an open library: by its size, its settings and the model that is to read it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.answering.evidence import AnswerEvidence
from webrag_desktop.answering.gathering import Gathering, gather_evidence, room_for_evidence
from webrag_desktop.answering.images import ImageReference, get_image
from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.embedding.catalog import BERT_UNCASED
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.errors import NotFoundError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.answer_context import check_query
from webrag_desktop.retrieval.answer_search import search_filters
from webrag_desktop.retrieval.choosing import result_within
from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
from webrag_desktop.retrieval.contracts.bundles import CandidateItem
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.retrieval.contracts.packs import ContextPack, TokenCounter
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.hybrid.documents import sources_of
from webrag_desktop.servers.chat import ChatImage, StreamingChatModel
from webrag_desktop.storage.library.sources import reached_first
from webrag_desktop.storage.searching.items import load_documents
from webrag_desktop.storage.texts.documents import load_text

_UNSEEN = "The chat model is not known to take pictures, so none were sent."

if TYPE_CHECKING:
    from webrag_desktop.config import Settings
    from webrag_desktop.library.searching import SearchableLibrary


def evidence_for(
    library: "SearchableLibrary",
    query: Query,
    *,
    options: AnswerOptions,
    window: int | None = None,
    model: StreamingChatModel | None = None,
    filters: SearchFilters | None = None,
    selected_from: SelectedFrom | None = None,
    found: RetrievalResult | None = None,
    cancel: CancelToken | None = None,
) -> AnswerEvidence:
    """What a model is given to answer from; see :func:`webrag_desktop.answering.gathering.gather_evidence`.

    ``model`` is the one that is to read it: it says whether it takes pictures, without which none is fetched, and how
    many tokens it reads and writes, where neither the options nor ``window`` do. ``filters`` stand in for those of the
    query. A text that was selected in a document is the stored one at ``selected_from``;
    without that nothing of the library is touched in the mode ``selected_text_only``. What a search of the same
    question and filters ``found`` is not looked for again.

    Raises:
        InputError: the question or a filter cannot be used, or no text is selected where only that is to answer.
        NotFoundError: the text that was selected from is not there any more.
        Cancelled: ``cancel`` was set.
        DatabaseError: the database refused, failed or went away.
    """
    check_query(query)
    document_id = None
    if query.mode == "selected_text_only" and selected_from is not None:
        query, document_id = _as_stored(library, query, selected_from)
    counter = _counter(library, query)
    known = options.context_tokens or window or (model.context_tokens(cancel) if model is not None else None)
    room = room_for_evidence(
        known,
        options.reply_tokens,
        counter.count(query.question),
        library.settings.retrieval_context_budget,
    )
    most = _most_of_a_pack(library.settings, window_is_known=known is not None)
    asking = _Asking(library, filters or search_filters(query.filters), counter, most, found, cancel)
    sees = model is not None and options.images and model.sight(cancel) == "sees"
    gathering = Gathering(
        asking.search,
        asking.pack,
        counter,
        room,
        options.sentences,
        look=asking.look if sees else None,
        unseen=_UNSEEN if options.images and model is not None and not sees else None,
    )
    return gather_evidence(query, gathering, selected_from=selected_from, document_id=document_id)


def candidates_of(library: "SearchableLibrary", result: RetrievalResult) -> list[CandidateItem]:
    """The documents that a result may be answered from, with what is stored of them."""
    ids = list({chunk.document_id for chunk in result.chunks})
    if not ids:
        return []
    with library.database.connection() as conn:
        return sources_of(result, load_documents(conn, ids))


def _most_of_a_pack(settings: "Settings", *, window_is_known: bool) -> int | None:
    """How many tokens a pack may have, whatever the model reads; None where its window alone says how many.

    The setting's default is for a window that nobody knows; a user who sets it means every one.
    """
    if window_is_known and "retrieval_final_max_tokens" not in settings.given:
        return None
    return settings.retrieval_final_max_tokens


def _counter(library: "SearchableLibrary", query: Query) -> TokenCounter:
    """The tokenizer of the library; for a selected text one that needs no library."""
    own = library.tokenizer() if query.mode == "normal" else None
    return own or open_tokenizer(BERT_UNCASED)


def _as_stored(library: "SearchableLibrary", query: Query, place: SelectedFrom) -> tuple[Query, UUID]:
    """The query with the markdown of the selection, and its document."""
    with library.database.connection() as conn:
        version = load_text(conn, place.version_id)
    text = version.markdown[place.char_start : place.char_end] if version is not None else ""
    if version is None or not text.strip():
        raise NotFoundError(
            "The text that was selected is not in the library any more.",
            "Select it again, or ask the whole library.",
        )
    where = query.source_doc_path or version.source_url
    return replace(query, selected_text=text, source_doc_path=where), version.document_id


class _Asking:
    """Searches, packs and looks for one question."""

    def __init__(
        self,
        library: "SearchableLibrary",
        filters: SearchFilters | None,
        counter: TokenCounter,
        most_of_a_pack: int | None,
        found: RetrievalResult | None,
        cancel: CancelToken | None,
    ) -> None:
        self._library = library
        self._filters = filters
        self._counter = counter
        self._most_of_a_pack = most_of_a_pack
        self._found = found
        self._cancel = cancel

    def search(self, question: str, tokens: int) -> RetrievalResult:
        """In full where that is in order: up to the threshold of the settings, and up to so many tokens.

        The mode ``auto`` decides it where the tokens hold all that the threshold allows. Where they do not, it would
        warn of a threshold above the budget, which here no user has set.
        """
        threshold = self._library.settings.retrieval_full_context_threshold
        if self._found is None and tokens >= threshold:
            return self._searched(question, "auto", tokens)
        found = self._passages(question, tokens)
        if not 0 < found.corpus_stats.total_tokens <= min(tokens, threshold):
            return found
        return self._searched(question, "full_context", tokens, found.query_embedding)

    def _passages(self, question: str, tokens: int) -> RetrievalResult:
        """The best passages within so many tokens: out of what was found, unless that had to be cut to fewer."""
        found = self._found
        if found is None or found.mode != "chunk":
            return self._searched(question, "chunk", tokens)
        is_cut = any(one.reason == "context_budget" for one in found.left_out)
        if is_cut and self._library.settings.retrieval_context_budget < tokens:
            return self._searched(question, "chunk", tokens, found.query_embedding)
        return result_within(found, tokens)

    def _searched(
        self, question: str, mode: str, tokens: int, query_embedding: Sequence[float] | None = None
    ) -> RetrievalResult:
        return self._library.search(
            question,
            mode=mode,  # type: ignore[arg-type]  # one of three
            filters=self._filters,
            context_budget_override=tokens,
            query_embedding=query_embedding,
            cancel=self._cancel,
        )

    def look(self, reference: ImageReference) -> ChatImage:
        """A picture, fetched no further into the network than its page lay."""
        reached = None
        if reference.document_id is not None:
            with self._library.database.connection() as conn:
                reached = reached_first(conn, reference.document_id)
        return get_image(reference, self._library.settings.fetch_options(), reached, cancel=self._cancel)

    def pack(self, result: RetrievalResult, question: str, tokens: int) -> ContextPack:
        """Within so many tokens, or fewer where more than a pack may have."""
        budget = min(tokens, self._most_of_a_pack or tokens)
        options = replace(self._library.settings.context_options(), final_max_tokens=budget, keep_fewer=True)
        return self._library.context_pack(
            result, question, options=options, tokenizer=self._counter, cancel=self._cancel
        )
