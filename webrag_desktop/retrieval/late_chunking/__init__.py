"""Cutting the candidates of a question when it is asked, instead of when they were indexed."""
