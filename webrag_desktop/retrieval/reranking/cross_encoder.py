"""Reranking on this computer: a cross-encoder in an ONNX file reads question and passage together."""

import math
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webrag_desktop.embedding.embedded import open_session
from webrag_desktop.errors import ChatError, ConfigurationError
from webrag_desktop.errors.opening import file_content, why
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.prompt import window
from webrag_desktop.text.printable import printable
from webrag_desktop.text.sentences import split_sentences

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

TOKENIZER_FILE = "tokenizer.json"
MOST_TOKENS = 512  # what such models were trained on
WEIGHT = 0.5  # of its scores beside the search's, as of a chat model that never contradicts itself
ANSWERABLE = 50.0  # the score from which a passage counts as answering: the model's own even odds
_LARGEST = 2**31  # bytes; the format of such files allows no more
_KNOWN_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))


class CrossEncoderReranker:
    """A :class:`~webrag_desktop.retrieval.contracts.judgements.Reranker` over a local model, loaded when first used.

    The score is the sigmoid of the model's logit times 100. ``key_evidence`` is the sentence that scores best, of
    passages that answer the question.
    """

    def __init__(
        self, model_file: Path, config: RerankConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``model_file`` is an ONNX file with a ``tokenizer.json`` beside it."""
        self._file = model_file
        self._config = config
        self._clock = clock
        self._loading = Lock()

    @property
    def model(self) -> str:
        """The name of the model's file."""
        return self._file.name

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Judgements of the leading candidates, as many as the config allows, by falling relevance.

        Raises:
            ChatError: it took longer than the config's seconds.
            ConfigurationError: the files cannot be read, or are no cross-encoder.
            Cancelled: ``cancel`` was set.
        """
        token, ends = cancel or CancelToken(), self._clock() + self._config.seconds

        def check_time() -> None:
            token.raise_if_cancelled()
            if self._clock() >= ends:
                raise self._late()

        with self._loading:
            encoder = self._encoder
        judged = candidates[: self._config.max_candidates_to_rerank]
        results = [self._judged(encoder, query, one, check_time) for one in judged]
        return sorted(results, key=lambda result: -result.relevance_score)

    def _late(self) -> ChatError:
        return ChatError(
            f"The cross-encoder {self.model} did not judge all passages within {self._config.seconds:.3g} seconds.",
            "Raise RETRIEVAL_RERANK_TIMEOUT, or lower RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK.",
        )

    @cached_property
    def _encoder(self) -> "_CrossEncoder":
        return _CrossEncoder(self._file)

    def _judged(
        self, encoder: "_CrossEncoder", query: str, candidate: RerankCandidate, check_time: Callable[[], None]
    ) -> RerankResult:
        check_time()
        limit = self._config.max_text_chars_per_candidate
        start, end = window(candidate.text, candidate.focus_start, candidate.focus_end, limit)
        text = candidate.text[start:end]
        score = encoder.score(query, text)
        answers = score >= ANSWERABLE
        return RerankResult(
            chunk_id=candidate.chunk_id,
            relevance_score=score,
            answerability=answers,
            key_evidence=_best_sentence(encoder, query, text, check_time) if answers else "",
            weight=WEIGHT,
        )


def _best_sentence(encoder: "_CrossEncoder", query: str, text: str, check_time: Callable[[], None]) -> str:
    """The first of those that score best; headings and marks of the text are none."""
    best, highest = "", -1.0
    for one in split_sentences(text):
        if one.kind in ("heading", "mark"):
            continue
        check_time()
        score = encoder.score(query, text[one.start : one.end])
        if score > highest:
            best, highest = text[one.start : one.end], score
    return best


class _CrossEncoder:
    """An opened model and its tokenizer; one pair per run, so that no score depends on others.

    Of a pair that is too long for the model the longer text is cut, at last both.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._session = _opened_model(file)  # before its tokenizer: it is what the setting names
        self._tokenizer = _opened_tokenizer(file.with_name(TOKENIZER_FILE))
        self._inputs = [one.name for one in self._session.get_inputs()]
        if "input_ids" not in self._inputs or not set(self._inputs) <= _KNOWN_INPUTS:
            raise self._unusable("it takes other inputs than input_ids, attention_mask and token_type_ids")

    def score(self, query: str, text: str) -> float:
        """How well the text answers, from 0 to 100."""
        pair = self._tokenizer.encode(printable(query), printable(text))
        rows = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        feed = {name: np.array([rows[name]], dtype=np.int64) for name in self._inputs}
        try:
            logits = np.asarray(self._session.run(None, feed)[0], dtype=np.float64).ravel()
        except Exception as error:  # the library raises nothing narrower
            raise self._unusable("it cannot be run on a question and a passage") from error
        return 100.0 * _sigmoid(self._logit(logits))

    def _logit(self, logits: npt.NDArray[Any]) -> float:
        """A single number is the relevance; of two, the second is for yes and the first for no."""
        if logits.size not in (1, 2) or not np.isfinite(logits).all():
            raise self._unusable("its output is no score")
        return float(logits[-1] - (logits[0] if logits.size == 2 else 0.0))

    def _unusable(self, reason: str) -> ConfigurationError:
        return ConfigurationError(
            f"The file {self._file} is not a cross-encoder that can be used: {reason}.", _HINT
        )


_HINT = f"Set RETRIEVAL_RERANK_MODEL_FILE to an ONNX cross-encoder with its {TOKENIZER_FILE} beside it."


def _sigmoid(logit: float) -> float:
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-logit))
    return math.exp(max(logit, -700.0)) / (1.0 + math.exp(max(logit, -700.0)))


def _content(file: Path) -> bytes:
    try:
        return file_content(file, _LARGEST)
    except FileNotFoundError as error:
        raise ConfigurationError(f"There is no file {file}, which reranking needs.", _HINT) from error
    except OSError as error:
        raise ConfigurationError(
            f"The file {file}, which reranking needs, cannot be read: {why(error)}.", _HINT
        ) from error


def _opened_tokenizer(file: Path) -> "tokenizers.Tokenizer":
    import tokenizers  # heavy, and few have such a model

    content = _content(file)
    try:
        tokenizer = tokenizers.Tokenizer.from_buffer(content)
        tokenizer.no_padding()
        tokenizer.enable_truncation(MOST_TOKENS, strategy="longest_first")
        tokenizer.encode("Is its vocabulary complete?", "Only encoding shows.")
    except Exception as error:  # the library raises nothing narrower
        reason = " ".join(str(error).split())[:200]
        raise ConfigurationError(f"The tokenizer {file} cannot be used: {reason}.", _HINT) from error
    return tokenizer


def _opened_model(file: Path) -> "onnxruntime.InferenceSession":
    content = _content(file)
    try:
        return open_session(content)
    except Exception as error:  # the library raises nothing narrower
        reason = " ".join(str(error).split())[:200]
        raise ConfigurationError(f"The model {file} cannot be used: {reason}.", _HINT) from error
