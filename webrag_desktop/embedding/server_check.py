"""Checks of embedding models: whether one can be used now, and whether the vectors of a server can be relied upon."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.base import Tokenizer, unit_vectors
from webrag_desktop.embedding.catalog import embedded_model
from webrag_desktop.embedding.client import (
    PROBE_TIMEOUT,
    EmbeddingClient,
    ollama_has_model,
    ollama_version,
    open_client,
)
from webrag_desktop.embedding.embedded import require_weights
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.protocols import protocol_of
from webrag_desktop.embedding.server_errors import (
    READ_MORE,
    ModelMissingError,
    ServerSilentError,
    ServerUnreachableError,
    TextsRefusedError,
    TextsTooLongError,
)
from webrag_desktop.errors import ConfigurationError, EmbeddingError, WebragError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.models.stack import BackendStatus
from webrag_desktop.servers.listing import aliases_of, rows_of
from webrag_desktop.servers.retries import ONCE

# Scripts, numbers and signs that other tokenizers than the model's own count differently.
KNOWN_TEXT: Final = (
    "The keeper counted 20486135 ships near Санкт-Петербург and Київ; สวัสดีชาวโลก, नमस्ते दुनिया, "
    "said the “thoughtful” guests (see §3.1)."
)
ANOTHER_TEXT: Final = "A recipe for bread needs flour, water and patience."
_FILLING: Final = " The river runs past the old mill and the boats wait for the evening tide."
_ENDINGS: Final = (" The violin concerto begins with a waltz.", " Frost has broken every pipe in the cellar.")

# Rounding in another order of computation stays above the first; two texts that end differently below the other.
_SAME_COSINE = 0.999
_IDENTICAL_COSINE = 1 - 1e-6

# Another build or precision of the same model stays above it.
_SAME_MODEL_COSINE = 0.99

# Prefixes, markers and rare characters leave room for doubt, not for another vocabulary.
_COUNT_TOLERANCE = 0.15

_SHORTEST_CHECKED = 128
_SLACK_TOKENS = 4  # a cut text may count a little more than its parts

Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """Unit vectors of some inputs, how many tokens the server counted, if it reported that, and the seconds it took."""

    vectors: list[list[float]]
    tokens: int | None
    seconds: float


Ask = Callable[[Sequence[str]], Sample]

# Given the unit vector of the known text now, the one that the model gave it first, which it keeps if there is none.
Remember = Callable[[Sequence[float]], Sequence[float]]


class ServerCheck:
    """Checks once in a process, and again when longer texts come than any before; usable from several threads.

    ``paired`` says that model and tokenizer are known to belong together; otherwise the server's own count of a
    known text has to agree. Requests hold up to ``max_texts``, as those that follow. ``remember`` says whether the
    server still runs the model that the library's vectors are of; without it, nothing is known of before.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        tokenizer: Tokenizer,
        *,
        paired: bool,
        max_texts: int = EmbeddingOptions.batch_size,
        remember: Remember | None = None,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._paired = paired
        self._max_texts = max_texts
        self._remember = remember
        self._checked_tokens = 0
        self._model_known = remember is None
        self._lock = Lock()

    def require(self, tokens: int, ask: Ask) -> None:
        """Raise :class:`EmbeddingError` unless the server can be trusted with texts of so many tokens.

        ConfigurationError: model and tokenizer, or the model and the library's vectors, do not belong together.
        """
        with self._lock:
            if tokens <= self._checked_tokens:
                return
            length = min(self._model.max_tokens, max(_SHORTEST_CHECKED, 1 << (tokens - 1).bit_length()))
            alone = ask([self._passage(KNOWN_TEXT)])
            self._check_count(alone.tokens)
            self._check_company(alone.vectors[0], self._in_company(length, ask))
            self._check_model(alone.vectors[0])
            self._checked_tokens = max(tokens, length)

    def question(self, text: str, ask: Ask) -> list[float]:
        """The vector of a question; before a process's first one the model must prove to be the library's.

        Each is a request of its own: whether the server gives a text the same vector in a batch is not known yet.

        Raises:
            ConfigurationError: the server runs another model than the one that the library's vectors are of.
        """
        if not self._model_known:
            self._check_model(ask([self._passage(KNOWN_TEXT)]).vectors[0])
        return ask([text]).vectors[0]

    def require_answer(self, ask: Ask) -> None:
        """Raise what the server answers to a text that it must be able to embed, if that is an error."""
        ask([self._passage(KNOWN_TEXT)])

    def _in_company(self, length: int, ask: Ask) -> Vectors:
        first, second = (self._long_text(length, ending) for ending in _ENDINGS)
        texts = [first, self._passage(KNOWN_TEXT), second, self._passage(ANOTHER_TEXT)]
        size = self._max_texts
        try:
            samples = [ask(texts[start : start + size]) for start in range(0, len(texts), size)]
        except TextsRefusedError as error:
            raise EmbeddingError(
                f"The embedding server refuses texts of {length} tokens, but the library counts on {self._model.model} "
                f"reading {self._model.max_tokens}. Nothing was stored.",
                error.hint if isinstance(error, TextsTooLongError) else f"{error.hint} {READ_MORE}",
            ) from error
        return np.array([vector for sample in samples for vector in sample.vectors])

    def _check_company(self, alone: list[float], company: Vectors) -> None:
        first, known, second, another = company
        if known @ np.array(alone) < _SAME_COSINE:
            raise EmbeddingError(
                "The embedding server gives a text another vector in a batch than alone, so its vectors mean nothing. "
                "Nothing was stored.",
                "Update the server, or set EMBEDDING_BATCH_SIZE=1 to send one text at a time.",
            )
        if known @ another > _IDENTICAL_COSINE:
            raise EmbeddingError(
                "The embedding server gives different texts the same vector. Nothing was stored.",
                f"Check that {self._model.model} is an embedding model and that the server runs it as one.",
            )
        if first @ second > _IDENTICAL_COSINE:
            raise EmbeddingError(
                "The embedding server cuts off the end of long texts without saying so. Nothing was stored.",
                "Give the server a larger context, or set EMBEDDING_MAX_TOKENS to what it reads and run "
                "`webrag space move`.",
            )

    def _check_model(self, now: list[float]) -> None:
        if self._remember is None:
            return
        if np.array(self._remember(now)) @ np.array(now) < _SAME_MODEL_COSINE:
            raise ConfigurationError(
                f"The embedding server runs another model under the name {self._model.model} than the one that the "
                "library's vectors are of, so the two cannot be compared.",
                "Have the server run the model of before; or give the new one a name of its own"
                f"{' (ollama cp)' if self._model.backend == 'ollama' else ''}, set EMBEDDING_MODEL to that and run "
                "`webrag space move`.",
            )
        self._model_known = True

    def _check_count(self, counted: int | None) -> None:
        if self._paired or counted is None:
            return
        own = self._tokenizer.count(self._passage(KNOWN_TEXT))
        least, most = sorted((own, own + self._tokenizer.special_tokens))
        if not least * (1 - _COUNT_TOLERANCE) <= counted <= most * (1 + _COUNT_TOLERANCE):
            raise ConfigurationError(
                f"The tokenizer does not belong to {self._model.model}: it counts {most} tokens in a text in which the "
                f"embedding server counts {counted}. Nothing was stored.",
                "Set EMBEDDING_TOKENIZER to the path of the tokenizer.json that belongs to the model.",
            )

    def _passage(self, text: str) -> str:
        return self._model.document_prefix + text

    def _long_text(self, length: int, ending: str) -> str:
        """A passage of almost ``length`` tokens."""
        outside = self._tokenizer.count(self._passage("")) + self._tokenizer.special_tokens + _SLACK_TOKENS
        room = max(0, length - outside - self._tokenizer.count(ending))
        filling = _FILLING
        while self._tokenizer.count(filling) <= room:
            filling *= 2
        end = self._tokenizer.token_starts(filling)[room]
        return self._passage(filling[:end].strip() + ending)


