"""Before texts are trusted to a server: is a vector the same in any company, and as it was, and all of a text read?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_errors import READ_MORE, TextsRefusedError, TextsTooLongError
from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel

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
    """Looks once in a process, and again when longer texts come than any before; usable from several threads.

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

        Both are asked alone: not every server gives a text the same vector in company, and it is not known of this one.

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
