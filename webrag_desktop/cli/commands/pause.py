"""``webrag pause`` and ``resume``: the user's hand on the queue."""

import click

from webrag_desktop import Library
from webrag_desktop.cli.following import MOVE_GOES_ON, start_worker
from webrag_desktop.cli.output import Output, json_option, pass_output
from webrag_desktop.cli.queue_state import queue_report, say_queue
from webrag_desktop.cli.session import open_library


@click.command(short_help="Pause indexing, for every program and over restarts.")
@json_option
@pass_output
def pause(output: Output) -> None:
    """Pause indexing, for every program and over restarts, until `webrag resume` or `webrag work`.

    What is under way is put back and loses nothing; adding and searching go on.
    """
    with open_library() as library:
        library.queue.pause()
        _tell_queue(library, output)


@click.command(short_help="Go on with indexing that was paused.")
@json_option
@pass_output
def resume(output: Output) -> None:
    """Go on with indexing that was paused, in the background."""
    with open_library() as library:
        library.queue.resume()
        moves = library.move_waits()
        starting = (moves or bool(library.queue.unfinished())) and start_worker(library, output)
        if moves:
            output.note(MOVE_GOES_ON)
        _tell_queue(library, output, starting=starting)


def _tell_queue(library: Library, output: Output, *, starting: bool = False) -> None:
    report = queue_report(library, library.spool.count())
    if output.as_json:
        output.document(report)
    else:
        say_queue(output, report, starting=starting)
