import pytest

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.retrieval.contracts.options import ContextOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("neighbor_same_page", -1),
        ("neighbor_cross_page", 51),
        ("final_max_tokens", 0),
        ("min_primary_hits_to_keep", -1),
        ("top_k_dense", 0),
    ],
)
def test_values_that_cannot_work_are_refused_by_name(name: str, value: int) -> None:
    with pytest.raises(ConfigurationError, match=f"RETRIEVAL_{name.upper()} is {value}"):
        ContextOptions(**{name: value})  # type: ignore[arg-type]


def test_a_refused_setting_is_named_as_it_is_set() -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_RERANK_RETURN_TOP_N is 0"):
        ContextOptions(return_top_n=0)


def test_the_passages_reported_are_kept_unless_fewer_may_be() -> None:
    assert not ContextOptions().keep_fewer


def test_nothing_around_may_be_wanted() -> None:
    assert ContextOptions(neighbor_same_page=0, neighbor_cross_page=0, min_primary_hits_to_keep=0).reach == 0
