"""Waiting until something is so."""

from webrag_desktop.progress import wait_for


def test_what_is_true_at_last_is_given_and_no_further_attempt_made() -> None:
    attempts = iter([None, "", "ready", "again"])
    assert wait_for(lambda: next(attempts), 60, every=0) == "ready"
    assert list(attempts) == ["again"]


def test_once_the_time_is_up_the_last_attempt_is_what_counts() -> None:
    attempts: list[int] = []
    assert wait_for(lambda: attempts.append(1), 0, every=60) is None
    assert attempts == [1]


def test_a_wait_is_no_longer_than_the_time_that_is_left() -> None:
    attempts: list[int] = []
    assert wait_for(lambda: attempts.append(1), 0.01, every=3600) is None
    assert len(attempts) == 2
