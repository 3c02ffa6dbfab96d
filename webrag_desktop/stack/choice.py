"""Which stack the options ask for."""

from webrag_desktop.stack.base import Stack, StackOptions
from webrag_desktop.stack.compose import ComposeStack
from webrag_desktop.stack.embedded import EmbeddedStack
from webrag_desktop.stack.external import ExternalStack


def choose_stack(options: StackOptions) -> Stack:
    """The external database when an address is given, else the kind asked for; ``auto`` means embedded."""
    if options.database_url or options.kind == "external":
        return ExternalStack(options)
    if options.kind == "compose":
        return ComposeStack(options)
    return EmbeddedStack(options)
