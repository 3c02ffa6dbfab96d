"""One module for each command, or for a few that belong together; none holds logic of its own."""
