import pytest

from webrag_desktop.ingestion.fetching.politeness import SiteSchedule, on_this_computer, site_of_address


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_site_rests_after_a_visit_and_others_do_not(clock: Clock) -> None:
    schedule = SiteSchedule(1.5, clock)
    schedule.visited("example.org")
    assert schedule.resting() == {"example.org": 1.5}
    clock.now += 1.0
    assert schedule.resting() == {"example.org": 0.5}
    clock.now += 0.5
    assert schedule.resting() == {}


def test_a_longer_rest_is_not_cut_short_by_a_visit(clock: Clock) -> None:
    schedule = SiteSchedule(1.0, clock)
    schedule.pause_site("example.org", 60)
    schedule.visited("example.org")
    assert schedule.resting() == {"example.org": 60}


@pytest.mark.parametrize("site", ["localhost", "a.localhost", "127.0.0.1", "127.8.9.1", "::1"])
def test_this_computer_needs_no_rest(site: str, clock: Clock) -> None:
    schedule = SiteSchedule(1.0, clock)
    schedule.visited(site)
    assert on_this_computer(site)
    assert schedule.resting() == {}


def test_no_delay_means_none(clock: Clock) -> None:
    schedule = SiteSchedule(0, clock)
    schedule.visited("example.org")
    schedule.visited(None)
    assert schedule.resting() == {}


def test_trouble_is_remembered_for_a_minute(clock: Clock) -> None:
    schedule = SiteSchedule(1.0, clock)
    assert not schedule.in_trouble("example.org")
    schedule.had_trouble("example.org")
    clock.now += 59
    assert schedule.in_trouble("example.org")
    assert not schedule.in_trouble("example.com")
    clock.now += 2
    assert not schedule.in_trouble("example.org")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.Example.org:8080/x", "example.org"),
        ("http://[::1]:80/", "::1"),
        ("file:///home/ada/x.html", None),
        ("http://[broken/", None),
        ("", None),
    ],
)
def test_the_site_of_an_address(url: str, site: str | None) -> None:
    assert site_of_address(url) == site


def test_what_a_site_asks_for_is_distinguished_from_the_rest_after_a_visit(clock: Clock) -> None:
    schedule = SiteSchedule(5.0, clock)
    schedule.visited("example.org")
    assert schedule.requested_pause("https://example.org/x") == 0
    schedule.pause_site("example.org", 60)
    clock.now += 20
    assert schedule.requested_pause("http://WWW.example.org:8080/y") == 40
    assert schedule.requested_pause("https://example.com/") == 0
    assert schedule.requested_pause("no address") == 0
    clock.now += 40
    assert schedule.requested_pause("https://example.org/x") == 0


def test_a_visit_is_not_lost_where_somebody_asks_meanwhile_what_rests(clock: Clock) -> None:
    """As the worker does, while a page is fetched ahead in another thread."""
    asked = True

    def time_in_which_somebody_asks() -> float:
        nonlocal asked
        if not asked:
            asked = True
            schedule.resting()
        return clock.now

    schedule = SiteSchedule(1.5, time_in_which_somebody_asks)
    asked = False
    schedule.visited("example.org")
    assert schedule.resting() == {"example.org": 1.5}
