"""Whether a library is told of a model that knows its languages."""

import pytest

from webrag_desktop.embedding.catalog import (
    GRANITE_FUSED,
    MINILM_FUSED,
    MINILM_SHIPPED,
    MULTILINGUAL,
    MULTILINGUAL_FORM,
)
from webrag_desktop.embedding.languages import foreign_texts_note
from webrag_desktop.models.spaces import EmbeddingModel


@pytest.mark.parametrize(
    "model", [MINILM_FUSED, MINILM_SHIPPED, GRANITE_FUSED], ids=lambda model: model.model
)
def test_a_library_of_mostly_other_languages_learns_of_the_model_for_them(model: EmbeddingModel) -> None:
    note = foreign_texts_note(model, (("de", 10), ("en", 6), ("fr", 2), ("es", 1), ("it", 1)))
    assert note is not None
    assert "Of 20 documents whose language is known, 14 are in" in note
    assert "(de 10, fr 2, es 1, …)" in note
    assert "pip install 'webrag-desktop[multilingual]'" in note
    assert f"EMBEDDING_MODEL={MULTILINGUAL.name}" in note
    assert "`webrag space move`" in note


@pytest.mark.parametrize(
    "languages",
    [
        (),
        (("en", 3),),
        (("de", 5), ("en", 5)),  # no more than half
        (("fi", 9), ("en", 1)),  # which it does not know either
        (("fi", 4), ("de", 4), ("en", 2)),
    ],
)
def test_nothing_is_said_where_it_would_not_help(languages: tuple[tuple[str, int], ...]) -> None:
    assert foreign_texts_note(MINILM_FUSED, languages) is None


def test_nothing_is_said_of_other_models() -> None:
    german = (("de", 9),)
    assert foreign_texts_note(MULTILINGUAL_FORM, german) is None
    served = EmbeddingModel(
        backend="ollama", model="all-minilm", dimensions=384, tokenizer="t", max_tokens=256
    )
    assert foreign_texts_note(served, german) is None
