import pytest

from tests.support.tokenizers import WordTokenizer
from webrag_desktop.embedding.base import check_text, check_window, model_inputs
from webrag_desktop.embedding.catalog import MINILM_FUSED
from webrag_desktop.errors import EmbeddingError


class SpecialTokenizer(WordTokenizer):
    special_tokens = 2


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_blank_text_is_refused(text: str) -> None:
    with pytest.raises(EmbeddingError, match="Text 3 of 7 is blank"):
        check_text(text, 2, 7)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="The text holds a broken character"):
        check_text("x\ud800")


def test_window_is_inclusive() -> None:
    check_window(512, MINILM_FUSED)
    with pytest.raises(EmbeddingError, match=r"513 tokens long.*at most 512"):
        check_window(513, MINILM_FUSED)


def test_inputs_hold_prefix_and_all_tokens_and_a_name() -> None:
    model = MINILM_FUSED.model_copy(update={"max_tokens": 6})
    first, second = model_inputs(["one two", "x three"], "passage: ", model, SpecialTokenizer())
    assert (first.text, first.tokens, first.name) == ("passage: one two", 6, "Text 1 of 2 (“one two”)")
    assert second.tokens == 6


def test_prefix_and_special_tokens_count_towards_the_window() -> None:
    model = MINILM_FUSED.model_copy(update={"max_tokens": 5})
    with pytest.raises(EmbeddingError, match="The text is 6 tokens long"):
        model_inputs(["one two"], "passage: ", model, SpecialTokenizer())


def test_a_name_shows_the_beginning_in_one_line() -> None:
    (named,) = model_inputs(["# A\n\n" + "word " * 40], "", MINILM_FUSED, SpecialTokenizer())
    assert named.name.startswith("The text (“# A word word")
    assert named.name.endswith("word w…”)")
    assert len(named.name) < 90
