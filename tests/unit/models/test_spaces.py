"""Cosines of different models on one scale."""

import pytest

from webrag_desktop.embedding.catalog import EMBEDDED_MODELS, GRANITE_FUSED, MINILM_FUSED, EmbeddedModel


@pytest.mark.parametrize("one", EMBEDDED_MODELS, ids=lambda one: one.name)
def test_the_floor_of_every_model_is_at_the_same_place_and_what_is_the_same_at_one(
    one: EmbeddedModel,
) -> None:
    for form in one.forms:
        floor = form.similarity_floor
        assert floor is not None
        assert form.nearness(floor) == pytest.approx(0.3)
        assert form.nearness(1.0) == pytest.approx(1.0)
        rising = [form.nearness(cosine / 20) for cosine in range(21)]
        assert rising == sorted(rising)


def test_a_model_of_the_scale_itself_is_left_as_it_is() -> None:
    unknown = MINILM_FUSED.model_copy(update={"similarity_floor": None})
    for cosine in (-0.1, 0.123456789, 0.3, 0.999):
        assert MINILM_FUSED.nearness(cosine) == unknown.nearness(cosine) == cosine


def test_texts_that_have_nothing_in_common_are_as_far_with_granite_as_with_minilm() -> None:
    # Medians and 99.9 % of foreign pairs, as measured: .015 and .318 with MiniLM.
    assert GRANITE_FUSED.nearness(0.460) == pytest.approx(0.015, abs=0.02)
    assert GRANITE_FUSED.nearness(0.628) == pytest.approx(0.318, abs=0.01)
    assert GRANITE_FUSED.nearness(0.2) == 0.0
