"""Pages: main content found, cut into blocks, each converted to markdown that knows its HTML."""
