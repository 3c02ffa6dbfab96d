"""Processes that the window's benchmark starts; each prints what it measured."""
