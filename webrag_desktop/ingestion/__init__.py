"""Addresses and files become captures, captures become documents with an exact source map.

Kept empty on purpose: reading addresses must not load the HTML parser.
"""
