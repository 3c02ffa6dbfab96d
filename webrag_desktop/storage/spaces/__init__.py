"""Embedding spaces: their tables and indexes, and how a library moves from one to another."""
