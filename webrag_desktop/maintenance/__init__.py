"""Looking after the library: check and repair, backups, moves to another embedding space, what is swept."""
