"""The Map: the expansion of a question from page to page, and the links between the library's own pages."""
