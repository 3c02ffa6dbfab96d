"""Documents, their versions and their chunks."""
