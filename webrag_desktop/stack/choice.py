"""Which stack the options ask for."""

from webrag_desktop.stack.base import Stack, StackOptions
from webrag_desktop.stack.embedded import EmbeddedStack


def choose_stack(options: StackOptions) -> Stack:
    """The external database when an address is given, else the kind asked for; ``auto`` means embedded."""
    # Every start would wait for what nearly nobody uses.
    if options.database_url or options.kind == "external":
        from webrag_desktop.stack.external import ExternalStack

        return ExternalStack(options)
    if options.kind == "compose":
        from webrag_desktop.stack.compose import ComposeStack

        return ComposeStack(options)
    return EmbeddedStack(options)
