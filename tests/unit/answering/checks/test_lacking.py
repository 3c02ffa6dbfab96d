"""Numbers, names and negations of a claim that its sentences lack."""

import pytest

from webrag_desktop.answering.checks.lacking import Borne

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
        ("About 50 % of them moved.", "It was 49.6% of them."),
        ("Some 76-85% moved.", "It was 76.3% to 85.4%."),
        ("There are 21 limpets.", "There are twenty-one limpets."),
        ("Es sind 21 Schnecken.", "Es sind einundzwanzig Schnecken."),
        ("It was the 3rd time.", "It was the third time."),
        ("They saw the A-769662 drug.", "They saw the drug A769662."),
        ("Ly6C is high.", "We saw Ly-6C(high) cells."),
        ("They lack IFN-γ now.", "They lack IFN-gamma now."),
        ("They count VSMCs.", "They count vascular smooth muscle cells."),
        ("The EU-wide rule holds.", "The rule of the EU holds."),
        ("Active Ly49Q moves them.", "Ly49Q moves them."),
        ("Genetic causes count.", "It is caused genetically."),
        ("Upon landing they clamp.", "They clamp when they land."),
        ("Experimental limpets fly.", "In tests limpets fly."),
        ("They do not swim.", "They fly, but they do not swim."),
        ("They are not numerous.", "Few are there."),
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
        ("Use version 2.1.3 of it.", "Use version 2.1.4 of it.", ("number", "2.1.3")),
        ("They count 50 of them.", "They count 50.6 of them.", ("number", "50")),
        ("It was version 4.", "It was version 3.5.", ("number", "4")),
        ("It was the third one.", "It was the second one.", ("number", "third")),
        ("There are 22 limpets.", "There are twenty-one limpets.", ("number", "22")),
        ("They saw A-769663 here.", "They saw A-769662 here.", ("number", "769663")),
        ("They saw IFN-α here.", "They saw IFN-gamma here.", ("name", "IFN-α")),
        ("Einstein beat Napoleon.", WATERLOO, ("name", "Einstein")),
        ("Limpets do not fly.", "At the university limpets fly.", ("negation", "not")),
        ("Limpets do not fly far.", "Limpets fly far, and otters do not swim.", ("negation", "not")),
        ("Ustawa nie została przyjęta.", "Ustawa została przyjęta.", ("negation", "nie")),
        ("Lakia ei hyväksytty.", "Laki hyväksyttiin.", ("negation", "ei")),
        ("A törvényt nem fogadták el.", "A törvényt elfogadták.", ("negation", "nem")),
        ("Ο νόμος δεν ψηφίστηκε.", "Ο νόμος ψηφίστηκε.", ("negation", "δεν")),
        ("החוק לא התקבל.", "החוק התקבל.", ("negation", "לא")),
        ("لم يتم اعتماد القانون.", "تم اعتماد القانون.", ("negation", "لم")),
        ("कानून पारित नहीं हुआ।", "कानून पारित हुआ।", ("negation", "नहीं")),
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


def test_what_is_lacking_is_reported_once() -> None:
    assert lacking("There are 5 limpets and 5 otters.", "Limpets and otters are there.") == [("number", "5")]
