"""Context packs: the passages of a result and the text around them, within a budget of tokens."""
