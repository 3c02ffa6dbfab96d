"""How urgent work is: what the user asks for now overtakes what they left to the background."""
