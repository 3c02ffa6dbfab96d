"""The Library view: the documents, how far they are, and what is known of each."""
