"""Citing, taking it back, putting citations in order: calls of the core and their feedback."""