_MOST_NAMES: Final = 3  # of what a server lists
_LONGEST_NAME: Final = 80


def check_backend(model: EmbeddingModel, options: EmbeddingOptions) -> BackendStatus:
    """The status, by having a server embed a known text: lists of names say little of what it does.

    Nothing of the user's is sent. Takes a few seconds at most and never raises for a missing server.
    """
    if model.backend == "embedded":
        return _check_embedded(model, options)
    try:
        client = open_client(model.backend, options, timeout=PROBE_TIMEOUT, retry=ONCE)
    except WebragError as error:
        return BackendStatus(model.backend, model.model, problem=error.message, remedy=error.hint)
    try:
        return _check_ollama(model, client) if model.backend == "ollama" else _check_openai(model, client)
    except EmbeddingError as error:
        return BackendStatus(
            model.backend,
            model.model,
            address=str(client.address),
            reachable=not isinstance(error, ServerUnreachableError),
            problem=error.message,
            remedy=error.hint,
        )
    finally:
        client.close()


def _check_embedded(model: EmbeddingModel, options: EmbeddingOptions) -> BackendStatus:
    one = embedded_model(model.model)
    weights = None if one is None else one.source_of(model)
    try:
        require_weights(model, options.model_folder)
    except (EmbeddingError, ConfigurationError) as error:
        return BackendStatus(
            model.backend,
            model.model,
            reachable=True,
            model_present=False,
            problem=error.message,
            remedy=error.hint,
            weights=weights,
        )
    return BackendStatus(model.backend, model.model, reachable=True, model_present=True, weights=weights)


