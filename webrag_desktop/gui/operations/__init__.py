"""One function or small class for each thing the user can do: a call of the core and its feedback."""
