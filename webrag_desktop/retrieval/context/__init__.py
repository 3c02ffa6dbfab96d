"""Context packs: the passages of a result and what stands around them, put together within a budget of tokens."""
