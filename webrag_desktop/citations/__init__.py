"""Citations: exact spans of stored text, where they came from, and the address that leads there.

Kept empty on purpose: the window writes quotes before anything is cited, and must not load the models for that.
"""
