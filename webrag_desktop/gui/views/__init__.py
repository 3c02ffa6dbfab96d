"""The panes of the window. They show data and emit what the user wants; they never call the core."""
