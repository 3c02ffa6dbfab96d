"""What the user wishes is heard as long as the connection lasts; its end lets the worker look for itself."""

from types import SimpleNamespace
from typing import NoReturn

import psycopg

from webrag_desktop.jobs.runner import Interruptions
from webrag_desktop.models.queue import TopicChanged
from webrag_desktop.progress import CancelToken


def test_a_connection_lost_while_it_is_asked_ends_the_listening_and_the_rest() -> None:
    def lost(*_arguments: object) -> NoReturn:
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    listener = SimpleNamespace(hear=lambda _seconds: [TopicChanged("queue")])
    interruptions = Interruptions()
    interruptions.begin_to_wait()
    interruptions._listen(listener, SimpleNamespace(execute=lost))  # type: ignore[arg-type]
    interruptions.wait(3600, CancelToken())  # does not wait
