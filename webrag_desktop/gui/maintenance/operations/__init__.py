"""The database, models, moves, backups and checks as the window uses them."""
