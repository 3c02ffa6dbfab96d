"""PDF files: words in reading order, headings, lists, tables and pages, told from where characters stand."""
