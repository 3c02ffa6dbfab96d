"""A model used for a moment, as settings that are not in force yet name it: whether it works, and how fast."""

import time
from dataclasses import replace
from typing import Final

from webrag_desktop.answering.chat import client as chat_client
from webrag_desktop.answering.chat.errors import ANSWERING
from webrag_desktop.answering.chat.models import ServedChatModel
from webrag_desktop.config import Settings
from webrag_desktop.embedding import server_check
from webrag_desktop.embedding.catalog import EMBEDDED_MODELS
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import WebragError
from webrag_desktop.library.chat_model import chat_status
from webrag_desktop.models.stack import ServerTrial
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import ChatEnd, ChatMessage, ChatRequest, ChatText
from webrag_desktop.servers.retries import ONCE

_SECONDS: Final = 2.0  # for measuring, after the first answer
_LOADING_SECONDS: Final = 60.0  # a server may have to load the model first
_TEXTS: Final = 8  # in a request
_REPLY_TOKENS: Final = 48
_NONE_NAMED: Final = "No model is named yet."
_PASSAGE: Final = (
    "The river runs past the old mill, and the boats wait for the evening tide. In spring the keeper opens the lock at "
    "dawn; in winter he waits until the ice has gone. Whoever travels on asks him for the depth of the water. "
)
_WORDS: Final = "Describe a harbour in the morning, in three sentences."


def try_embedding(settings: Settings, cancel: CancelToken) -> ServerTrial:
    """Have the embedding model of these settings embed texts of ours for about two seconds.

    Raises Cancelled where ``cancel`` was set.
    """
    options = replace(settings.embedding_options(), locks=None, batch_size=_TEXTS)
    trial = ServerTrial(options.model or "")
    try:
        model = resolve(replace(options, model_folder=None))
        trial = replace(trial, model=model.model, dimensions=model.dimensions)
        found = server_check.check_backend(model, options)
        brought = tuple(one.name for one in EMBEDDED_MODELS)
        models = brought if found.backend == "embedded" else _served(found.backend, options)
        trial = replace(trial, address=found.address, models=models, weights=found.weights)
        cancel.raise_if_cancelled()
        if found.problem is not None:
            return replace(trial, problem=found.problem, remedy=found.remedy or "")
        embedder = open_embedder(model, options, retry=ONCE)
        try:
            started = time.monotonic()
            embedder.embed_query(_PASSAGE, cancel=cancel)
            first = time.monotonic() - started
            texts, taken = 0, 0.0
            while taken < _SECONDS:
                begun = time.monotonic()
                embedder.embed_texts([f"{texts + n}. {_PASSAGE}" for n in range(_TEXTS)], cancel=cancel)
                texts, taken = texts + _TEXTS, taken + time.monotonic() - begun
        finally:
            embedder.close()
        return replace(trial, seconds=first, rate=texts / taken)
    except WebragError as error:
        cancel.raise_if_cancelled()
        models = trial.models or _served(options.backend, options)
        return replace(trial, models=models, problem=error.message, remedy=error.hint)


def _served(backend: str, options: EmbeddingOptions) -> tuple[str, ...]:
    """What the server lists, for choosing; one that fails says why when the model itself is tried."""
    asked = "ollama" if backend == "auto" else backend
    if asked == "embedded":
        return ()
    try:
        return server_check.served_models(asked, options)
    except WebragError:
        return ()


def try_chat(settings: Settings, cancel: CancelToken) -> ServerTrial:
    """Have the chat model of these settings write a few words of no user's.

    Raises Cancelled where ``cancel`` was set.
    """
    key = settings.chat_api_key.get_secret_value() if settings.chat_api_key else None
    trial = ServerTrial(settings.chat_model or "")
    try:
        address = chat_client.chat_address(settings.chat_base_url, ANSWERING)
        trial = replace(trial, address=str(address))
        trial = replace(trial, models=chat_client.served_models(address, key, cancel))
        if settings.chat_model is None:
            return replace(trial, problem=_NONE_NAMED, remedy=_how_to_name_one(trial.models))
        status = chat_status(settings, settings.chat_model, cancel)
        if status.state != "ready":
            return replace(trial, problem=status.detail, remedy=status.remedy)
        context = settings.answer_options().context_tokens
        return _written(trial, ServedChatModel(address, settings.chat_model, key, context), cancel)
    except WebragError as error:
        cancel.raise_if_cancelled()
        return replace(trial, problem=error.message, remedy=error.hint)


def _how_to_name_one(models: tuple[str, ...]) -> str:
    return "Choose one of those that the server lists." if models else "Name one that the server has."


def _written(trial: ServerTrial, model: ServedChatModel, cancel: CancelToken) -> ServerTrial:
    request = ChatRequest((ChatMessage("user", _WORDS),), most_tokens=_REPLY_TOKENS)
    started = time.monotonic()
    first, pieces, tokens = None, 0, None
    for piece in model.stream(request, seconds=_LOADING_SECONDS, cancel=cancel):
        if isinstance(piece, ChatText):
            pieces += 1
            first = time.monotonic() if first is None else first
        elif isinstance(piece, ChatEnd):
            tokens = piece.reply_tokens
    begun = first or time.monotonic()
    taken, written = time.monotonic() - begun, tokens or pieces
    # The first token ends the wait; the others take the time that is measured.
    rate = (written - 1) / taken if written > 1 and taken > 0 else None
    return replace(trial, seconds=begun - started, rate=rate, counted=tokens is not None)
