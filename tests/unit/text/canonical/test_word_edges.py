"""A span of a text begins and ends with whole words and numbers, or it says something else."""

import pytest

from webrag_desktop.text.canonical.canonical_form import canonical_form, has_word_edges


@pytest.mark.parametrize(
    ("marked", "whole"),
    [
        ("a [cat] sat", True),
        ("con[cat]enate", False),
        ("con[cat] sat", False),
        ("[max]_depth", False),
        ("he [can]'t", False),
        ("don'[t go]", False),
        ("John'[s wife]", False),
        ("l'[eau] douce", True),
        ("the [dogs]' bowl", True),
        ("'[tis] so'", True),
        ("non-[linear]", False),
        ("[non]-linear", False),
        ("non-\n[linear]", False),
        ("pre- [and post]", True),
        ("[GPT]-4", False),
        ("B-[12] is", False),
        ("1990-[1995]", True),
        ("[1990]-1995", True),
        ("3.[14] m", False),
        ("[3].14 m", False),
        ("[1],000 m", False),
        ("at [10]:30", False),
        ("[3]. Then", True),
        ("at -[5] m", False),
        ("(−[5] m", False),
        ("at ±[5] m", False),
        ("3 [- 5] m", True),
        ("at .[5] m", False),
        ("[10]^6", False),
        ("10^[6]", False),
        ("10^([6])", False),
        ("[5 cm]²", False),
        ("[5 inch]^2", False),
        ("the [sea]¹", True),
        ("the [sea]^12", True),
        ("[(x)]^2", True),
        ("中[文]字", True),
        ("ภา[ษา]ไทย", True),
        ("한[국]어", False),
        ("한국 [어학] 책", True),
        ("用[Python]写", True),
        ("用1[3]年", False),
        ("in [C]++ and", False),
        ("in [C]# and", False),
        ("[〱] #", True),
        ("[漢] + 字", True),
    ],
)
def test_whole_words_and_numbers(marked: str, whole: bool) -> None:
    start, end = marked.index("["), marked.index("]") - 1
    text = marked.replace("[", "").replace("]", "")
    canonical = canonical_form(text)
    assert has_word_edges(canonical, canonical.place_of(start), canonical.end_of(end)) == whole
