"""The traversal diagram: the seed's two examples, five made sites, and every visit exactly once."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.expansion.contracts import PageVisit, Visit, as_drawn
from webrag_desktop.expansion.diagram import LONGEST_LABEL, traversal_diagram

DOCS = "https://docs.example.com"


def spaces_collapsed(text: str) -> str:
    return re.sub(" +", " ", text)


def drawn(*lines: str) -> str:
    return "\n".join(lines)


# -- The seed's examples -----------------------------------------------------------------------------------------


def test_a_branch_stands_under_the_arrow_of_its_parent() -> None:
    visits = [
        Visit(f"{DOCS}/intro", None, gave_evidence=True),
        Visit(f"{DOCS}/ensemble-methods", f"{DOCS}/intro", gave_evidence=True),
        Visit(f"{DOCS}/random-forests", f"{DOCS}/ensemble-methods", gave_evidence=True),
        Visit(f"{DOCS}/getting-started", f"{DOCS}/ensemble-methods", gave_evidence=False),
    ]
    seeds = """\
docs.example.com/intro → /ensemble-methods [✓] → /random-forests [✓]
                                            → /getting-started  [–]"""
    diagram = traversal_diagram(visits)
    assert spaces_collapsed(diagram) == spaces_collapsed(seeds)
    first, second = diagram.splitlines()
    assert second.index("→") == first.rindex("→")


def test_the_path_is_shown_from_where_it_differs() -> None:
    visits = [
        Visit(f"{DOCS}/api/ensemble", None, gave_evidence=False),
        Visit(f"{DOCS}/api/random-forests", f"{DOCS}/api/ensemble", gave_evidence=True),
        Visit(f"{DOCS}/api/decision-trees", f"{DOCS}/api/random-forests", gave_evidence=True),
    ]
    assert (
        traversal_diagram(visits)
        == "docs.example.com/api/ensemble → /random-forests [✓] → /decision-trees [✓]"
    )


# -- Made sites --------------------------------------------------------------------------------------------------


def site(*pages: tuple[str, str | None, bool]) -> list[Visit]:
    return [Visit(url, parent, gave) for url, parent, gave in pages]


def test_a_deep_chain_with_branches_at_several_levels() -> None:
    root = "https://manual.test/"
    visits = site(
        (root, None, False),
        (f"{root}install", root, True),
        (f"{root}install/linux", f"{root}install", False),
        (f"{root}install/linux/debian", f"{root}install/linux", True),
        (f"{root}install/linux/debian/packages.html", f"{root}install/linux/debian", True),
        (f"{root}install/linux/fedora", f"{root}install/linux", False),
        (f"{root}install/windows", f"{root}install", False),
        (f"{root}faq", root, False),
        (f"{root}install/windows/path", f"{root}install/windows", True),
        (root + "install/linux/debian/../legacy", f"{root}faq", False),
    )
    assert traversal_diagram(visits) == drawn(
        "manual.test → /install [✓] → /linux [–] → /debian [✓] → /packages.html [✓]",
        "                                        → /fedora [–]",
        "                           → /windows [–] → /path [✓]",
        "            → /faq [–] → /install/linux/debian/../legacy [–]",
    )


def test_the_domain_is_shown_again_where_it_differs() -> None:
    visits = site(
        ("https://blog.test/post", None, True),
        ("https://papers.test/", "https://blog.test/post", False),
        ("https://papers.test/2024/cables.pdf", "https://papers.test/", True),
        ("https://blog.test/about", "https://papers.test/2024/cables.pdf", False),
        ("http://blog.test:8080/post", "https://blog.test/post", False),
        ("https://user:secret@papers.test/2025", "https://blog.test/post", False),
    )
    assert traversal_diagram(visits) == drawn(
        "blog.test/post → papers.test [–] → /2024/cables.pdf [✓] → blog.test/about [–]",
        "               → blog.test:8080/post [–]",
        "               → papers.test/2025 [–]",
    )


def test_several_pages_began_it() -> None:
    visits = site(
        ("https://a.test/guide/start", None, True),
        ("https://b.test/wiki", None, False),
        ("https://b.test/wiki/Ship", "https://b.test/wiki", True),
        ("https://a.test/guide/next", "https://a.test/guide/start", False),
        ("https://a.test/guide", "https://a.test/guide/next", False),
        ("https://c.test/x/y", "https://c.test/x", True),  # its parent is in no visit
        ("file:///home/anna/notes/tides.md", None, False),
        ("https://c.test/", "file:///home/anna/notes/tides.md", False),
    )
    assert traversal_diagram(visits) == drawn(
        "a.test/guide/start → /next [–] → /guide [–]",
        "b.test/wiki → /Ship [✓]",
        "c.test/x → /y [✓]",
        "/home/anna/notes/tides.md → c.test [–]",
    )


def test_the_domain_of_several_beginnings_is_shown_once() -> None:
    visits = site(
        (f"{DOCS}/a", None, False),
        ("https://b.test/", None, False),
        (f"{DOCS}/a/x", f"{DOCS}/a", True),
        (f"{DOCS}/b/c", None, True),
        (f"{DOCS}/b/y", f"{DOCS}/b/c", False),
        (f"{DOCS}/b/z", f"{DOCS}/b/c", True),
        (f"{DOCS}/", None, False),
        ("https://b.test/d", None, False),
    )
    assert traversal_diagram(visits) == drawn(
        "docs.example.com/a → /x [✓]",
        "                /b/c → /y [–]",
        "                     → /z [✓]",
        "                /",
        "b.test",
        "      /d",
    )
    titled = [visit._replace(title=f"Page {visit.url[-1]}") for visit in visits[:1] + visits[3:4]]
    assert traversal_diagram(titled, titles=True) == drawn(
        "docs.example.com: Page a", "                Page c"
    )


def test_pages_stand_where_they_were_found() -> None:
    known = PageVisit(
        url=f"{DOCS}/start", parent_url=None, depth=0, outcome="known", source_url=f"{DOCS}/intro"
    )
    led = PageVisit(
        url=f"{DOCS}/old",
        parent_url=f"{DOCS}/start",
        depth=1,
        outcome="new",
        source_url=f"{DOCS}/engine/cooling",
    )
    below = PageVisit(url=f"{DOCS}/gone", parent_url=f"{DOCS}/old", depth=2, outcome="failed")
    again = led.model_copy(update={"url": f"{DOCS}/older", "gave_evidence": True})
    assert traversal_diagram(as_drawn([known, led, below, again])) == (
        "docs.example.com/intro → /engine/cooling [✓] → /gone [–]"
    )
    back = led.model_copy(update={"source_url": f"{DOCS}/intro"})
    assert traversal_diagram(as_drawn([known, back])) == "docs.example.com/intro"


def test_queries_escapes_and_other_scripts_are_reported_as_they_are_read() -> None:
    root = "https://de.wiki.test/wiki/K%C3%BCste"
    visits = site(
        (root, None, True),
        ("https://de.wiki.test/wiki/%E6%B5%B7", root, True),
        ("https://de.wiki.test/wiki/%D0%9C%D0%BE%D1%80%D0%B5", "https://de.wiki.test/wiki/%E6%B5%B7", False),
        ("https://de.wiki.test/wiki/Ebbe_(Gezeiten)", "https://de.wiki.test/wiki/%E6%B5%B7", False),
        ("https://de.wiki.test/w?title=Ebbe&oldid=7", root, False),
        ("https://de.wiki.test/w?title=Ebbe&oldid=8", root, True),
        ("https://de.wiki.test/wiki/a%2Fb%20%E2%86%92%20%5B%E2%9C%93%5D", root, False),
        ("https://de.wiki.test/wiki/→ [✓]", root, False),
        ("https://de.wiki.test/wiki/%FF", root, False),
    )
    assert traversal_diagram(visits) == drawn(
        "de.wiki.test/wiki/Küste → /海 [✓] → /Море [–]",
        "                                  → /Ebbe_(Gezeiten) [–]",
        "                        → /w?title=Ebbe&oldid=7 [–]",
        "                        → /w?title=Ebbe&oldid=8 [✓]",
        "                        → /a%2Fb%20%E2%86%92%20%5B%E2%9C%93%5D [–]",
        "                        → /%E2%86%92%20[%E2%9C%93] [–]",
        "                        → /%FF [–]",
    )


def test_pages_that_would_be_called_the_same_are_distinguished() -> None:
    root = "https://docs.test/v2/api"
    visits = site(
        (root, None, False),
        ("https://docs.test/v2/intro", root, True),
        ("https://docs.test/v2/api/intro", root, False),
        ("https://docs.test/v1/intro", root, False),
        ("https://docs.test/v2/guide/", root, True),
        ("https://docs.test/v2/guide", root, False),
        ("http://docs.test/v2/tour", root, False),
        ("https://docs.test/v2/tour", root, False),
        ("https://docs.test/v2/intro/", "https://docs.test/v2/intro", True),
        ("https://docs.test/v2", "https://docs.test/v2/intro", False),
        ("https://docs.test/", "https://docs.test/v2/intro", False),
    )
    assert traversal_diagram(visits) == drawn(
        "docs.test/v2/api → /v2/intro [✓] → /intro [✓]",
        "                                 → /v2 [–]",
        "                                 → / [–]",
        "                 → /api/intro [–]",
        "                 → /v1/intro [–]",
        "                 → https://docs.test/v2/guide/ [✓]",
        "                 → https://docs.test/v2/guide [–]",
        "                 → http://docs.test/v2/tour [–]",
        "                 → https://docs.test/v2/tour [–]",
    )


# -- Titles ------------------------------------------------------------------------------------------------------


def test_titles_stand_for_paths_where_they_are_known() -> None:
    visits = [
        Visit(f"{DOCS}/intro", None, gave_evidence=True, title="Introduction"),
        Visit(f"{DOCS}/a", f"{DOCS}/intro", gave_evidence=True, title="Ensemble\n methods"),
        Visit(f"{DOCS}/b", f"{DOCS}/a", gave_evidence=True),
        Visit("https://other.test/c", f"{DOCS}/a", gave_evidence=False, title="Elsewhere"),
        Visit(f"{DOCS}/d", f"{DOCS}/intro", gave_evidence=False, title="Same"),
        Visit(f"{DOCS}/e", f"{DOCS}/intro", gave_evidence=False, title="Same"),
    ]
    assert traversal_diagram(visits, titles=True) == drawn(
        "docs.example.com: Introduction → Ensemble methods [✓] → /b [✓]",
        "                                                      → other.test: Elsewhere [–]",
        "                               → /d [–]",
        "                               → /e [–]",
    )
    assert traversal_diagram(visits).startswith("docs.example.com/intro → /a [✓]")


def test_a_title_makes_up_no_page() -> None:
    visits = [
        Visit(f"{DOCS}/", None, gave_evidence=False),
        Visit(f"{DOCS}/a", f"{DOCS}/", gave_evidence=False, title="Mine [✓] → yours\x1b[2J\u202e"),
    ]
    assert traversal_diagram(visits, titles=True) == "docs.example.com → Mine (✓) - yours(2J [–]"


def test_what_is_long_is_cut_unless_only_its_end_tells_it_apart() -> None:
    long = "x" * 200
    visits = site(
        (f"{DOCS}/", None, False),
        (f"{DOCS}/{long}", f"{DOCS}/", True),
        (f"{DOCS}/{long[:90]}1", f"{DOCS}/{long}", False),
        (f"{DOCS}/{long[:90]}2", f"{DOCS}/{long}", False),
    )
    cut = "/" + "x" * (LONGEST_LABEL - 2) + "…"
    assert [line.split("→")[-1].split()[0] for line in traversal_diagram(visits).splitlines()] == [
        f"{DOCS}/{long[:90]}1",
        f"{DOCS}/{long[:90]}2",
    ]
    assert f"→ {cut} [✓] →" in traversal_diagram(visits)


def test_the_same_page_twice_is_one() -> None:
    visits = [
        Visit(f"{DOCS}/", None, gave_evidence=False),
        Visit(f"{DOCS}/a", f"{DOCS}/", gave_evidence=False),
        Visit(f"{DOCS}/b", f"{DOCS}/", gave_evidence=False),
        Visit(f"{DOCS}/a", f"{DOCS}/b", gave_evidence=True),
    ]
    assert traversal_diagram(visits) == drawn("docs.example.com → /a [✓]", "                 → /b [–]")


def test_nothing_visited_is_no_diagram() -> None:
    assert traversal_diagram([]) == ""


def test_links_can_be_followed_far() -> None:
    pages = [f"{DOCS}/{number}" for number in range(5_000)]
    visits = [
        Visit(url, parent, gave_evidence=False)
        for url, parent in zip(pages, [None, *pages[:-1]], strict=True)
    ]
    assert traversal_diagram(visits).count("[–]") == 4_999


# -- Every visit exactly once ------------------------------------------------------------------------------------

SEGMENTS = st.sampled_from(["a", "b", "intro", "api", "v1", "%C3%BC", "海", "x y", "→", "[✓]"])
URLS = st.builds(
    lambda host, path, end, query: f"https://{host}/" + "/".join(path) + end + query,
    st.sampled_from(["a.test", "b.test", "a.test:81"]),
    st.lists(SEGMENTS, max_size=4),
    st.sampled_from(["", "/"]),
    st.sampled_from(["", "?p=1", "?p=2&q=[–]"]),
)


@st.composite
def walks(draw: st.DrawFn) -> Sequence[Visit]:
    """Visits in any order of discovery; a few have a parent that was not visited, or lead back to themselves."""
    urls = draw(st.lists(URLS, min_size=1, max_size=12, unique=True))
    parents = st.one_of(st.none(), st.sampled_from(urls), URLS)
    return [Visit(url, draw(parents), draw(st.booleans()), draw(st.none() | st.text())) for url in urls]


@given(walks(), st.booleans())
def test_every_visit_appears_exactly_once_with_its_mark(visits: Sequence[Visit], titles: bool) -> None:
    diagram = traversal_diagram(visits, titles=titles)
    marked = [visit for visit in visits if visit.parent is not None]
    assert diagram.count(" [✓]") == sum(visit.gave_evidence for visit in marked)
    assert diagram.count(" [–]") == sum(not visit.gave_evidence for visit in marked)
    lines = diagram.splitlines()
    roots = [line for line in lines if not line.lstrip().startswith("→")]
    nodes = sum(line.count("→") for line in lines) + len(roots)
    known = {visit.url for visit in visits}
    implied = {visit.parent for visit in visits if visit.parent is not None} - known
    assert nodes == len(visits) + len(implied)
    if not titles:
        assert sorted(_read_back(diagram)) == sorted(
            visit.gave_evidence for visit in visits if visit.parent is not None
        )


def _read_back(diagram: str) -> list[bool]:
    return [mark == "✓" for mark in re.findall(r" \[([✓–])\](?= →|$)", diagram, re.MULTILINE)]


@pytest.mark.parametrize("url", ["https://[broken", "no address", ""])
def test_what_is_no_address_is_shown_as_it_is(url: str) -> None:
    visits = [Visit(f"{DOCS}/", None, gave_evidence=False), Visit(url, f"{DOCS}/", gave_evidence=False)]
    assert traversal_diagram(visits).endswith("[–]")
