"""Everything by which links, files and folders come in."""
