"""``webrag status``: what runs, what is missing, and how much there is."""

from contextlib import ExitStack
from dataclasses import asdict

import click

from webrag_desktop import DataFolder, Library
from webrag_desktop.cli.commands.capture import say_capture
from webrag_desktop.cli.commands.queue import queue_report, say_queue, unknown_queue
from webrag_desktop.cli.commands.space import say_move
from webrag_desktop.cli.commands.stack import say_chat, say_stack, stack_report
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output, Styled, json_option, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes.reports import (
    EmbeddingReport,
    LibraryFigures,
    MoveReport,
    StackReport,
    StatusReport,
)
from webrag_desktop.errors import WebragError
from webrag_desktop.models.links import SiteCapture
from webrag_desktop.models.stack import ChatStatus, EmbeddingStatus
from webrag_desktop.version import VERSION

_COLUMN = 11


@click.command()
@json_option
@pass_output
def status(output: Output) -> ExitCode:
    """Show what runs, in which version, what is missing and how to get it, and how much there is.

    Starts nothing: while the database is stopped, the library's figures are not known.
    """
    folder = DataFolder.at()
    stack = stack_report(folder, None, folder.chat_status())
    with ExitStack() as opened:
        library, error = None, None
        if stack.well and any(part.state == "running" for part in stack.parts):
            try:
                library = opened.enter_context(open_library(folder))
            except WebragError as failure:
                error = failure
        report = _status_report(folder, stack, library, error)
    if output.as_json:
        output.document(report)
    else:
        _say_status(output, report)
    usable = report.stack.well and report.embedding.ok is not False
    well = usable and report.problem is None and report.queue.problem is None
    return ExitCode.OK if well else ExitCode.UNAVAILABLE


def _status_report(
    folder: DataFolder, stack: StackReport, library: Library | None, error: WebragError | None
) -> StatusReport:
    kept = folder.waiting()
    figures, queue, move = None, unknown_queue(kept), None
    captures: list[SiteCapture] = []
    if library is not None:
        figures, queue, move = _figures(library), queue_report(library, kept), _open_move(library)
        captures = library.sites.all(is_open=True)
    return StatusReport(
        home=str(folder.path),
        settings_file=str(folder.settings_file),
        settings=folder.given_settings(),
        warnings=folder.settings_warnings(),
        version=VERSION,
        stack=stack,
        embedding=_embedding_report(folder, stack, library),
        library=figures,
        queue=queue,
        move=move,
        captures=captures,
        problem=error.message if error else None,
        remedy=error.hint if error else None,
    )


def _open_move(library: Library) -> MoveReport | None:
    """The move to another embedding space that is under way, or rests."""
    move, progress = library.moves.progress()
    return MoveReport.moving(move, progress) if move is not None and move.is_open else None


def _figures(library: Library) -> LibraryFigures:
    corpus = library.status().corpus
    return LibraryFigures(**asdict(corpus), states=library.documents.overview().states)


def _embedding_report(folder: DataFolder, stack: StackReport, library: Library | None) -> EmbeddingReport:
    """As :func:`embedding_report`; nothing is known, and nothing judged, of a library that cannot be asked."""
    is_new = stack.kind == "embedded" and not folder.has_database
    if library is None and not is_new:
        return EmbeddingReport(**dict.fromkeys(EmbeddingReport.model_fields))
    return embedding_report(folder, library)


def embedding_report(folder: DataFolder, library: Library | None) -> EmbeddingReport:
    """How the library's embedding model does; the one a new library would get where none is chosen yet.

    That the settings contradict the library, so that nothing can be added, goes before what its server says.
    """
    own = library.space if library else None
    try:
        found = folder.embedding_status(own)
    except WebragError as error:
        return _no_embedding(error)
    report = _backend_report(found)
    if library is not None and (note := library.language_note()) is not None:
        report = report.model_copy(update={"note": " ".join(filter(None, (report.note, note)))})
    refusal = library.moves.contradiction() if library else None
    if refusal is None:
        return report
    return report.model_copy(update={"ok": False, "problem": refusal.message, "remedy": refusal.hint})


