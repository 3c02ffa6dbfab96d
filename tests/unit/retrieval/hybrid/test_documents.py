"""A document is as good as its best child."""

from tests.support.found_documents import child, item
from tests.support.found_documents import found as ranked
from webrag_desktop.models.metadata import METADATA_FIELDS
from webrag_desktop.retrieval.hybrid.documents import leading, metadata_of


def test_the_best_child_stands_for_the_document_and_each_arm_for_itself() -> None:
    weak, strong = child("weak", rank=0.2, words=3.0, cosine=0.1), child("strong", rank=0.9, cosine=0.8)
    (found,) = ranked((item("a"), [weak, strong]))
    assert [one.id for one in found.passages] == [strong.id, weak.id]
    assert found.score == 0.9
    assert (found.scores.score_text, found.scores.score_vec) == (3.0, 0.8)


def test_ranks_are_among_documents_and_equal_ones_share_the_better_place() -> None:
    found = ranked(
        (item("a"), [child("a1", rank=0.9, words=2.0), child("a2", rank=0.1, words=2.0)]),
        (item("b"), [child("b1", rank=0.8, words=2.0, cosine=None)]),
        (item("c"), [child("c1", rank=0.7, words=1.0, cosine=0.9)]),
        (item("d"), [child("d1", rank=0.6, cosine=0.1)]),
    )
    assert [one.item.title for one in found] == ["A", "B", "C", "D"]
    assert [one.scores.rank_text for one in found] == [1, 1, 3, None]
    assert [one.scores.rank_vec for one in found] == [2, None, 1, 3]


def test_equal_documents_stand_by_address_and_equal_children_by_place() -> None:
    later, earlier = child("z", start=40, rank=0.5), child("y", start=3, rank=0.5)
    found = ranked((item("b"), [later, earlier]), (item("a"), [child("x", rank=0.5)]))
    assert [one.item.title for one in found] == ["A", "B"]
    assert [one.char_start for one in found[1].passages] == [3, 40]


def test_copies_take_no_places_from_other_documents() -> None:
    texts = {"a": "One.", "b": "One.", "c": "One.", "d": "Two.", "e": "Two.", "f": "Three."}
    families = [
        (item(name), [child(name, text, rank=1 - place / 10)])
        for place, (name, text) in enumerate(texts.items())
    ]
    found = ranked(*families)
    titles = {most: "".join(one.item.title or "" for one in leading(found, most)) for most in range(1, 8)}
    assert titles == {1: "A", 2: "AD", 3: "ADF", 4: "ABDF", 5: "ABCDF", 6: "ABCDEF", 7: "ABCDEF"}


def test_what_found_it_is_reported_once_in_a_fixed_order() -> None:
    one = child("a")._replace(found_by=("identifier", "words"))
    (found,) = ranked((item("a"), [one, child("b")]))
    assert metadata_of(found.item, found.found_by)["found_by"] == ["vector", "words", "identifier"]


def test_a_document_names_all_of_its_metadata_once() -> None:
    (one,) = ranked((item("a"), [child("a")]))
    named = metadata_of(one.item, one.found_by)
    own = {"title", "description", "doc_type"}  # fields of a candidate
    assert {name for name in METADATA_FIELDS if name in named} == set(METADATA_FIELDS) - own
    assert (named["language"], named["published_guessed"]) == ("en", False)
