"""PostgreSQL with pgvector: the only place that knows SQL."""
