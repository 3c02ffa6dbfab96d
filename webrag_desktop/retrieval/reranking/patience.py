"""How long a chat server is waited for that is busy, or loads its model."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

import tenacity

from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.chat import LateReplyError, ModelLoadingError

T = TypeVar("T")
Rest = Callable[[float, CancelToken], None]


def rest(seconds: float, cancel: CancelToken) -> None:
    """Wait; raises Cancelled at once when ``cancel`` is set."""
    woken = Event()
    with cancel.calling(woken.set):
        cancel.raise_if_cancelled()
        woken.wait(seconds)
    cancel.raise_if_cancelled()


@dataclass(frozen=True, slots=True)
class Patience:
    """Up to ``attempts`` within ``seconds``, 0.5, 1 and 2 seconds apart unless the server names a longer time.

    An attempt may take all that is left of the time, and what came too late is not asked again. Where a wait would end
    beyond the limit, nobody waits for it. A server that is loading its model is asked until the time is up.
    """

    seconds: float = RerankConfig.seconds
    attempts: int = 4
    clock: Callable[[], float] = time.monotonic
    rest: Rest = rest

    def ends(self) -> float:
        """When the time is up for what begins now, by the clock."""
        return self.clock() + self.seconds

    def ask(self, attempt: Callable[[float], T], cancel: CancelToken, ends: float | None = None) -> T:
        """What ``attempt`` gives, which is told how many seconds it has; the last ChatError is raised.

        Several requests that share the time share its end, ``ends``.
        """
        ends = self.ends() if ends is None else ends

        def given_up(state: tenacity.RetryCallState) -> bool:
            often = state.attempt_number >= self.attempts and not _is_loading(state)
            return often or self.clock() + state.upcoming_sleep >= ends

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_may_pass),
            wait=_wait,
            stop=given_up,
            sleep=lambda seconds: self.rest(seconds, cancel),
            reraise=True,
        )
        return retrying(lambda: attempt(max(ends - self.clock(), 0.001)))


_BACKOFF = tenacity.wait_exponential(multiplier=0.5, max=4.0)


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, ChatError) and error.transient and not isinstance(error, LateReplyError)


def _is_loading(state: tenacity.RetryCallState) -> bool:
    return state.outcome is not None and isinstance(state.outcome.exception(), ModelLoadingError)


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    wanted = error.retry_after if isinstance(error, ChatError) else None
    return max(_BACKOFF(state), wanted or 0.0)
