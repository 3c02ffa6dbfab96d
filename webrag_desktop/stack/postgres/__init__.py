"""The PostgreSQL server that the program runs itself: its files, its process, and who ends it."""
