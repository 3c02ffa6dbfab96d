"""PDF files: words in reading order, headings, lists, tables and pages, found from the positions of characters."""
