"""Following links with the user's yes: what is reported each event, what is asked for, and what is never fetched."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast
from uuid import uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.following import (
    INDEX,
    RUN,
    FollowingLibrary,
    coverage,
    judged,
    kept,
    link,
    node,
    page_visit,
    visited,
)
from tests.support.gui_library import Heard
from tests.support.shown import named_id
from tests.support.standing_in import PATIENCE, OpenSession
from webrag_desktop.errors import DatabaseUnreachableError
from webrag_desktop.expansion.events import Candidates, Ended
from webrag_desktop.gui.data.map import LinkMap, ShownExpansion, ThinCoverage
from webrag_desktop.gui.map.operations.expanding import ExpansionOperations
from webrag_desktop.gui.map.operations.link_map import LinkMapOperations
from webrag_desktop.gui.map.operations.runs import KeptRules
from webrag_desktop.gui.map.operations.snapshots import Evidence, Found, found
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.session.session import LibrarySession
from webrag_desktop.models.links import LinkGraph

QUESTION = "what is galvanic creep"
CREEP, FAULTS = "https://docs.example.org/creep", "https://docs.example.org/faults.pdf"
SHOP = "https://shop.example.net/galvanic"


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    assert made.stop(PATIENCE)


@pytest.fixture
def library() -> FollowingLibrary:
    made = FollowingLibrary()
    made.preview = (
        coverage(),
        (link(CREEP, 0.8, title="Galvanic creep"), link(FAULTS, 0.5), link(SHOP, 0.2)),
    )
    return made


@pytest.fixture
def rules(tmp_path: Path) -> KeptRules:
    return KeptRules(tmp_path / "window.ini")


@pytest.fixture
def do(background: Background, library: FollowingLibrary, rules: KeptRules) -> Iterator[ExpansionOperations]:
    session = OpenSession(background, library)
    made = ExpansionOperations(cast("LibrarySession", session), background, rules)
    session.setParent(made)
    yield made
    made._end()  # Python may collect it in any thread, where a timer must not be running


class Reported:
    """what is reported of an expansion."""

    def __init__(self, do: ExpansionOperations, qtbot: QtBot) -> None:
        self.all = Heard(do.expansion)
        self.thin = Heard(do.coverage)
        self._qtbot = qtbot

    @property
    def last(self) -> ShownExpansion:
        return cast("ShownExpansion", self.all.last)

    def until(self, stage: str) -> ShownExpansion:
        self._qtbot.waitUntil(lambda: bool(self.all.all) and self.last.stage == stage)
        return self.last

    def states(self) -> dict[str, str]:
        return {page.address: page.state for page in self.last.pages}


@pytest.fixture
def reported(do: ExpansionOperations, qtbot: QtBot) -> Reported:
    return Reported(do, qtbot)


@pytest.fixture
def previewed(do: ExpansionOperations, reported: Reported) -> Reported:
    do.preview(QUESTION)
    reported.until("preview")
    return reported


# -- Before anything is fetched -----------------------------------------------------------------------------------


def test_a_look_tells_what_is_there_and_what_may_be_fetched_and_begins_nothing(
    previewed: Reported, library: FollowingLibrary
) -> None:
    shown = previewed.last
    assert library.begun == []
    assert previewed.states() == {INDEX: "gave", CREEP: "waiting", FAULTS: "waiting", SHOP: "waiting"}
    root, first = shown.pages[0], shown.pages[1]
    assert (root.label, root.passages, root.document_id) == ("Index of the manual", 2, named_id(INDEX))
    assert (first.parent, first.label, first.host) == (INDEX, "Galvanic creep", "docs.example.org")
    assert [(one.title, one.kind, one.ticked) for one in shown.to_fetch] == [
        ("Galvanic creep", "Web page", True),
        ("/faults.pdf", "PDF", True),
        ("/galvanic", "Web page", False),  # few share so little
    ]
    assert (shown.most_pages, shown.most_depth, shown.fetched, shown.depth) == (5, 3, 0, 1)
    assert previewed.thin.last == ThinCoverage(QUESTION, "Nothing holds “galvanic”.")


def test_a_file_that_gives_passages_is_named_with_its_folder() -> None:
    notes = Evidence(uuid4(), "file:///srv/papers/creep.md", "Notes on creep", 2)
    (page,) = found(ShownExpansion(QUESTION), Found((notes,))).pages
    assert (page.label, page.host) == ("Notes on creep", "/srv/papers")


def test_a_question_that_is_covered_is_not_thin(
    do: ExpansionOperations, library: FollowingLibrary, reported: Reported
) -> None:
    library.preview = (coverage("covered", "All of it."), (link(CREEP),))
    do.preview(f"  {QUESTION} ")
    assert reported.until("preview").covered
    assert reported.thin.last is None
    assert library.previewed == [QUESTION]


def test_a_page_of_the_library_that_only_a_link_reported_of_can_be_opened(
    do: ExpansionOperations, library: FollowingLibrary, reported: Reported
) -> None:
    other = "https://docs.example.org/other"
    library.descriptions[other] = "Another page"
    library.preview = (coverage(), (link(CREEP, parent=other), link(FAULTS, known=True)))
    do.preview(QUESTION)
    shown = reported.until("preview")
    page = next(page for page in shown.pages if page.address == other)
    assert (page.state, page.document_id, page.label) == ("opened", named_id(other), "Another page")
    assert [one.address for one in shown.to_fetch] == [CREEP]  # what is there already is not offered


def test_skipping_before_a_run_takes_the_offer_away(do: ExpansionOperations, previewed: Reported) -> None:
    do.skip()
    assert previewed.states() == {INDEX: "gave"}
    assert previewed.last.to_fetch == ()


def test_a_failure_is_reported_where_the_pages_would_be(
    do: ExpansionOperations, library: FollowingLibrary, reported: Reported
) -> None:
    library.fails = DatabaseUnreachableError("The database is away.", "It comes back by itself.")
    do.preview(QUESTION)
    shown = reported.until("ended")
    assert (shown.problem, shown.hint) == ("The database is away.", "It comes back by itself.")


# -- The run ------------------------------------------------------------------------------------------------------


def test_what_was_ticked_is_the_first_choice_and_every_page_is_reported(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    again = Heard(do.ended)
    do.fetch((CREEP,))
    assert previewed.last.stage == "running"
    assert previewed.states() == {INDEX: "gave", CREEP: "opening"}
    library.feed(Candidates(round=1, links=library.preview[1]))
    qtbot.waitUntil(lambda: library.chosen == [(CREEP,)])  # nobody is asked again
    library.feed(visited(CREEP))
    qtbot.waitUntil(lambda: previewed.states().get(CREEP) == "opened")
    assert (previewed.last.fetched, previewed.last.depth) == (1, 2)
    library.evidence += [CREEP, CREEP, CREEP]
    library.descriptions[CREEP] = "Why cores creep"
    library.feed(judged("covered"))
    qtbot.waitUntil(lambda: previewed.states().get(CREEP) == "gave")
    page = next(page for page in previewed.last.pages if page.address == CREEP)
    assert (page.label, page.passages, page.document_id) == ("Why cores creep", 3, named_id(CREEP))
    visits = (page_visit(visited(CREEP), gave=True, description="Why cores creep"),)
    library.feed(Ended(run=kept(QUESTION, visits, "covered")))
    shown = previewed.until("ended")
    assert (shown.reason, shown.covered, shown.can_resume, shown.run_id) == ("covered", True, False, RUN)
    assert {page.address: page.passages for page in shown.pages} == {INDEX: 2, CREEP: 3}
    assert again.last == QUESTION
    assert previewed.thin.last is None


def test_a_later_round_waits_for_the_user_and_goes_on_with_what_was_ticked(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    do.fetch((CREEP,))
    deeper = link(FAULTS, 0.6, parent=CREEP, depth=2)
    library.feed(Candidates(round=1, links=library.preview[1]), visited(CREEP))
    library.feed(Candidates(round=2, links=(deeper, link(SHOP, 0.5, parent=CREEP)), left_out=7))
    shown = previewed.until("asking")
    assert shown.left_out == 7
    assert [one.address for one in shown.to_fetch] == [FAULTS, SHOP]
    assert previewed.states()[FAULTS] == "waiting"
    do.fetch((SHOP,))
    assert previewed.last.stage == "running"
    qtbot.waitUntil(lambda: library.chosen == [(CREEP,), (SHOP,)])
    assert FAULTS not in previewed.states()


def test_skipping_a_round_ends_the_run(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    do.fetch((CREEP,))
    library.feed(Candidates(round=1, links=library.preview[1]), Candidates(round=2, links=(link(SHOP),)))
    previewed.until("asking")
    do.skip()
    qtbot.waitUntil(lambda: library.chosen == [(CREEP,), ()])


def test_stopping_ends_a_round_that_waits_and_keeps_what_came(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported
) -> None:
    do.fetch((CREEP,))
    library.feed(Candidates(round=1, links=library.preview[1]), Candidates(round=2, links=(link(SHOP),)))
    previewed.until("asking")
    do.stop()
    assert previewed.until("ended").reason == "stopped"
    assert previewed.last.can_resume
    assert library.cancelled == 1
    assert library.chosen == [(CREEP,)]


def test_a_run_that_was_stopped_goes_on(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    met = kept(QUESTION).model_copy(update={"limit_met": "pages"})
    library.kept[RUN] = met
    do.fetch((CREEP,))
    do.stop()
    previewed.until("ended")
    do.resume()
    assert previewed.last.stage == "running"
    library.feed(Candidates(round=1, links=(link(FAULTS),)))
    previewed.until("asking")
    do.fetch((FAULTS,))
    qtbot.waitUntil(lambda: library.chosen == [(FAULTS,)])
    assert library.begun[-1] == RUN
    assert library.resumed_within == replace(met.limits, pages=2 * met.limits.pages), (
        "else it would end at once"
    )


def test_why_a_page_could_not_be_opened_is_said_in_a_few_words(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    do.fetch((CREEP, FAULTS))
    problem = "The site asks for a sign-in (403). Sign in with your browser, and add the file."
    library.feed(
        Candidates(round=1, links=library.preview[1]),
        visited(CREEP, "failed", problem=problem),
        visited(FAULTS, "forbidden", problem="robots.txt."),
    )
    qtbot.waitUntil(lambda: previewed.states().get(FAULTS) == "failed")
    reported = {page.address: page.problem for page in previewed.last.pages}
    assert reported[CREEP] == "The site asks for a sign-in (403)"
    assert reported[FAULTS] == "The site does not allow automatic access"
    assert previewed.last.fetched == 1  # what is forbidden is not asked for


def test_a_new_question_leaves_a_run_alone(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    do.fetch((CREEP,))
    library.preview = (coverage("missing", "Other words."), ())
    do.preview("something else")
    qtbot.waitUntil(lambda: previewed.thin.last == ThinCoverage("something else", "Other words."))
    assert previewed.last.question == QUESTION
    assert previewed.last.is_running
    assert library.cancelled == 0


def test_an_error_of_the_run_is_reported_and_it_may_go_on(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    do.fetch((CREEP,))
    qtbot.waitUntil(lambda: previewed.last.run_id == RUN)
    library.feed(DatabaseUnreachableError("The database is away.", "It comes back by itself."))
    shown = previewed.until("ended")
    assert (shown.problem, shown.can_resume) == ("The database is away.", True)


# -- Rules of sites -----------------------------------------------------------------------------------------------


def test_a_site_that_is_never_fetched_is_not_offered(
    do: ExpansionOperations, library: FollowingLibrary, reported: Reported
) -> None:
    do.set_rule("docs.example.org", "never")
    do.preview(QUESTION)
    assert [one.address for one in reported.until("preview").to_fetch] == [SHOP]


def test_a_rule_takes_what_is_offered_away_at_once(do: ExpansionOperations, previewed: Reported) -> None:
    do.set_rule("docs.example.org", "never")
    assert previewed.states() == {INDEX: "gave", SHOP: "waiting"}


def test_a_site_without_asking_is_fetched_in_a_run_only(
    do: ExpansionOperations, library: FollowingLibrary, reported: Reported, qtbot: QtBot
) -> None:
    do.set_rule("docs.example.org", "fetch")
    do.preview(QUESTION)
    reported.until("preview")
    assert library.begun == []  # the first yes is always the user's
    do.fetch((SHOP,))
    library.feed(
        Candidates(round=1, links=library.preview[1]),
        Candidates(round=2, links=(link(FAULTS), link(CREEP, 0.1))),
    )
    qtbot.waitUntil(
        lambda: library.chosen == [(SHOP,), (FAULTS,)]
    )  # nobody was asked; what is unlikely stays


def test_rules_outlast_the_window(do: ExpansionOperations, tmp_path: Path) -> None:
    heard = Heard(do.rules)
    do.set_rule("docs.example.org", "fetch")
    do.set_rule("shop.example.net", "never")
    do.set_rule("docs.example.org", "ask")
    assert heard.last == {"shop.example.net": "never"}
    assert KeptRules(tmp_path / "window.ini").all == {"shop.example.net": "never"}


def test_a_rule_that_somebody_else_wrote_is_none(tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text("[sites]\nexample.org=always\nexample.net=fetch\n", encoding="utf-8")
    assert KeptRules(tmp_path / "window.ini").all == {"example.net": "fetch"}


# -- Earlier expansions -------------------------------------------------------------------------------------------


def test_earlier_expansions_of_the_question_are_reported_and_shown(
    do: ExpansionOperations, library: FollowingLibrary, previewed: Reported, qtbot: QtBot
) -> None:
    visits = (
        page_visit(
            visited(INDEX, "known", parent=INDEX).model_copy(update={"parent_url": None, "depth": 0}),
            gave=True,
        ),
        page_visit(visited(CREEP), gave=True, description="Why cores creep"),
        page_visit(visited(FAULTS, "failed", problem="The site did not answer in 30 s. Try again.")),
    )
    other = uuid4()
    library.kept = {RUN: kept(f" {QUESTION.upper()}", visits), other: kept("another question", id_=other)}
    earlier = Heard(do.earlier)
    do.fetch_earlier()
    qtbot.waitUntil(lambda: bool(earlier.all))
    assert [(one.id, one.pages, one.reason) for one in earlier.last] == [(RUN, 3, "limits")]
    do.show_kept(RUN)
    shown = previewed.until("ended")
    assert [(page.label, page.state, page.passages) for page in shown.pages] == [
        ("/index", "gave", 2),
        ("Why cores creep", "gave", 0),  # it gives none any more
        ("/faults.pdf", "failed", 0),
    ]
    assert (shown.fetched, shown.depth, shown.can_resume) == (2, 2, True)


def test_an_expansion_that_was_removed_is_reported(
    do: ExpansionOperations, previewed: Reported, qtbot: QtBot
) -> None:
    failed = Heard(do.failed)
    do.show_kept(uuid4())
    qtbot.waitUntil(lambda: bool(failed.all))
    assert previewed.last.stage == "preview"


# -- The library's own links --------------------------------------------------------------------------------------


def test_the_library_s_links_are_laid_out_and_reported(
    background: Background, library: FollowingLibrary, qtbot: QtBot
) -> None:
    library.graph_reported = LinkGraph(
        (node(INDEX, "Index of the manual"), node(CREEP, None, "Creep"), node(SHOP)),
        (
            (named_id(INDEX), named_id(CREEP)),
            (named_id(CREEP), named_id(INDEX)),
            (named_id(SHOP), named_id(CREEP)),
        ),
    )
    session = OpenSession(background, library)
    do = LinkMapOperations(cast("LibrarySession", session))
    heard = Heard(do.links)
    do.fetch()
    qtbot.waitUntil(lambda: bool(heard.all))
    shown = cast("LinkMap", heard.last)
    assert [(page.label, page.links_in, page.links_out) for page in shown.pages] == [
        ("Creep", 2, 1),
        ("Index of the manual", 1, 1),
        ("/galvanic", 0, 1),
    ]
    assert {site.host: site.pages for site in shown.sites} == {"docs.example.org": 2, "shop.example.net": 1}
    assert (library.with_navigation, shown.navigation) == (
        False,
        False,
    )  # a menu links every page to every other
    do.fetch(navigation=True)
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert (library.with_navigation, heard.last.navigation) == (True, True)
    failed = Heard(do.failed)
    library.fails = DatabaseUnreachableError("The database is away.", "It comes back by itself.")
    do.fetch()
    qtbot.waitUntil(lambda: bool(failed.all))