def _no_embedding(error: WebragError) -> EmbeddingReport:
    names = (
        "backend",
        "model",
        "dimensions",
        "chunking",
        "address",
        "model_present",
        "version",
        "note",
        "weights",
    )
    unknown = dict.fromkeys(names)
    return EmbeddingReport(
        settled=False, ok=False, reachable=False, problem=error.message, remedy=error.hint, **unknown
    )


def _backend_report(status: EmbeddingStatus) -> EmbeddingReport:
    dimensions, chunking = status.space.model.dimensions, status.space.chunking_id
    return EmbeddingReport.of(
        status.backend, settled=status.settled, dimensions=dimensions, chunking=chunking
    )


def _say_status(output: Output, report: StatusReport) -> None:
    _say(output, "folder", report.home)
    _say_settings(output, report)
    say_stack(output, report.stack)
    if report.embedding.ok is None:
        _say(output, "embedding", f"It is not known while {_unanswering(report)}.")
    else:
        say_embedding(output, report.embedding)
    _say_chat(output, report.stack.chat)
    if report.problem is not None:
        _say(output, "library", Styled("failing", colour="red", bold=True), f" {report.problem}")
        _say(output, "", report.remedy or "")
    elif report.library is None:
        _say(output, "library", "Its figures are known while the database runs.")
    else:
        states = ", ".join(f"{count} {state}" for state, count in report.library.states.items()) or "empty"
        _say(
            output,
            "library",
            f"{report.library.documents} documents, {report.library.tokens} tokens ({states})",
        )
    is_printed = report.queue.problem is not None and report.queue.problem == report.embedding.problem
    untold = {"problem": None, "remedy": None} if is_printed else {}
    say_queue(output, report.queue.model_copy(update=untold))
    for capture in report.captures:
        say_capture(output, capture)
    if report.move is not None:
        queue = report.queue
        say_move(output, report.move, _COLUMN, worker=queue.worker, paused=queue.paused)


def _say_chat(output: Output, chat: ChatStatus | None) -> None:
    """The steps of setting one up take many lines, which `webrag stack status` prints."""
    if chat is not None and chat.state == "not set up":
        _say(output, "chat", f"{chat.state}; `webrag stack status` says how.")
    elif chat is not None:
        say_chat(output, chat)


def _say_settings(output: Output, report: StatusReport) -> None:
    """Which settings are given, where; their values may be long, and the file holds them."""
    places = (
        ("file", report.settings_file),
        ("keyring", "the system's keyring"),
        ("environment", "the environment"),
    )
    for place, words in places:
        names = [
            f"{one.name} (does nothing yet)" if one.unused else one.name
            for one in report.settings
            if one.place == place
        ]
        if names:
            _say(output, "settings", f"{', '.join(names)} in {words}")


def _unanswering(report: StatusReport) -> str:
    if report.problem is not None:
        return "the library cannot be opened"
    stopped = all(part.state in ("running", "stopped") for part in report.stack.parts)
    return "the database is stopped" if stopped else "the database cannot be used"


def say_embedding(output: Output, report: EmbeddingReport) -> None:
    """Print how the embedding model does."""
    name = f"{report.model} ({report.backend}), chunks {report.chunking}" if report.model else "none"
    state = (
        Styled("ready", colour="green", bold=True)
        if report.ok
        else Styled("failing", colour="red", bold=True)
    )
    _say(output, "embedding", state, f" {name}{'' if report.settled else ', chosen with the first document'}")
    weights = f"Its weights: {report.weights}." if report.weights else None
    for sentence in filter(None, (report.problem, report.remedy, report.note, weights)):
        _say(output, "", sentence)


def _say(output: Output, name: str, *segments: str | Styled) -> None:
    output.say(f"{name:<{_COLUMN}}", *segments)
