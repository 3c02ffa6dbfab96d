"""Looking for signs first finds every stop that reading the whole text for stops finds."""

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval import sentence_ends


@given(st.text(alphabet="aA1 .!?…。！？｡．؟۔।॥日「」]”’)^[¹\n", max_size=40))
def test_no_stop_is_missed_and_none_is_found_inside_another(text: str) -> None:
    found = [stop.span() for stop in sentence_ends._stops(text)]
    assert found == [stop.span() for stop in sentence_ends._STOP.finditer(text)]
