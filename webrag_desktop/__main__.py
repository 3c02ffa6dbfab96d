"""The ways in: `webrag` is the command line, `webrag-desktop` the window, `python -m webrag_desktop` either."""

import gc
import os
import sys

# So many objects must be made before garbage is looked for. Imports make a few hundred thousand that all stay; with
# Python's own 700, looking through them again and again is a tenth of what a command takes.
OBJECTS_BETWEEN_COLLECTIONS = 50_000
_OPEN_WINDOW = "open-window"  # as cli.window_usage starts us; importing that takes longer than asking


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _be_a_helper_if_asked()
    if sys.argv[1:2] == [_OPEN_WINDOW]:
        del sys.argv[1]
        window()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    _load_no_plugins()
    from webrag_desktop.cli.main import run
    from webrag_desktop.cli.mistakes import report_mistake

    sys.excepthook = report_mistake
    _keep_quiet()
    sys.exit(run())


def window() -> None:
    """Open the window with the links and files given as arguments, and end the process when it is closed."""
    _be_a_helper_if_asked()
    given = _given_to_window(sys.argv[1:])
    load_core()
    try:
        load_qt()
        from webrag_desktop.gui.shell.application import run
    except ImportError as error:
        if not (error.name or "").startswith("PySide6"):
            raise
        from webrag_desktop.cli.window_usage import report_missing_library

        sys.exit(report_missing_library(error))

    _keep_quiet()
    sys.exit(run(given))


def _given_to_window(arguments: list[str]) -> list[str]:
    """The links and files; with an option such as ``--help``, ends the process before Qt starts."""
    if not any(argument.startswith("-") for argument in arguments):
        return arguments
    from webrag_desktop.cli.window_usage import read_arguments  # seldom needed, and felt at every start

    return read_arguments(arguments)


def load_core() -> None:
    """Import what opens the library."""
    gc.disable()  # what is imported stays; the window's event loop looks for garbage later
    _load_no_plugins()
    from webrag_desktop.library import data_folder, opening  # noqa: F401


def load_qt() -> None:
    """Import Qt, without its import hook."""
    from webrag_desktop.gui.shell.process import remove_import_hook

    remove_import_hook()


def _be_a_helper_if_asked() -> None:
    """Be the process that reads documents or draws formulas; a program frozen into one file starts itself for that."""
    if sys.argv[1:2] == ["read-documents"]:
        from webrag_desktop.ingestion.reading_process.child import run

        run(sys.argv[2:])
    if sys.argv[1:2] == ["draw-formulas"]:
        from webrag_desktop.gui.kit.mathematics.child import run as draw

        draw()


def _load_no_plugins() -> None:
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # else every installed package is asked for plugins


def _keep_quiet() -> None:
    # onnxruntime sends usage data to its makers unless this is set before it is loaded; children inherit it.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


if __name__ == "__main__":
    main() if len(sys.argv) > 1 else window()
