"""Finds where a quotation may occur in a library, and compares its words with the texts there."""
