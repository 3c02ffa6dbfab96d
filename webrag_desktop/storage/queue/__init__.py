"""The queue of work: requested work, its order, and its outcome."""
