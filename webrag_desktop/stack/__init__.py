"""The local stack: a PostgreSQL server with pgvector, run by us, by Docker Compose, or by the user.

Kept empty on purpose: the reaper process imports this package and should stay small.
"""
