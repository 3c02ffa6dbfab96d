"""The queue of work: what is asked for, in which order, and what came of it."""
