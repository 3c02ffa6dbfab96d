"""The window. Views show data; the ``operations`` of each pane, and what opens the library, ask its door."""
