"""How the pages that an expansion fetches are counted: a small site, questions of it, and each order."""

from pathlib import Path

import pytest

from benchmarks import expansion
from benchmarks.expansion_parts.questions import Question, held_out, questions
from benchmarks.expansion_parts.sites import BASE, Site

OTTERS = "/book/otters.html"
SENTENCE = "Otters hold hands while they sleep on their backs in the kelp."


def page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"


def links(*names: str) -> str:
    return "".join(f'<p>Read on about <a href="{name.lower()}.html">{name}</a>.</p>' for name in names)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A book of animals: those of the sea are two links away."""
    book = tmp_path / "animals" / "book"
    book.mkdir(parents=True)
    sleeping = f"<h2>3.1. How the otters sleep</h2><p>{SENTENCE}</p><p>They wrap themselves.</p>"
    pages = {
        "index": page("Animals", links("Birds", "Horses", "Sea", "Gone")),
        "birds": page("Birds", "<p>Birds fly south in autumn.</p>" + links("Swans")),
        "horses": page("Horses", "<p>Horses sleep on their feet.</p>" + links("Donkeys")),
        "sea": page("Sea", "<p>In the sea live fish and otters.</p>" + links("Otters")),
        "swans": page("Swans", "<h2>What swans eat</h2><p>Swans eat weed.</p>"),
        "donkeys": page("Donkeys", "<p>Donkeys eat thistles.</p>"),
        "otters": page("Otters", sleeping),
    }
    for name, html in pages.items():
        (book / f"{name}.html").write_text(html, encoding="utf-8")
    return tmp_path


def site(folder: Path) -> Site:
    return Site(folder / "animals", folder / "animals.site.json")


def test_questions_are_made_of_pages_two_links_away(folder: Path) -> None:
    animals = site(folder)
    assert animals.start == "/book/index.html"
    assert animals.depths()[OTTERS] == 2
    asked = questions(animals, 3)
    assert [one.kind for one in asked] == ["heading", "sentence", "heading"]
    assert {one.text for one in asked} == {
        "What is there about How the otters sleep?",
        f"Is it so that o{SENTENCE[1:-1]}?",
        "What is there about What swans eat?",
    }
    assert all(one.target == OTTERS or "swans" in one.text for one in asked)
    assert questions(site(folder), 3) == asked


def test_every_second_pair_of_questions_is_held_out() -> None:
    assert [held_out(number) for number in range(6)] == [False, False, True, True, False, False]
    asked = [Question(str(number), "", "heading") for number in range(6)]
    assert [one.text for one in expansion.of_half(asked, "held-out")] == ["2", "3"]
    assert [one.text for one in expansion.of_half(asked, "tuning")] == ["0", "1", "4", "5"]


def test_pages_are_counted_in_each_order(folder: Path) -> None:
    asked = Question("How do otters of the sea sleep?", OTTERS, "heading")
    with expansion.kept_pages(folder, "animals") as library:
        (found,) = expansion.measured(library, [asked])
    # By worth: the sea among the first four links, of which one is dead, then the otters before the swans.
    assert found.worth is not None
    assert found.worth <= 5
    assert found.breadth == 7, "birds, horses, sea, what is gone, swans, donkeys, otters"
    assert len(found.chance) == expansion.RANDOM_WALKS
    assert {min(found.chance), max(found.chance)} == {2, 7}
    reported = expansion.report({"animals": [found]})
    assert "| animals | 1 | breadth first | 7 | 100 | 100 | 100 |" in reported
    assert f"| animals | 1 | by worth | {found.worth} |" in reported
    assert BASE not in reported


def test_what_is_not_found_counts_as_more_than_was_fetched() -> None:
    missed = expansion.Measured(Question("", "", "heading"), None, 500, (30,), None)
    reported = expansion.report({"site": [missed]})
    assert "| site | 1 | by worth | more than 100 | 0 | 0 | 0 |" in reported
    assert "| site | 1 | at random | 30 | 0 | 100 | 100 |" in reported
