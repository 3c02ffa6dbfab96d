"""The library for AI clients that speak the Model Context Protocol: `webrag mcp`."""
