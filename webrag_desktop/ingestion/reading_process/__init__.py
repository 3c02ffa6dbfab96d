"""Reading in a process of its own: what hostile bytes do to a parser ends there, not in the worker."""
