from tests.support.found_chunks import found_chunk, matched_span
from webrag_desktop.cli.commands.search import place_of


def test_a_place_names_the_heading_right_above_the_sentence_and_nothing_twice() -> None:
    found = found_chunk("Text.", spans=[matched_span(0, "Text.")])
    deep = found.matched_spans[0].model_copy(update={"heading": "Deep"})
    titled = found.model_copy(update={"title": "Page", "section_heading": "Section"})
    assert place_of(titled, deep) == "Page — Section — Deep"
    assert place_of(titled.model_copy(update={"section_heading": "Page"}), None) == "Page"
    assert place_of(titled.model_copy(update={"section_heading": None, "page": 3}), None) == "Page, p. 3"
