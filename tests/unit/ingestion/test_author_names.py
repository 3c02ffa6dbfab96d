"""Names of authors as people write them: taken apart, put in order, and told from what is no name."""

import pytest

from webrag_desktop.ingestion.author_names import LONGEST_NAME, MOST_AUTHORS, author_names


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        ("By Jane Doe and John Roe, Staff Writer", ("Jane Doe", "John Roe")),
        ("BY: Jane Doe & John Roe", ("Jane Doe", "John Roe")),
        ("Jane Doe; John Roe; Wei Zhang", ("Jane Doe", "John Roe", "Wei Zhang")),
        ("Jane Doe, John Roe, and Wei Zhang", ("Jane Doe", "John Roe", "Wei Zhang")),
        ("Doe, Jane", ("Jane Doe",)),
        ("von der Leyen, Ursula", ("Ursula von der Leyen",)),
        ("Jane Doe, Ph.D.", ("Jane Doe",)),
        ("Martin Luther King, Jr.", ("Martin Luther King Jr.",)),
        ("Jane Doe, Reuters", ("Jane Doe",)),
        ("Jane Doe, Senior Correspondent, BBC News", ("Jane Doe",)),
        ("Von Jana Müller und Max Groß", ("Jana Müller", "Max Groß")),
        ("Par Amélie Poulain et Marc Lévy", ("Amélie Poulain", "Marc Lévy")),
        ("Por José Ortega y Gasset", ("José Ortega y Gasset",)),
        ("Por Ana Pérez y Luis Gómez", ("Ana Pérez", "Luis Gómez")),
        ("Written by\n   Rob Ewaschuk\nEdited by Betsy Beyer", ("Rob Ewaschuk", "Betsy Beyer")),
        ("By Nathan Willis\n March 25, 2015", ("Nathan Willis",)),
        ("Jane Doe (jane@example.org)", ("Jane Doe",)),
        ("Bradley M. Kuhn (http://ebb.org/bkuhn/)", ("Bradley M. Kuhn",)),
        ("Jane Doe - Updated May 3, 2021", ("Jane Doe",)),
        ("文：山田太郎", ("山田太郎",)),
        ("The Tide Working Group", ("The Tide Working Group",)),
        ("torvalds", ("torvalds",)),
        ("Jane Doe; Jane Doe; JANE DOE", ("Jane Doe",)),
        ("Jane Doe · 5 min read", ("Jane Doe",)),
        ("Jane Doe 2 days ago", ("Jane Doe",)),
        ("Jane Doe Follow", ("Jane Doe",)),
        ("Jane Doe | Reuters", ("Jane Doe",)),
        ("Jane Doe et al.", ("Jane Doe",)),
        ("Jane Doe, John Roe and others", ("Jane Doe", "John Roe")),
        ("Doe, J., Roe, J. K.", ("J. Doe", "J. K. Roe")),
        ("World Health Organization, Geneva", ("World Health Organization",)),
        ("Acme, Inc.", ("Acme Inc.",)),
        ("By Jane Doe in London", ("Jane Doe",)),
        ("Women in Tech", ("Women in Tech",)),
        ("Di Wu", ("Di Wu",)),
        ("Von Miller", ("Von Miller",)),
        ("Theo Jansen 3D", ("Theo Jansen 3D",)),
        ("London, England", ()),
        ("By Jane Doe; Washington, D.C.", ("Jane Doe",)),
        ("Boston, Massachusetts", ()),
        ("O'Keeffe, Georgia", ("Georgia O'Keeffe",)),
        ("Jane Doe, England", ("Jane Doe",)),
    ],
)
def test_names_are_taken_apart(written: str, names: tuple[str, ...]) -> None:
    assert author_names([written]) == names


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Doe, Jane", ("Jane Doe",)),
        ("Ortega y Gasset, José", ("José Ortega y Gasset",)),
        ("Doe, Jane Mary Ann", ("Jane Mary Ann Doe",)),
        ("King, Martin Luther, Jr.", ("Martin Luther King Jr.",)),
        ("Doe, J.; Roe, J. K.", ("J. Doe", "J. K. Roe")),
        ("Doe, Jane, Roe, John", ("Jane Doe", "John Roe")),
        ("Acme, Inc.", ("Acme Inc.",)),
    ],
)
def test_names_as_libraries_write_them(written: str, names: tuple[str, ...]) -> None:
    assert author_names([written], inverted=True) == names


@pytest.mark.parametrize(
    "written",
    [
        "admin", "Administrator", "webmaster", "Unknown", "N/A", "@shore_times", "https://example.org/author/jane",
        "jane@example.org", "{{ page.author }}", "Contributors to Wikimedia projects", "View all posts", "12345", "",
        "<span>", "Last Updated: January 7, 2025", "April 28, 2019 at 6:01 am", "x" * (LONGEST_NAME + 1),
        "5 min read", "2 comments", "Yesterday", "Monday, 5 June", "Mon, 5 Jun 2023", "Written by", "Various Authors",
        "Tel: +1 555 1234", "1600 Pennsylvania Ave NW", "Copyright 2024 Acme", "© 2024 Jane Doe",
        "Last modified: 2020-01-01",
        "It was a dark and stormy night on the coast of the sea where nobody had ever been",
    ],
)  # fmt: skip
def test_what_is_no_name_is_refused(written: str) -> None:
    assert author_names([written]) == ()


def test_there_are_at_most_so_many() -> None:
    named = author_names(f"Author {chr(65 + at % 26)}{'x' * (at // 26)}" for at in range(2 * MOST_AUTHORS))
    assert len(named) == MOST_AUTHORS
