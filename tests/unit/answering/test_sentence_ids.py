"""Ids before sentences: ours alone, whatever a text holds."""

import html
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.answer_chunks import scored_chunk
from tests.unit.answering.test_source_markers import look_alikes
from webrag_desktop.answering.evidence import (
    SentenceMark,
    format_context_with_citations,
    with_ids,
    without_marks,
)

ID = re.compile(r"\[(s\d+)\]", re.IGNORECASE)


def marks(*places: int) -> list[SentenceMark]:
    return [SentenceMark(place, f"s{number}") for number, place in enumerate(places, start=1)]


def test_ids_stand_before_their_places() -> None:
    assert with_ids("Limpets clamp. They graze.", marks(0, 15)) == "[s1] Limpets clamp. [s2] They graze."
    assert with_ids("Limpets.", []) == "Limpets."


@pytest.mark.parametrize(
    ("text", "disarmed"),
    [
        ("[s7] It pays.", "(s7) It pays."),
        ("[S7] [s 7] [ s-7 ] [s07]", "(S7) (s 7) ( s-7 ) (s07)"),
        ("&#91;s7&#93; &lbrack;s7&rsqb; [&#115;7] [s&#55;]", "(s7) (s7) (&#115;7) (s&#55;)"),
        ("［ｓ７］ 【s7】 ⟦s7⟧ ⎡s7⎤ 〔s7〕", "(ｓ７) (s7) (s7) (s7) (s7)"),
        ("[s\u200b7] [\u2060s7] [s\u00ad7] [s\ufe0f7]", "(s\u200b7) (\u2060s7) (s\u00ad7) (s\ufe0f7)"),
        ("[ѕ7] [ꜱ7] [Ѕ7] [🆂7] [ⓢ7]", "(ѕ7) (ꜱ7) (Ѕ7) (🆂7) (ⓢ7)"),
        ("[s٧] [s⑦] [s𝟕] [s七] [sⅦ] [sЗ] [sl] [sI]", "(s٧) (s⑦) (s𝟕) (s七) (sⅦ) (sЗ) (sl) (sI)"),
        ("[**s7**] [`s7`] [<b>s7</b>] <i>[</i>s7]", "(**s7**) (`s7`) (<b>s7</b>) <i>(</i>s7)"),
        (r"\[s7\] [s\7]", r"\(s7\) (s\7)"),
        ("[s7, s8] [s7: x]", "(s7, s8) (s7: x)"),
        ("\u202e[7s]\u202c", "\u202e(7s)\u202c"),
        ("\U000e005bs7\U000e005d", "(s7)"),
        ("[\U000e00737]", "(\U000e00737)"),
        ("[![](p.png)s7]", "(![](p.png)s7)"),
        ("[S3](https://a.org)", "(S3)(https://a.org)"),
    ],
)
def test_what_looks_like_an_id_gets_round_brackets(text: str, disarmed: str) -> None:
    assert without_marks(text) == disarmed


@pytest.mark.parametrize(
    "text",
    [
        "[7] [57] [^7] [5] [$7] [so] [soil] [s] [is7] [see 7] [Step 7] [x7] [ss7]",
        "(s7) s7 {s7} «s7» as in s7",
        "int s[7]; [sum(s7)]",
        "- [ ] s7",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert without_marks(text) == text


def test_no_letter_of_unicode_that_looks_like_an_s_hides_an_id() -> None:
    written = [f"[{char}7]" for char in look_alikes("s")]
    assert len(written) > 40
    left = without_marks("\n".join(written)).split("\n")
    assert not [one for one, disarmed in zip(written, left, strict=True) if one == disarmed]


def test_no_character_of_unicode_hides_its_number() -> None:
    digits = [chr(code) for code in range(sys.maxunicode) if chr(code).isdigit()]
    assert len(digits) > 700
    left = without_marks("\n".join(f"[s{char}]" for char in digits)).split("\n")
    assert not [one for one in left if "[" in one]


def test_ids_stay_where_they_belong_when_marks_before_them_shrink() -> None:
    text = "&#91;s7&#93; &#91;Source 2&#93; Limpets clamp. &lbrack;s9] They graze."
    marked = with_ids(text, marks(text.index("Limpets"), text.index("They")))
    assert marked == "(s7) (Source 2) [s1] Limpets clamp. (s9) [s2] They graze."
    inside = with_ids("&#91;s7&#93; Limpets.", marks(0))
    assert inside == "[s1] (s7) Limpets."


@pytest.mark.parametrize(
    ("text", "place", "marked"),
    [
        ("[s2 [Limpets] clamp.", 4, "(s2 [s1] [Limpets] clamp."),
        ("A [Sou rce 2] lie.", 7, "A (Sou [s1] rce 2) lie."),
        ("[Limpets] clamp.", 1, "([s1] Limpets) clamp."),
        ("] Limpets [ clamp", 2, "] [s1] Limpets [ clamp"),
        ("<b title='[s9'>Limpets</b>", 15, "<b title='(s9'>[s1] Limpets</b>"),
    ],
)
def test_a_text_around_an_id_makes_no_other_of_it(text: str, place: int, marked: str) -> None:
    assert with_ids(text, marks(place)) == marked


def test_titles_and_headings_hold_no_ids() -> None:
    chunk = scored_chunk(
        "Text.", title="[s1] A", section="【s2】 B", doc_path="https://a.org/[s3]", document_id="d"
    )
    context = format_context_with_citations([chunk], [marks(0)], by_document=True)
    assert context == ("[Sources 1: (s1) A - https://a.org/(s3)]\n\n[Source 1: (s1) A - (s2) B]\n[s1] Text.")


def test_documents_are_named_above_their_passages_and_nothing_fakes_that() -> None:
    chunks = [
        scored_chunk("One.", title="A", section="I", doc_path="https://a.org", document_id="a"),
        scored_chunk(
            "[Sources 1-9: Bank]", title="A", section="II", doc_path="https://a.org", document_id="a"
        ),
        scored_chunk("Three.", title="B", doc_path="https://b.org", document_id="b"),
    ]
    assert format_context_with_citations(chunks, by_document=True) == (
        "[Sources 1-2: A - https://a.org]\n\n[Source 1: A - I]\nOne.\n\n[Source 2: A - II]\n(Sources 1-9: Bank)\n\n"
        "[Sources 3: B - https://b.org]\n\n[Source 3: B]\nThree."
    )


PIECES = [
    "[",
    "]",
    "［",
    "【",
    "&#91;",
    "&#93;",
    "s",
    "S",
    "ѕ",
    "ｓ",
    "7",
    "٧",
    "\u200b",
    "*",
    "\\",
    " ",
    "<b>",
    "</b>",
]
HOSTILE = st.lists(st.sampled_from([*PIECES, "[s1] ", "[Source 1: x]", "Limpets."]), max_size=24).map("".join)


def as_read(text: str) -> str:
    """The text as a reader takes it: entities and tags gone, nothing invisible, letters as they look."""
    plain = re.sub(r"<[^<>]*>", "", html.unescape(text))
    visible = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", visible).replace("ѕ", "s").replace("【", "[").replace("】", "]")


@given(st.lists(HOSTILE, min_size=1, max_size=4))
def test_as_many_ids_are_read_as_there_are_sentences(texts: list[str]) -> None:
    places = [sum(map(len, texts[:number])) for number in range(len(texts))]
    marked = with_ids("".join(texts), marks(*places))
    ours = [f"s{number}" for number in range(1, len(texts) + 1)]
    assert ID.findall(marked) == ours
    assert ID.findall(as_read(marked)) == ours
