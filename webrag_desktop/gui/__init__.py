"""The window. Views show data; ``operations`` is the one place here that calls the core."""
