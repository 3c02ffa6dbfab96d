"""What can be done with documents: calls of the core and their feedback."""
