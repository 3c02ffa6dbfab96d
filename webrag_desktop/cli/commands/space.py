"""``webrag space``: the embedding space that the library is in, and moving it to another one in the background."""

import sys
from itertools import zip_longest

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from webrag_desktop import DataFolder, Library
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.following import STOP_SECONDS, start_worker
from webrag_desktop.cli.output import Output, json_option, one_line, pass_output, sentences
from webrag_desktop.cli.session import open_library, stopped_by_ctrl_c
from webrag_desktop.cli.shapes.reports import FetchedWeightsReport, MoveReport, SpaceReport, SpaceShape
from webrag_desktop.cli.times import time_of_day
from webrag_desktop.errors import Cancelled, WebragError
from webrag_desktop.progress import CancelToken

_COLUMN = 9
_BAR_WIDTH = 24
MOVE_KEPT = "The move keeps what is done. `webrag work` goes on with it when this is solved:"
NO_WORKER = "No worker runs, so it waits; `webrag work`, or the window, goes on with it."
PAUSED = "Indexing is paused, and the move with it; `webrag resume` goes on with both."


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def space(ctx: click.Context) -> ExitCode | None:
    """Tell which embedding model and chunk sizes the library has, what the settings ask for, and of a move.

    Vectors of two models, and chunks of two sizes, are never mixed. Where the settings ask for something else,
    `webrag space move` builds the new vectors beside the old ones in the background; searches use the old ones
    until all of the new ones are there.
    """
    if ctx.invoked_subcommand is not None:
        return None
    with open_library() as library:
        return _print(library, ctx.ensure_object(Output))


@space.command(short_help="Move the library to what the settings ask for.")
@click.option(
    "--reembed",
    is_flag=True,
    help="Choose what the settings leave open as for a new library, not as this one has it.",
)
@click.option("--anew", "former_name", is_flag=True, hidden=True)  # what --reembed was called before
@click.option(
    "--wait/--no-wait", default=True, help="Wait for the move (default), or leave it to the background."
)
@json_option
@pass_output
def move(output: Output, reembed: bool, former_name: bool, wait: bool) -> ExitCode:
    """Move the library to the model and the chunk sizes that the settings ask for.

    Everything stays searchable meanwhile, and what is added comes along. Ctrl+C leaves the rest to `webrag work`,
    the next `webrag add` or the window; `webrag space cancel` drops it.
    """
    with open_library() as library:
        begun = library.moves.begin(as_new=reembed or former_name)
        starting = False
        if begun and wait:
            _follow(library, output)
        elif begun:
            starting = start_worker(library, output)
        else:
            output.note("The library is in the space that the settings ask for; there is nothing to move.")
        code = _print(library, output, starting=starting)
        return code if wait else ExitCode.OK


@space.command(short_help="Pause the move.")
@json_option
@pass_output
def pause(output: Output) -> ExitCode:
    """Pause the move, over restarts, until it is resumed. What is added is still indexed."""
    with open_library() as library:
        changed = library.moves.pause()
        return _steered(library, output, changed, "The move is paused already.")


@space.command(short_help="Go on with the move.")
@json_option
@pass_output
def resume(output: Output) -> ExitCode:
    """Go on with a move that rests, or that waits after a failure, in the background."""
    with open_library() as library:
        changed = library.moves.resume()
        starting = changed and start_worker(library, output)
        return _steered(library, output, changed, "The move goes on already.", starting=starting)


@space.command(short_help="End the move; the library stays as it is.")
@json_option
@pass_output
def cancel(output: Output) -> ExitCode:
    """End the move. The library stays in the space it is in; what was built of the new one is dropped."""
    with open_library() as library:
        changed = library.moves.cancel()
        starting = changed and start_worker(library, output)
        return _steered(library, output, changed, starting=starting)


