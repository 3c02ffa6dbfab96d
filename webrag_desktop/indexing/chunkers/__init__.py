"""Chunkers by their ids: ways to cut a text that are chosen when a question is asked."""
