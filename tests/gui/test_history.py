"""Going back and forward through what was visited."""

from tests.support.shown import VOLTAGE, YARD
from webrag_desktop.gui.shell.window_state import LONGEST, History, Visit

LIBRARY, RESEARCH = Visit("library"), Visit("research")
FULL = Visit("research", VOLTAGE.span, full=True)


def test_it_begins_with_nothing_behind_and_nothing_ahead() -> None:
    history = History(LIBRARY)
    assert (history.current, history.can_go_back, history.can_go_forward) == (LIBRARY, False, False)
    assert history.back() == LIBRARY
    assert history.forward() == LIBRARY


def test_back_and_forward_walk_the_same_visits() -> None:
    history = History(LIBRARY)
    history.visit(RESEARCH)
    history.visit(FULL)
    assert [history.back(), history.back()] == [RESEARCH, LIBRARY]
    assert not history.can_go_back
    assert [history.forward(), history.forward()] == [RESEARCH, FULL]
    assert not history.can_go_forward


def test_a_new_visit_forgets_what_lay_ahead() -> None:
    history = History(LIBRARY)
    history.visit(RESEARCH)
    history.back()
    history.visit(FULL)
    assert not history.can_go_forward
    assert history.back() == LIBRARY


def test_the_same_place_twice_is_one_visit() -> None:
    history = History(LIBRARY)
    history.visit(LIBRARY)
    assert not history.can_go_back


def test_amending_replaces_the_present_visit_only() -> None:
    history = History(LIBRARY)
    history.visit(RESEARCH)
    history.amend(Visit("research", VOLTAGE.span))
    history.amend(Visit("research", YARD.span))
    assert history.current.span == YARD.span
    assert history.back() == LIBRARY
    assert history.forward().span == YARD.span


def test_only_the_newest_visits_are_kept() -> None:
    history = History(LIBRARY)
    for _ in range(LONGEST):
        history.visit(RESEARCH)
        history.visit(LIBRARY)
    steps = 0
    while history.can_go_back:
        history.back()
        steps += 1
    assert steps == LONGEST - 1
