"""Serving the library to other programs."""
