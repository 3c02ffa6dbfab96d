"""Formulas drawn: their outlines are made in a process of their own, and painted in the ink of what is around them."""
