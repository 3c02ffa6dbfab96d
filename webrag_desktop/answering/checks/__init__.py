"""Whether the sentences that a claim points at bear it: by words, by meaning, and by asking the model again."""
