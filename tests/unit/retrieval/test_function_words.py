import pytest

from webrag_desktop.retrieval.function_words import is_function_word, without_function_words
from webrag_desktop.retrieval.query_text import read_query
from webrag_desktop.stack.postgres import binaries as kept_lists


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Wie hoch ist der Turm, und wann wurde er gebaut?", "hoch Turm, wann wurde gebaut?"),
        ("Was ist Photosynthese?", "Photosynthese?"),
        ("Wie viele Kinder hat Luther?", "viele Kinder Luther?"),
        ("Wie heißt die IT von der Bank in Los Angeles", "heißt IT Bank Los Angeles"),
        ("Qu'est-ce que la photosynthèse ?", "photosynthèse ?"),
        ("Quelle est la hauteur de l’arbre ?", "Quelle hauteur arbre ?"),
        ("¿Cuál es la capital de Francia?", "¿Cuál capital Francia?"),
        ("Qual è la capitale della Francia?", "Qual capitale Francia?"),
        ("Wat is de hoofdstad van Duitsland?", "hoofdstad Duitsland?"),
        ("Hur många människor bor i Sverige?", "många människor bor Sverige?"),
        ("Сколько людей живёт в России?", "Сколько людей живёт России?"),
        ("What was Newton's law of the tides", "Newton law tides"),
        ("What is on-off keying in the air", "on-off keying air"),
        ('Wer schrieb "die Räuber" und das Lied von der Glocke?', 'Wer schrieb "die Räuber" Lied Glocke?'),
        ("Wer spielt Iron Man und wie alt ist er", "Wer spielt Iron Man alt"),
        ("Man fragt, wer in Die Hard und in dem Film war", "fragt, wer Die Hard Film"),
        ("¿Quién es el autor de Sin City y la novela?", "¿Quién autor Sin City novela?"),
        ("Milch or Tee und der Kuchen in dem Haus", "Milch or Tee Kuchen Haus"),
    ],
)
def test_a_question_loses_the_function_words_of_its_language(question: str, left: str) -> None:
    assert without_function_words(question).split() == left.split()


@pytest.mark.parametrize(
    "question",
    [
        "die hard",
        "der",
        "Das Boot",
        "The Who",
        "to be or not to be",
        "Was ist das?",
        "Der Spiegel",
        "Los Angeles",
        "Charles de Gaulle",
        "war in Vietnam",
        "how many soldiers die in war",
        "man in a van",
        "cost per unit",
        "Welches Prinzip wurde in The Mask of Anarchy dargestellt?",
        "Who wrote Les Misérables and Notre Dame de Paris",
        "WAS IST DAS FÜR EIN HAUS",
        '"was ist das für ein Haus"',
        "was_ist das-Haus der/die",
    ],
)
def test_short_and_ambiguous_questions_keep_their_words(question: str) -> None:
    assert without_function_words(question) == question


def test_only_questions_without_a_configuration_or_an_exact_syntax_lose_words() -> None:
    question = "Wie hoch ist der Turm"
    assert read_query(question).words.words.split() == ["hoch", "Turm"]
    assert read_query(question).meaning == question
    assert read_query(question, "plain").words.phrases.split() == ["hoch", "Turm"]
    assert read_query(question, config="simple").words.words == question
    for mode in ("phrase", "strict"):
        assert read_query(question, mode).words.words == question


def test_function_words_are_not_misspelt() -> None:
    assert is_function_word("zwischen")
    assert read_query("zwischen Felsen").words.correctable == ("felsen",)
    assert read_query("warum Felsen zwischen Wasser und dem Strand").words.correctable == (
        "felsen",
        "wasser",
        "strand",
    )


def test_without_an_installed_server_all_words_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_lists, "text_search_folder", lambda: None)
    assert kept_lists.stop_words.__wrapped__() == {}