@space.command(short_help="Fetch a model's weights from its publisher.")
@click.argument("model")
@json_option
@pass_output
def fetch(output: Output, model: str) -> ExitCode:
    """Fetch the weights of MODEL, an embedded one, from its publisher, and make them ready; changes no library.

    The file is known by its revision and its sha256, and used only where these are right. Ctrl+C keeps what came: the
    next attempt fetches the rest.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=_BAR_WIDTH),
        DownloadColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar, stopped_by_ctrl_c() as cancel:
        task = bar.add_task("fetching", total=None)
        found = DataFolder.at().fetch_weights(
            model,
            lambda step: bar.update(task, description=step.name, completed=step.done, total=step.total),
            cancel,
        )
    if output.as_json:
        output.document(FetchedWeightsReport.of(found))
        return ExitCode.OK
    output.say(f"The weights of {found.model} are here{'' if found.new else ' already'}: {found.weights}.")
    output.say(
        f"A new library is built with them by EMBEDDING_MODEL={found.form}; with that set, `webrag space move` moves "
        "this one there."
    )
    return ExitCode.OK


def _steered(
    library: Library, output: Output, changed: bool, already: str = "", *, starting: bool = False
) -> ExitCode:
    """Tell how things stand; the code tells a script that there is no move at all to steer."""
    move, _progress = library.moves.progress()
    there = changed or (move is not None and move.is_open)
    if not changed:
        output.note(already if there else "No move is under way. Nothing was changed.")
    _print(library, output, starting=starting)
    return ExitCode.OK if there else ExitCode.FAILED


def _follow(library: Library, output: Output) -> None:
    """Wait until the move is through, or has to wait for something itself."""
    if library.queue.paused():
        output.note(PAUSED)
        return
    bar = Progress(
        TextColumn("moving"),
        BarColumn(bar_width=_BAR_WIDTH),
        TextColumn("{task.completed} of {task.total} documents"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    try:
        with bar:
            task = bar.add_task("", total=None)
            for _move, progress in library.follow_move(CancelToken()):
                bar.update(task, completed=progress.documents_done, total=progress.documents)
    except KeyboardInterrupt:
        library.worker.stop(STOP_SECONDS)
        raise Cancelled(
            "Stopped. Nothing is lost: the library is searched as before, and the move keeps what is done.",
            "`webrag space move` goes on with it; `webrag space cancel` drops it.",
        ) from None
    except WebragError:
        output.note(MOVE_KEPT)
        raise


def _print(library: Library, output: Output, *, starting: bool = False) -> ExitCode:
    """Print how things stand; the code tells of a move that waits for something.

    ``starting``: a worker was started just now, and is not at it yet.
    """
    status = library.status()
    worker, paused = status.worker, status.paused
    report = SpaceReport.found(library.moves.look(), worker=worker, paused=paused)
    if output.as_json:
        output.document(report)
    else:
        _say_report(output, report, starting=starting)
    state = report.move.state if report.move is not None else "done"
    held_up = state in ("paused", "waiting") or (state == "moving" and report.paused)
    return ExitCode.UNAVAILABLE if held_up else ExitCode.OK


def _say_report(output: Output, report: SpaceReport, *, starting: bool) -> None:
    if report.active is None:
        output.say(
            "The library has no documents yet; the first one gets the model that the settings ask for."
        )
        return
    _say(output, "library", _words(report.active))
    if report.wanted is None:
        _say(output, "settings", sentences(report.problem, report.remedy))
    elif report.matches:
        _say(output, "settings", "ask for nothing else")
        if report.problem is not None:
            _say(output, "", sentences(report.problem, report.remedy))
    else:
        _say(output, "settings", _words(report.wanted))
    if report.move is not None:
        say_move(output, report.move, _COLUMN, worker=report.worker or starting, paused=report.paused)
    elif not report.matches and report.wanted is not None:
        _say(output, "", "`webrag space move` moves the library there in the background.")


def say_move(output: Output, found: MoveReport, column: int, *, worker: bool, paused: bool) -> None:
    """Print how a move stands, and by what it goes on, beside names in a column so wide.

    ``worker``: one runs, or is starting. ``paused``: all indexing is.
    """
    state: str = found.state
    goes_on = state in ("moving", "tidying")
    if goes_on and (paused or not worker):
        state = "waits" if state == "moving" else "waits to drop the old vectors"
    done = "" if found.documents is None else f", {found.documents_done} of {found.documents} documents"
    lines = [f"to {_words(found.target)}: {state}{done}"]
    if goes_on and paused:
        lines.append(PAUSED)
    elif goes_on and not worker:
        lines.append(NO_WORKER)
    elif state == "paused":
        lines.append("`webrag space resume` goes on with it.")
    if found.waits_until is not None:
        lines.append(f"It is tried again at {time_of_day(found.waits_until)}, or by `webrag space resume`.")
    lines += filter(None, (found.problem, found.remedy))
    for name, text in zip_longest(["move"], lines, fillvalue=""):
        output.say(f"{name:<{column}}", one_line(text))


def _words(found: SpaceShape) -> str:
    return f"{found.model} ({found.backend}), {found.dimensions} dimensions, chunks {found.chunking}"


def _say(output: Output, name: str, text: str) -> None:
    output.say(f"{name:<{_COLUMN}}", one_line(text))