def _check_ollama(model: EmbeddingModel, client: EmbeddingClient) -> BackendStatus:
    """Only a model that is not listed is used: Ollama would load it, which takes long."""
    version = ollama_version(client)
    present = ollama_has_model(client, model.model) or _embeds(model, client)
    missing = None if present else f"Ollama runs, but it does not have the model {model.model}."
    return BackendStatus(
        model.backend,
        model.model,
        address=str(client.address),
        reachable=True,
        model_present=present,
        version=version,
        problem=missing,
        remedy=None if present else f"Fetch it with: ollama pull {model.model}",
    )


def _embeds(model: EmbeddingModel, client: EmbeddingClient) -> bool:
    try:
        _embed_known_text(model, client)
    except ModelMissingError:
        return False
    return True


def _check_openai(model: EmbeddingModel, client: EmbeddingClient) -> BackendStatus:
    well = BackendStatus(model.backend, model.model, address=str(client.address), reachable=True)
    try:
        _embed_known_text(model, client)
    except ModelMissingError as error:
        remedy = " ".join(filter(None, (error.hint, _offer(_listed_models(client)))))
        return replace(well, model_present=False, problem=error.message, remedy=remedy)
    except ServerSilentError:
        _listed_models(client)  # raises where it is silent altogether
        return replace(well, note=f"It was busy: a text was not embedded within {client.timeout:g} seconds.")
    return replace(well, model_present=True, note=_other_name(model, client))


def _embed_known_text(model: EmbeddingModel, client: EmbeddingClient) -> None:
    """Raise what the server answers, if that is no vector of the model's."""
    protocol = protocol_of(model, client.address)
    timed = client.post(protocol.endpoint, protocol.payload([model.document_prefix + KNOWN_TEXT]))
    unit_vectors(protocol.answer(timed.body, 1).rows, count=1, dimensions=model.dimensions)


def _other_name(model: EmbeddingModel, client: EmbeddingClient) -> str | None:
    """That the server calls a model that it embeds with by another name, as llama.cpp does by that of its file."""
    try:
        listed = _listed_models(client)
    except EmbeddingError:
        return None  # it embeds, whatever its list does
    if not listed or model.model in listed:
        return None
    return f"It embeds under the name {model.model}, which it does not list. {_offer(listed)}"


def _offer(listed: list[str]) -> str:
    if not listed:
        return ""
    shown = ", ".join(" ".join(name.split())[:_LONGEST_NAME] for name in listed[:_MOST_NAMES])
    return f"The server lists {shown}{' and others' if len(listed) > _MOST_NAMES else ''}."


def served_models(backend: str, options: EmbeddingOptions) -> tuple[str, ...]:
    """The names that a backend's server lists, asked once; none where it keeps no list.

    Raises:
        ConfigurationError: address or key cannot be used.
        EmbeddingError: the server does not answer, or refuses.
    """
    client = open_client(backend, options, timeout=PROBE_TIMEOUT, retry=ONCE)
    try:
        if backend != "ollama":
            return tuple(_listed_models(client))
        rows = rows_of(client.get(client.address.ollama("tags")), "models")
        return tuple(name for row in rows if isinstance(name := row.get("name"), str))
    finally:
        client.close()


def _listed_models(client: EmbeddingClient) -> list[str]:
    """The names and aliases that the server lists; none where it keeps no list."""
    try:
        answer = client.get(client.address.openai("models"))
    except ModelMissingError:
        return []
    named = [(row.get("id"), *aliases_of(row)) for row in rows_of(answer, "data")]
    return list(dict.fromkeys(name for names in named for name in names if isinstance(name, str)))
