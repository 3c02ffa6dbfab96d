"""What the Map asks the library for: expansions of a question, and the links of the library's own pages."""
