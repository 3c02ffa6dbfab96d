"""What a search is asked and what it answers: plain data for everything that shows, packs or judges evidence."""
