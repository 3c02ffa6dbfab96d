"""Cutting the candidates of a question at query time, instead of when they were indexed."""
