"""Asking: the filters, the results and how they are walked."""
