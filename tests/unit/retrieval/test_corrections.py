from tests.support.retrieval_rows import candidate, id_of
from webrag_desktop.retrieval.contracts.results import Correction
from webrag_desktop.retrieval.pipeline import corrections, lexemes_as_read
from webrag_desktop.storage.searching.candidates import CandidateRow
from webrag_desktop.storage.searching.words import SimilarWord

ENGLISH = SimilarWord("galciers", "glaciers", "en", ("galcier",), "glacier")
GERMAN = SimilarWord("galciers", "glaciers", "de", ("galci",), "glaci")


def texts(text: str, language: str) -> CandidateRow:
    return candidate(id=id_of(text), chunk_text=text, search_language=language)


def test_a_word_that_is_read_in_two_languages_is_reported_once() -> None:
    rows = [texts("Glaciers carve.", "en"), texts("Die glaciers genannten Gletscher.", "de")]
    assert corrections([ENGLISH, GERMAN], rows) == [Correction(word="galciers", read_as="glaciers")]
    assert corrections([], rows) == []


def test_what_the_texts_hold_is_named_rather_than_what_has_its_stem() -> None:
    rows = [texts("A glacier, and Glacier 3.", "en"), texts("Glaciers carve.", "de")]
    assert corrections([ENGLISH], rows) == [Correction(word="galciers", read_as="glacier")]
    assert corrections([ENGLISH], [rows[1]]) == []  # in another language it is another word
    assert corrections([ENGLISH], [*rows, texts("Glaciers, too.", "en")])[0].read_as == "glaciers"


def test_several_readings_of_a_word_are_reported_the_likeliest_first() -> None:
    likely = SimilarWord("limpits", "limits", "en", ("limpit",), "limit")
    rare = SimilarWord("limpits", "limpets", "en", ("limpit",), "limpet")
    rows = [texts("The limits of limpets.", "en")]
    assert [one.read_as for one in corrections([likely, rare, likely], rows)] == ["limits", "limpets"]
    assert lexemes_as_read({"en": ["limpit"]}, [likely, rare]) == {"en": ["limit", "limpet"]}


def test_similar_lexemes_take_the_place_of_unknown_ones_in_their_language() -> None:
    asked = {"en": ["carv", "galcier"], "de": ["carv", "galci"], "fr": ["carv", "galci"]}
    assert lexemes_as_read(asked, [ENGLISH, GERMAN]) == {
        "en": ["carv", "glacier"],
        "de": ["carv", "glaci"],
        "fr": ["carv", "galci"],
    }
    assert asked["en"] == ["carv", "galcier"]


def test_a_lexeme_is_there_once_though_the_word_was_asked_for_too() -> None:
    assert lexemes_as_read({"en": ["galcier", "glacier"]}, [ENGLISH]) == {"en": ["glacier"]}
