"""Where pages stand on the map: columns by depth and lines that never cross; circles of sites that never overlap."""

from itertools import combinations
from math import hypot
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from tests.support.maps import PAGES, links, page
from webrag_desktop.gui.data.map import LinkedPage, MapPage
from webrag_desktop.gui.map import expansion_scene
from webrag_desktop.gui.map.operations import link_map


def tree(parents: list[int | None]) -> list[MapPage]:
    names = [f"example.org/{number}" for number in range(len(parents))]
    return [
        page(name, name, "opened", None if parent is None else names[parent])
        for name, parent in zip(names, parents, strict=True)
    ]


@st.composite
def parents(draw: st.DrawFn) -> list[int | None]:
    """Parents of a forest; a parent always comes before its children, as it does while links are followed."""
    count = draw(st.integers(1, 40))
    return [
        draw(st.one_of(st.none(), st.integers(0, number - 1))) if number else None for number in range(count)
    ]


@given(parents())
def test_columns_are_depths_and_no_two_lines_cross(given_parents: list[int | None]) -> None:
    places = expansion_scene.lay_out(tree(given_parents))
    lines = []
    for number, parent in enumerate(given_parents):
        above = 0 if parent is None else places.columns[parent]
        assert places.columns[number] == above + 1
        lines.append((above, places.root_row if parent is None else places.rows[parent], places.rows[number]))
    for (column, begin, end), (other, its_begin, its_end) in combinations(lines, 2):
        if column == other:  # lines of different columns have no room in common
            assert (begin - its_begin) * (end - its_end) >= 0
    taken = list(zip(places.columns, places.rows, strict=True))
    for (column, row), (other, its_row) in combinations(taken, 2):
        assert column != other or abs(row - its_row) >= 1
    assert all(0 <= row <= places.row_count - 1 for row in places.rows)


@given(parents())
def test_what_is_added_behind_a_page_s_siblings_leaves_their_order(given_parents: list[int | None]) -> None:
    before = expansion_scene.lay_out(tree(given_parents))
    after = expansion_scene.lay_out(tree([*given_parents, None]))
    numbers = range(len(given_parents))
    assert after == expansion_scene.lay_out(tree([*given_parents, None]))
    assert sorted(numbers, key=lambda at: before.rows[at]) == sorted(numbers, key=lambda at: after.rows[at])


def test_a_page_stands_in_the_middle_of_what_it_led_to() -> None:
    places = expansion_scene.lay_out(PAGES)
    assert places.columns[:5] == (1, 1, 1, 1, 2)
    assert places.rows[0] == (places.rows[4] + places.rows[5]) / 2
    assert places.column_count == 3


def test_pages_that_lead_to_each_other_and_pages_of_nobody_begin_below_the_question() -> None:
    around = [
        page("a.org/1", "One", "opened", "a.org/2"),
        page("a.org/2", "Two", "opened", "a.org/1"),
        page("a.org/3", "Three", "opened", "b.org/unknown"),
        page("a.org/4", "Four", "opened", "a.org/4"),
    ]
    places = expansion_scene.lay_out(around)
    assert places.parents == (None, 0, None, None)
    assert places.columns == (1, 2, 1, 1)


def test_thousands_of_pages_in_a_row_are_laid_out() -> None:
    chain = tree([None, *range(3000)])
    assert expansion_scene.lay_out(chain).column_count == 3002


def test_nothing_at_all_has_a_place_for_the_question() -> None:
    places = expansion_scene.lay_out([])
    assert (places.root_row, places.row_count, places.column_count) == (0.0, 1, 1)


# -- Links --------------------------------------------------------------------------------------------------------


def test_pages_stand_within_their_site_and_sites_apart() -> None:
    shown = links(800, 24)
    sites = {site.host: site for site in shown.sites}
    for one, (x, y) in zip(shown.pages, shown.places, strict=True):
        site = sites[one.host]
        assert hypot(x - site.x, y - site.y) < site.radius
    for site, other in combinations(shown.sites, 2):
        assert hypot(site.x - other.x, site.y - other.y) > site.radius + other.radius
    assert sum(site.pages for site in shown.sites) == len(shown.pages)
    nearest = min(hypot(x - a, y - b) for (x, y), (a, b) in combinations(shown.places[:200], 2))
    assert nearest > 15


def test_the_most_linked_page_stands_in_the_middle_and_links_are_counted() -> None:
    shown = links(90, 1)
    (site,) = shown.sites
    away = [hypot(x - site.x, y - site.y) for x, y in shown.places]
    assert min(range(90), key=away.__getitem__) == 0
    first = shown.pages[0]
    assert first.links_in + first.links_out == max(one.links_in + one.links_out for one in shown.pages)
    assert first.links_in == sum(end == 0 for _begin, end in shown.edges)
    assert first.links_out == sum(begin == 0 for begin, _end in shown.edges)
    assert set(shown.neighbours[0]) == {a + b for a, b in shown.edges if 0 in (a, b)}


def test_the_same_library_always_looks_the_same() -> None:
    assert links(150, 5) == links(150, 5)
    assert link_map.lay_out([], []).pages == ()


def test_a_tangle_is_drawn_in_bundles_and_a_full_circle_by_its_most_linked_pages() -> None:
    shown = links(60, 5)
    assert shown.bundles == ()
    assert set(shown.lines) == {(max(edge), min(edge)) for edge in shown.edges}, "each pair has one line"
    pages = [LinkedPage(UUID(int=at + 1), "", "ab"[at % 2], str(at)) for at in range(200)]
    full = link_map.lay_out(pages, [(one, other) for one in range(200) for other in range(200)])
    assert len(full.edges) == 200 * 199
    assert full.bundles == (("a", "b", 100 * 100),)
    assert len(full.lines) == link_map.MOST_INNER
    assert {full.pages[one].host == full.pages[other].host for one, other in full.lines} == {True}
    assert max(max(line) for line in full.lines) < 199, "the least linked are left out first"
