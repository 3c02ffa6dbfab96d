"""The durable work: the runner that turns what was taken in into a searchable library, and whoever keeps it at it."""
