"""From a document to chunks with exact offsets, vectors and full text."""
