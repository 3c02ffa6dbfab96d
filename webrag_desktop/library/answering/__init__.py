"""Answering from an open library: its evidence, the answer, and the history of answers."""
