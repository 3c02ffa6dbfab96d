"""How often and how long a chat model is waited for."""

import threading

import pytest

from tests.support.reranking import PassingTime
from webrag_desktop.errors import Cancelled, ChatError, ConfigurationError, WebragError
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.retries import RetryPolicy, wait

BUSY = ChatError("Busy.", transient=True)


class Server:
    """Fails with these errors in turn, then answers; each attempt takes ``takes`` seconds."""

    def __init__(self, time: PassingTime, *errors: WebragError, takes: float = 0.0) -> None:
        self.time, self.errors, self.takes = time, list(errors), takes
        self.given: list[float] = []

    def __call__(self, seconds: float) -> str:
        self.given.append(seconds)
        self.time.now += self.takes
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def ask(server: Server, seconds: float = 60.0) -> str:
    return RetryPolicy(seconds, clock=server.time.clock, wait=server.time.rest).run(server, CancelToken())


def test_waits_double_from_half_a_second() -> None:
    time = PassingTime()
    assert ask(Server(time, BUSY, BUSY, BUSY)) == "answer"
    assert time.rests == [0.5, 1.0, 2.0]


def test_the_fourth_failure_is_the_last() -> None:
    time = PassingTime()
    with pytest.raises(ChatError, match=r"Busy\."):
        ask(Server(time, *[BUSY] * 4))
    assert len(time.rests) == 3


@pytest.mark.parametrize("error", [ChatError("Wrong key."), ConfigurationError("No proxy.")])
def test_what_does_not_pass_is_not_tried_again(error: WebragError) -> None:
    time = PassingTime()
    with pytest.raises(type(error)):
        ask(Server(time, error))
    assert time.rests == []


def test_a_server_that_names_a_longer_time_is_given_it() -> None:
    time = PassingTime()
    assert ask(Server(time, ChatError("Busy.", transient=True, retry_after=7.0))) == "answer"
    assert time.rests == [7.0]


def test_nobody_waits_for_what_comes_after_the_limit() -> None:
    time = PassingTime()
    with pytest.raises(ChatError):
        ask(Server(time, ChatError("Busy.", transient=True, retry_after=61.0)))
    assert time.rests == []


def test_an_attempt_gets_what_is_left_of_the_time() -> None:
    time = PassingTime()
    server = Server(time, BUSY, BUSY, takes=25.0)
    assert ask(server) == "answer"
    assert server.given == [60.0, 60.0 - 25.0 - 0.5, 60.0 - 25.0 - 0.5 - 25.0 - 1.0]


def test_when_the_time_is_up_no_further_attempt_is_made() -> None:
    time = PassingTime()
    server = Server(time, BUSY, BUSY, takes=30.0)
    with pytest.raises(ChatError):
        ask(server)
    assert len(server.given) == 2


def test_a_wish_to_stop_ends_the_wait_at_once() -> None:
    cancel, stopped = CancelToken(), threading.Event()

    def waiting() -> None:
        with pytest.raises(Cancelled):
            wait(3600.0, cancel)
        stopped.set()

    thread = threading.Thread(target=waiting)
    thread.start()
    cancel.cancel()
    assert stopped.wait(30)
    thread.join()


def test_a_wait_that_nobody_ends_ends_by_itself() -> None:
    wait(0.0, CancelToken())
