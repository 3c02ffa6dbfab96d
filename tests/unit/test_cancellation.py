import signal
import threading

import pytest

from webrag_desktop import progress
from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken


def test_a_token_carries_the_wish_to_stop() -> None:
    token = CancelToken()
    token.raise_if_cancelled()
    token.cancel()
    token.cancel()
    assert token.cancelled
    with pytest.raises(Cancelled):
        token.raise_if_cancelled()


def test_cancelling_stops_what_is_running_once_and_nothing_that_has_ended() -> None:
    token = CancelToken()
    calls: list[str] = []
    with token.calling(lambda: calls.append("ended")):
        pass
    with token.calling(lambda: calls.append("outer")), token.calling(lambda: calls.append("inner")):
        token.cancel()
        token.cancel()
    assert calls == ["outer", "inner"]


def test_a_block_does_not_end_while_it_is_being_stopped() -> None:
    token = CancelToken()
    stopping, may_finish = threading.Event(), threading.Event()
    order: list[str] = []

    def stop() -> None:
        stopping.set()
        may_finish.wait(10)
        order.append("stopped")

    def work() -> None:
        with token.calling(stop):
            started.set()
            stopping.wait(10)
            threading.Timer(0.05, may_finish.set).start()
        order.append("ended")

    started = threading.Event()
    worker = threading.Thread(target=work)
    worker.start()
    started.wait(10)
    token.cancel()
    worker.join(10)
    assert order == ["stopped", "ended"]


def test_a_signal_handler_may_cancel_inside_the_block() -> None:
    token = CancelToken()
    before = signal.signal(signal.SIGINT, lambda *_: token.cancel())
    try:
        with token.calling(lambda: None):
            signal.raise_signal(signal.SIGINT)
        assert token.cancelled
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_long_wait_is_reported_once_and_a_short_one_not(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with progress.reported_when_long("nothing at all"):
        pass
    monkeypatch.setattr(progress, "LONG_SECONDS", 0.0)
    said = threading.Event()
    with progress.reported_when_long("the tide", said.set):
        assert said.wait(60)
    monkeypatch.setattr(progress.log, "warning", lambda *_words: said.set())
    said.clear()
    with progress.reported_when_long("the tide"):
        assert said.wait(60)
    assert caplog.text == ""
