"""Parts of the indexing benchmark."""
