"""Queries, options and results of searches: plain data for all code that shows, packs or judges evidence."""
