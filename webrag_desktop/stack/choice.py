"""Which stack the options ask for."""

import os

from webrag_desktop.stack.base import Stack, StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.layout import Layout
from webrag_desktop.stack.processes import running_server


def choose_stack(options: StackOptions) -> Stack:
    """The external database when an address is given, else the kind asked for; ``auto`` means embedded."""
    # Imported late: they are rarely used and would slow down every start.
    if options.database_url or options.kind == "external":
        from webrag_desktop.stack.external import ExternalStack

        return ExternalStack(options)
    if options.kind == "compose":
        from webrag_desktop.stack.compose import ComposeStack

        return ComposeStack(options)
    if is_readable_only(options):
        from webrag_desktop.stack.read_only import ReadOnlyStack

        return ReadOnlyStack(options)
    return EmbeddedStack(options)


def is_readable_only(options: StackOptions) -> bool:
    """Whether there is a library that may be read and not written to, and no server of it that could be asked."""
    layout = Layout.of(options.home)
    try:
        if not layout.data.is_dir() or not os.access(layout.data, os.R_OK | os.X_OK):
            return False
        writable = all(os.access(folder, os.W_OK) for folder in (layout.folder, layout.data))
        return not writable and running_server(layout) is None
    except OSError:  # not accessible: opening it reports that
        return False
