"""A page as it looked: its HTML and its stylesheets, made harmless, and the files that they refer to."""
