"""Finds where a quotation may stand in a library, and has its words compared with the texts there."""
