"""Numbers, names and negations of a claim that its sentences lack."""

import pytest

from webrag_desktop.answering.lacking import Borne

WATERLOO = "Wellington beat Napoleon at Waterloo in 1815."


def lacking(claim: str, *sentences: str, around: str = "", elsewhere: str = "") -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in Borne(sentences, around, elsewhere).lacks(claim)]


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("It is 1,234 m high.", "It is 1234 m high."),
        ("It is 1.234 m high.", "It is 1,234 m high."),
        ("Es sind 2,5 Millionen.", "There are 2.5 million."),
        ("There are 2,500,000.", "There are 2.5 million."),
        ("It has 10 000 people.", "It has 10,000 people."),
        ("It is 50 percent.", "It is 50 % now."),
        ("It costs $5.", "It costs 5 dollars."),
        ("There are three limpets.", "There are 3 limpets."),
        ("Es sind drei Schnecken.", "Three snails there are."),
        ("It was 0.50 then.", "It was .5 then."),
        ("It was -3 °C.", "It was −3 °C."),
        ("It holds 12 GB.", "It holds 12GB."),
        ("There are ٣ of them.", "There are 3 of them."),
        ("One of them moved.", "Someone moved."),
        ("In the 1990s it was so.", "It was so in the 1990s."),
        ("Wellington beat him in 1815.", WATERLOO),
        ("The WHO says so.", "The World Health Organization says so."),
        ("Wellington's victory.", WATERLOO),
        ("Limpets are not able to fly.", "Limpets are unable to fly."),
        ("They don't fly.", "They never fly."),
        ("They fly.", "They fly, but they do not swim."),
        ("Der Sieg in der Stadt war nicht groß und der Jubel auch nicht.", "Das war nicht viel."),
    ],
)
def test_what_is_said_otherwise_is_not_lacking(claim: str, sentence: str) -> None:
    assert lacking(claim, sentence) == []


@pytest.mark.parametrize(
    ("claim", "sentence", "missing"),
    [
        ("It is 1,235 m high.", "It is 1234 m high.", ("number", "1,235 m")),
        ("There are 25.", "There are 2.5.", ("number", "25")),
        ("It is 5 km away.", "It is 5 m away.", ("number", "5 km")),
        ("It took 6 days.", "It took 6 hours.", ("number", "6 days")),
        ("It is 12 % now.", "It is 12 € now.", ("number", "12 %")),
        ("There are four limpets.", "There are three limpets.", ("number", "four")),
        ("It was in 1915.", WATERLOO, ("number", "1915")),
        ("He beat Nelson at Waterloo.", WATERLOO, ("name", "Nelson")),
        ("Nelson beat Napoleon.", WATERLOO, ("name", "Nelson")),
        ("Set max_depth.", "Set min_depth.", ("name", "max_depth")),
        (
            "Das war Angela Schmidt in der Stadt, und das war gut.",
            "Das war Angela Merkel.",
            ("name", "Angela Schmidt"),
        ),
        ("それはナポレオンです。", "それはネルソンです。", ("name", "ナポレオン")),
        ("Limpets do not fly.", "Limpets fly.", ("negation", "not")),
        ("Limpets fly at low tide.", "Limpets do not fly at low tide.", ("negation", "not")),
        ("Die Schnecken fliegen nicht, und das ist gut.", "Schnecken fliegen.", ("negation", "nicht")),
        ("Les patelles ne volent pas.", "Les patelles volent.", ("negation", "pas")),
        ("帽贝不飞。", "帽贝飞。", ("negation", "不")),
    ],
)
def test_what_was_changed_is_lacking(claim: str, sentence: str, missing: tuple[str, str]) -> None:
    assert missing in lacking(claim, sentence)


def test_titles_and_headings_count() -> None:
    assert lacking("Napoleon lost.", "He lost.", around="Napoleon Bonaparte") == []


def test_a_name_of_another_passage_is_lacking_where_it_begins_a_sentence() -> None:
    elsewhere = "At sea Nelson won. The otters swim."
    assert lacking("Nelson lost.", "He lost.", elsewhere=elsewhere) == [("name", "Nelson")]
    assert lacking("Otters lost.", "He lost.", elsewhere=elsewhere) == []
