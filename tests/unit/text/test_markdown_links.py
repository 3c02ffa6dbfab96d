"""The sentence around a link is what a reader sees there, whatever the block holds besides."""

from webrag_desktop.text.markdown_links import PlacedLink, linked_sentences

CABLE = "https://example.org/cable"


def around(markdown: str, *links: tuple[int, str, str]) -> list[str]:
    return linked_sentences(markdown, [PlacedLink(*link) for link in links])


def test_it_is_the_sentence_of_the_link_without_its_markup() -> None:
    text = f"It began in 1857. The *first*\n[cable]({CABLE}) broke, cf. p. 4. It was mended."
    assert around(text, (0, CABLE, "cable")) == ["The first cable broke, cf. p. 4."]


def test_links_to_one_address_have_each_their_own() -> None:
    text = f"A [cable]({CABLE}) broke.\n\nIt lay. Another [rope]({CABLE}) held. A [line]({CABLE}) too."
    second = text.index("It lay")
    assert around(text, (0, CABLE, "cable"), (second, CABLE, "rope"), (second, CABLE, "line")) == [
        "A cable broke.",
        "Another rope held.",
        "A line too.",
    ]


def test_in_lists_and_tables_it_is_the_item_and_the_row() -> None:
    items = f"- One thing\n\n- See [the cable]({CABLE})\n"
    assert around(items, (0, CABLE, "the cable")) == ["See the cable"]
    table = f"| a | b |\n|---|---|\n| x | [the cable]({CABLE}) |\n| y | z |"
    (row,) = around(table, (0, CABLE, "the cable"))
    assert row.split() == ["x", "the", "cable"]


def test_what_is_written_otherwise_is_found_by_its_words_and_what_is_nowhere_has_none() -> None:
    text = "See [the cable](<https://example.org/a b>). And more."
    assert around(text, (0, "https://example.org/a%20b", "the cable"), (0, CABLE, "nowhere")) == [
        "See the cable.",
        "",
    ]
