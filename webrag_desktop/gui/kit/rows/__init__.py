"""What lists whose rows are painted share."""
