"""Whether the sentences that a claim points at support it: by words, by meaning, by a second request to the model."""
