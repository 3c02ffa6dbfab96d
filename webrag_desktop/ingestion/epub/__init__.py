"""EPUB books: the package, its chapters in order and its contents list."""
