"""Whether the sentences that a claim points at support it: by words, by meaning, and by asking the model again."""
