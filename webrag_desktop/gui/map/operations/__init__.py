"""What the Map requests of the library: expansions of a question, and the links of the library's own pages."""
