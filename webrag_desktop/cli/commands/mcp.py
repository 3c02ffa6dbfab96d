"""``webrag mcp``: the library for AI clients that speak the Model Context Protocol."""

import click

from webrag_desktop import DataFolder
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.errors import ConfigurationError


@click.command()
def mcp() -> ExitCode:
    """Serve the library to an AI client that starts this command and speaks the Model Context Protocol with it.

    Standard input and output carry the protocol and nothing else; no port is opened. The client may search, read and
    verify quotations; it may add pages and follow their links only where MCP_ALLOW_WRITES is set. docs/mcp.md says how
    usual clients are set up.
    """
    try:
        from webrag_desktop.mcp.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise ConfigurationError(
            "The Model Context Protocol needs a package that is not installed.",
            "Install it with: pip install 'webrag-desktop[mcp]'",
        ) from error
    serve(DataFolder.at())
    return ExitCode.OK
