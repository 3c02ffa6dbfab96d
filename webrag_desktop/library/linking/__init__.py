"""How the pages of the library link to one another, and where else they lead."""
